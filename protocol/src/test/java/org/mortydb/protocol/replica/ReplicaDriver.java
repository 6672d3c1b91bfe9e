package org.mortydb.protocol.replica;

import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.message.Message.TruncateCommit;
import org.mortydb.protocol.message.Message.TruncatePrepare;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.message.Message.Watermark;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.testing.EffectRecorder;
import org.mortydb.protocol.testing.EffectRecorder.Appended;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.HeldUntilDurable;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/** One replica under test; every step is followed by the check of its whole state. */
final class ReplicaDriver {
  static final long START_MICROS = 1_000_000;

  final Replica replica;
  private final ReplicaId self;
  private final Topology topology;
  private final ReplicaOptions options;
  private final ReplicaRules rules;
  private final EffectRecorder out = new EffectRecorder();

  /** All that was appended so far. */
  final List<LogRecord> log = new ArrayList<>();

  /** All effects of the last step, those on the log among them. */
  List<Effect> lastStep = List.of();

  long nowMicros = START_MICROS;

  ReplicaDriver() {
    this(ReplicaOptions.DEFAULTS);
  }

  ReplicaDriver(ReplicaOptions options) {
    this(new ReplicaId(0, 0), new Topology(1, 0), options, ReplicaRules.SOUND);
  }

  /** The first replica of one of several partitions. */
  static ReplicaDriver of(int partition, int partitions) {
    return new ReplicaDriver(
        new ReplicaId(partition, 0),
        new Topology(1, new int[partitions]),
        ReplicaOptions.DEFAULTS,
        ReplicaRules.SOUND);
  }

  ReplicaDriver(ReplicaId self, Topology topology, ReplicaOptions options, ReplicaRules rules) {
    this.self = self;
    this.topology = topology;
    this.options = options;
    this.rules = rules;
    replica = new Replica(self, topology, options, rules);
  }

  /**
   * A message from the coordinator of the transaction that it is about. A Decide comes from a peer,
   * which is believed; see {@link #claim}.
   */
  List<Effect> receive(Message message) {
    return message instanceof Decide ? receive(replica(1), message) : claim(message);
  }

  /** A message from the coordinator of the transaction that it is about, whatever it is. */
  List<Effect> claim(Message message) {
    return receive(new ClientId(message.txn().clientId()), message);
  }

  List<Effect> receive(Endpoint from, Message message) {
    return step(new Event.Received(from, message));
  }

  /** The tick after {@code micros}. */
  List<Effect> tickAfter(long micros) {
    nowMicros += micros;
    return step(new Event.TimerFired(Timer.TICK));
  }

  /** A step; its effects but for those on the log. */
  List<Effect> step(Event event) {
    stepUnchecked(event);
    replica.checkInvariants();
    return effects();
  }

  /** A step of very many, without a look at the whole state: see {@link #effects}. */
  void stepUnchecked(Event event) {
    replica.step(nowMicros, event, out);
  }

  /** The effects since this was asked last, but for those on the log. */
  List<Effect> effects() {
    lastStep = out.take();
    ArrayList<Effect> others = new ArrayList<>();
    for (Effect effect : lastStep) {
      if (effect instanceof Appended(LogRecord logged)) {
        log.add(logged);
      } else if (!(effect instanceof HeldUntilDurable)) {
        others.add(effect);
      }
    }
    return others;
  }

  /** The same replica in another life, with these records of its log or checkpoint. */
  ReplicaDriver restarted(List<LogRecord> durable) {
    ReplicaDriver next = new ReplicaDriver(self, topology, options, rules);
    next.nowMicros = nowMicros;
    for (LogRecord logged : durable) {
      next.replica.restore(nowMicros, logged);
      next.replica.checkInvariants();
    }
    next.log.addAll(durable);
    return next;
  }

  /** The first half of a round: the first replica asks for a fence. */
  List<Effect> fence(long timeMicros) {
    return receive(replica(0), new TruncatePrepare(watermark(timeMicros), nowMicros));
  }

  /**
   * A whole round of truncation, as the first replica proposes it: what this replica tells as
   * committed is, and what others tell.
   *
   * @param others commits that this replica may have missed
   */
  List<Effect> truncate(long timeMicros, Message.Decide... others) {
    ArrayList<Effect> effects = new ArrayList<>(fence(timeMicros));
    ArrayList<Standing> commits = new ArrayList<>();
    for (Effect effect : effects) {
      if (effect instanceof Sent(Endpoint ignored, TruncateReply reply)) {
        reply.standings().stream()
            .filter(standing -> standing.outcome() instanceof Outcome.Commit)
            .forEach(commits::add);
      }
    }
    Arrays.stream(others)
        .map(decide -> new Standing(decide.txn(), decide.outcome()))
        .forEach(commits::add);
    long base = replica.census().watermarkMicros();
    effects.addAll(
        receive(
            replica(0),
            new TruncateCommit(
                base == 0 ? TxnId.INITIAL : watermark(base), watermark(timeMicros), commits)));
    return effects;
  }

  /** Every partition has reached the watermark, f+1 of its replicas at least. */
  void reachedEverywhere(long timeMicros) {
    for (int partition = 0; partition < topology.partitions(); partition++) {
      receive(replica(0), new Watermark(partition, watermark(timeMicros)));
    }
  }

  /** The rare branches taken since the last call. */
  List<Probe.Branch> marks() {
    return out.takeProbes().stream()
        .filter(Probe.Mark.class::isInstance)
        .map(probe -> ((Probe.Mark) probe).branch())
        .toList();
  }

  /** The message of a type that the last step has sent to a replica or client. */
  <M extends Message> M last(Class<M> type) {
    return lastStep.stream()
        .flatMap(effect -> effect instanceof Sent(var ignored, var m) ? Stream.of(m) : null)
        .filter(type::isInstance)
        .map(type::cast)
        .findFirst()
        .orElseThrow();
  }
}
