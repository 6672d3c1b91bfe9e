package org.mortydb.protocol.coordinator;

import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.range;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.testing.EffectRecorder;
import org.mortydb.protocol.testing.Show;

/**
 * One coordinator under test, of transaction 100 of client 100. Every method is one event, and
 * returns its effects as lines. Calls are made in the name of the current execution.
 */
final class CoordinatorDriver {
  static final long START_MICROS = 1_000_000;
  static final CoordinatorOptions OPTIONS =
      new CoordinatorOptions(
              10_000_000, 2_000_000, 1_000_000, 2_000, 0, ReexecutionPolicy.upTo(100))
          .withDecidedReads();

  final Coordinator coordinator;
  final EffectRecorder out = new EffectRecorder();
  long nowMicros = START_MICROS;

  /** One partition of three replicas. */
  CoordinatorDriver() {
    this(new Topology(1, 0));
  }

  CoordinatorDriver(Topology topology) {
    this(topology, OPTIONS);
  }

  CoordinatorDriver(CoordinatorOptions options) {
    this(new Topology(1, 0), options);
  }

  CoordinatorDriver(Topology topology, CoordinatorOptions options) {
    this(AttemptSpec.first(100, 100), topology, options);
  }

  CoordinatorDriver(AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
    coordinator = new Coordinator(attempt, topology, options, CoordinatorRules.SOUND);
  }

  /** With the deadline and the resend timer armed already, which every first call does. */
  static CoordinatorDriver begun(Topology topology, CoordinatorOptions options) {
    CoordinatorDriver driver = new CoordinatorDriver(topology, options);
    List<String> first = driver.yield();
    if (first.size() != 2) {
      throw new AssertionError(first);
    }
    return driver;
  }

  static CoordinatorDriver begun(Topology topology) {
    return begun(topology, OPTIONS);
  }

  static CoordinatorDriver begun() {
    return begun(new Topology(1, 0), OPTIONS);
  }

  TxnId txn() {
    return coordinator.txn();
  }

  List<String> step(Event event) {
    coordinator.step(nowMicros, event, out);
    return Show.effects(out.take());
  }

  // ---- the application ----------------------------------------------------------------------

  List<String> get(String... keys) {
    return get(Stream.of(keys).map(Key::of).toArray(Key[]::new));
  }

  List<String> get(Key... keys) {
    return step(new Event.CallGet(coordinator.execution(), List.of(keys)));
  }

  /** Scans from one key to before another, "" for no end. */
  List<String> scan(String from, String to, int limit) {
    return step(new Event.CallScan(coordinator.execution(), range(from, to), limit));
  }

  List<String> put(String key, String value) {
    return put(key(key), Value.of(value));
  }

  List<String> put(Key key, Value value) {
    return step(new Event.CallPut(coordinator.execution(), key, value));
  }

  List<String> yield() {
    return step(new Event.CallYield(coordinator.execution()));
  }

  List<String> commit() {
    return step(new Event.CallCommit(coordinator.execution()));
  }

  List<String> abort() {
    return step(new Event.CallAbort(coordinator.execution()));
  }

  List<String> commitReads() {
    return step(new Event.CallCommitReads(coordinator.execution()));
  }

  /** Reads a key of partition 0 that the closest replica answers at once. */
  void read(int request, VersionedValue seen) {
    get(seen.key());
    got(0, request, 1, seen);
  }

  // ---- the network --------------------------------------------------------------------------

  List<String> receive(ReplicaId from, Message message) {
    return step(new Event.Received(from, message));
  }

  List<String> got(int replica, int request, int sequence, VersionedValue seen) {
    return receive(
        new ReplicaId(0, replica),
        new Message.GetReply(
            txn(), request, sequence, seen.version(), seen.value(), seen.settled()));
  }

  /**
   * An answer to a scan of partition 0.
   *
   * @param next where it ends, "" when it is complete
   */
  List<String> scanned(int replica, int request, String next, VersionedValue... rows) {
    return scanned(new ReplicaId(0, replica), request, next, rows);
  }

  List<String> scanned(ReplicaId from, int request, String next, VersionedValue... rows) {
    return receive(
        from,
        new Message.ScanReply(txn(), request, List.of(rows), next.isEmpty() ? null : key(next)));
  }

  List<String> pushedRow(int request, int sequence, VersionedValue row) {
    return receive(new ReplicaId(0, 0), new Message.PushRow(txn(), request, sequence, row));
  }

  List<String> pushed(int request, int sequence, VersionedValue seen) {
    return receive(
        new ReplicaId(0, 0),
        new Message.Push(txn(), request, sequence, seen.version(), seen.value(), seen.settled()));
  }

  /** Another transaction of the client has asked for votes on a write. */
  List<String> forwarded(String key, WriteId version, String value) {
    return step(new Event.Forwarded(key(key), version, Value.of(value)));
  }

  /** It has withdrawn the write. */
  List<String> withdrawn(String key, WriteId version) {
    return step(new Event.Forwarded(key(key), version, null));
  }

  List<String> vote(int partition, int replica, int execution, Vote vote) {
    return answer(partition, replica, execution, new PrepareAnswer.Voted(vote));
  }

  /** Votes of replicas of partition 0 on the current execution, all effects together. */
  List<String> votes(Vote... votes) {
    List<String> effects = new ArrayList<>();
    int execution = coordinator.execution();
    for (int replica = 0; replica < votes.length; replica++) {
      effects.addAll(vote(0, replica, execution, votes[replica]));
    }
    return effects;
  }

  List<String> answer(int partition, int replica, int execution, PrepareAnswer answer) {
    return receive(
        new ReplicaId(partition, replica),
        new Message.PrepareReply(new ExecutionId(txn(), execution), answer));
  }

  List<String> accept(int replica) {
    return accept(0, replica);
  }

  List<String> accept(int partition, int replica) {
    return receive(
        new ReplicaId(partition, replica),
        new Message.FinalizeReply(txn(), View.CLIENT, new FinalizeAnswer.Accepted()));
  }

  List<String> decided(int replica, Outcome outcome) {
    return receive(new ReplicaId(0, replica), new Message.Decide(txn(), outcome));
  }

  List<String> refused(int replica, Message.Refusal reason) {
    return receive(new ReplicaId(0, replica), new Message.Refused(txn(), reason, START_MICROS / 2));
  }

  List<String> fires(Timer timer) {
    return step(new Event.TimerFired(timer));
  }

  List<String> batchEnds() {
    return step(new Event.BatchEnded());
  }

  List<String> firesAfter(long micros, Timer timer) {
    nowMicros += micros;
    return fires(timer);
  }

  /** The rare branches taken since the last call. */
  List<Probe.Branch> marks() {
    return out.takeProbes().stream()
        .filter(Probe.Mark.class::isInstance)
        .map(probe -> ((Probe.Mark) probe).branch())
        .toList();
  }
}
