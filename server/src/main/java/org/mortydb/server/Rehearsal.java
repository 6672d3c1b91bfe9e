package org.mortydb.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.RowLimits;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.wire.FrameDecoder;
import org.mortydb.wire.FrameEncoder;
import org.mortydb.wire.MalformedFrameException;
import org.mortydb.wire.StoredRecordEncoder;
import org.mortydb.wire.WireFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs made-up transactions within this process, on replicas of their own, in a virtual time. A
 * server without replicas does so when it starts: when it is given its first replica and clients
 * come at once, the JVM has then loaded and compiled the code that serves them. Without it, the
 * three servers of a new partition may stand still for seconds, all at the same time.
 *
 * <p>A rehearsal has no part in the cluster: it sends nothing, stores nothing, and keeps nothing.
 */
final class Rehearsal {
  private static final Logger log = LoggerFactory.getLogger(Rehearsal.class);

  /**
   * After so many transactions, all that they run is compiled. More would bring more of it through
   * the second compiler, and cost processor time that a server which joins at once needs itself.
   */
  private static final int TRANSACTIONS = 5_000;

  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final int KEYS = 1_000;
  private static final int HOT_KEYS = 8;
  private static final int VALUE_BYTES = 100;
  private static final long CLIENT = 1;
  private static final long BEGIN_MICROS = 1_000_000_000;

  /** A transaction begins each millisecond, and lasts for several of them: so some conflict. */
  private static final long PACE_MICROS = 1_000;

  private static final long MIN_DELAY_MICROS = 500;
  private static final long MAX_DELAY_MICROS = 2_000;

  /**
   * Short times: so rounds of truncation and pruning have their part, and the replicas stay small.
   */
  private static final ReplicaOptions OPTIONS =
      new ReplicaOptions(100_000, 500_000, 20_000, 100_000, 64)
          .withRows(new RowLimits(RowLimits.DEFAULTS.warmKeys(), 1 << 16));

  /** One for each process is enough, and one is too many once a replica has served. */
  private static final AtomicBoolean begun = new AtomicBoolean();

  /** Whether the rehearsal of this process has to end. */
  private static final AtomicBoolean over = new AtomicBoolean();

  private record Task(long atMicros, long number, Runnable action) implements Comparable<Task> {
    @Override
    public int compareTo(Task other) {
      int byTime = Long.compare(atMicros, other.atMicros);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final TransactionSystem system;
  private final Topology topology = new Topology(1, 0);
  private final FrameEncoder encoder;
  private final FrameDecoder decoder;
  private final StoredRecordEncoder records = new StoredRecordEncoder();
  private final SplittableRandom random = new SplittableRandom(1);
  private final PriorityQueue<Task> tasks = new PriorityQueue<>();
  private final List<Actor> actors = new ArrayList<>();
  private final Map<Long, Attempt> attempts = new HashMap<>();
  private long nowMicros = BEGIN_MICROS;
  private long scheduled;
  private int committed;
  private int ended;
  private int reexecuted;

  Rehearsal(TransactionSystem system) {
    this.system = system;
    WireFormat format = new WireFormat(system);
    this.encoder = new FrameEncoder(format);
    this.decoder = new FrameDecoder(format);
    for (int index = 0; index < topology.replicas(); index++) {
      actors.add(new Actor(new ReplicaId(0, index)));
    }
  }

  /**
   * Rehearses in a thread of its own, unless this process has done so, or has no need to. It lasts
   * for a few seconds of processor time, and ends early with {@link #end}.
   *
   * @return completes when the rehearsal has ended in any way, at once if there is none
   */
  static CompletableFuture<Void> begin(String server, TransactionSystem system) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    if (begun.compareAndSet(false, true)) {
      Thread.ofPlatform()
          .name("morty-rehearsal")
          .daemon()
          .priority(Thread.MIN_PRIORITY)
          .start(
              () -> {
                try {
                  rehearse(server, system);
                } finally {
                  ended.complete(null);
                }
              });
    } else {
      ended.complete(null);
    }
    return ended;
  }

  /** This process has a replica: whatever comes now is real. */
  static void end() {
    begun.set(true);
    over.set(true);
  }

  private static void rehearse(String server, TransactionSystem system) {
    long beginNanos = System.nanoTime();
    try {
      Rehearsal rehearsal = new Rehearsal(system);
      rehearsal.run(TRANSACTIONS, beginNanos + MAX_NANOS, over);
      log.info(
          "server '{}' has rehearsed with {} made-up transactions for {} ms, to be quick from the first real one on",
          server,
          rehearsal.committed(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNanos));
    } catch (RuntimeException e) {
      log.warn("the rehearsal of server '{}' failed; only its first second is slower", server, e);
    }
  }

  /** How many made-up transactions have committed. */
  int committed() {
    return committed;
  }

  /** How many executions of made-up transactions were not the first one. */
  int reexecuted() {
    return reexecuted;
  }

  /** How many made-up replicas serve. */
  int serving() {
    return (int) actors.stream().filter(Actor::isServing).count();
  }

  /**
   * Runs transactions. Halfway, a replica loses what it knows and joins again.
   *
   * @param deadlineNanos when it ends in any case, on the scale of {@link System#nanoTime}
   * @param stopped ends it early
   */
  void run(int transactions, long deadlineNanos, AtomicBoolean stopped) {
    for (Actor actor : actors) {
      later(0, () -> actor.step(new Event.TimerFired(Timer.TICK)));
    }
    for (int i = 0; i < transactions; i++) {
      later(i * PACE_MICROS, () -> new Attempt().begin());
    }
    later(transactions / 2 * PACE_MICROS, () -> actors.getLast().loseAll());
    while (ended < transactions && !stopped.get()) {
      Task next = tasks.poll();
      if (next == null || System.nanoTime() - deadlineNanos > 0) {
        return;
      }
      nowMicros = next.atMicros();
      next.action().run();
    }
  }

  private void later(long delayMicros, Runnable action) {
    tasks.add(new Task(nowMicros + delayMicros, scheduled++, action));
  }

  /** Sends a message to a machine: it is encoded, takes a while, and is decoded. */
  private void send(Endpoint from, Endpoint to, Message message) {
    if (!encoder.add(from, to, message)) {
      return; // too long for a frame
    }
    ByteBuf frame = Unpooled.buffer(encoder.size());
    encoder.drainTo(frame);
    later(
        random.nextLong(MIN_DELAY_MICROS, MAX_DELAY_MICROS),
        () -> {
          int length = frame.readInt();
          try {
            decoder.decode(frame, length, this::deliver);
          } catch (MalformedFrameException e) {
            throw new IllegalStateException("a message of this process is malformed", e);
          }
        });
  }

  private void deliver(Endpoint from, Endpoint to, Message message) {
    Event received = new Event.Received(from, message);
    if (to instanceof ReplicaId(int partition, int index)) {
      actors.get(index).step(received);
    } else {
      Attempt attempt = attempts.get(message.txn().timeMicros());
      if (attempt != null) {
        attempt.step(received);
      }
    }
  }

  private static Key key(long number) {
    return Key.of("rehearsal/" + number);
  }

  /** What replicas and coordinators need of their host alike. */
  private abstract class Host implements Effects {
    private final EnumMap<Timer, Long> timers = new EnumMap<>(Timer.class);

    abstract Endpoint self();

    abstract void step(Event event);

    @Override
    public final void send(Endpoint to, Message message) {
      Rehearsal.this.send(self(), to, message);
    }

    @Override
    public final void broadcast(int partition, Message message) {
      for (int index = 0; index < topology.replicas(); index++) {
        send(new ReplicaId(partition, index), message);
      }
    }

    @Override
    public final void armTimer(Timer timer, long delayMicros) {
      long number = scheduled;
      timers.put(timer, number);
      later(
          delayMicros,
          () -> {
            if (timers.remove(timer, number)) {
              step(new Event.TimerFired(timer));
            }
          });
    }

    @Override
    public final void cancelTimer(Timer timer) {
      timers.remove(timer);
    }
  }

  private final class Actor extends Host {
    private final ReplicaId self;
    private StateMachine<Effects> machine;

    Actor(ReplicaId self) {
      this.self = self;
      this.machine = system.replica(self, topology, OPTIONS);
    }

    boolean isServing() {
      return !(machine instanceof Replica member) || member.isServing();
    }

    /** Like a restart without a disk. */
    void loseAll() {
      machine = system.replica(self, topology, OPTIONS);
      if (machine instanceof Replica member) {
        member.join(nowMicros, false);
      }
      step(new Event.TimerFired(Timer.TICK));
    }

    @Override
    Endpoint self() {
      return self;
    }

    @Override
    void step(Event event) {
      machine.step(nowMicros, event, this);
    }

    @Override
    public void append(LogRecord logged) {
      records.encode(self, logged);
    }
  }

  /**
   * A transaction that reads two keys, scans a few, and writes the two. Few keys are hot, so some
   * transactions execute again in part.
   */
  private final class Attempt extends Host implements CoordinatorEffects {
    private final long timeMicros = nowMicros;
    private final List<Key> keys = List.of(key(draw()), key(KEYS + draw()));
    private final boolean scans = system.scans() && random.nextInt(10) == 0;
    private final CoordinatorMachine machine =
        system.coordinator(
            AttemptSpec.first(timeMicros, CLIENT), topology, CoordinatorOptions.DEFAULTS);
    private @Nullable Runnable pending;

    private long draw() {
      return random.nextInt(random.nextInt(4) == 0 ? HOT_KEYS : KEYS);
    }

    void begin() {
      attempts.put(timeMicros, this);
      step(new Event.CallGet(0, keys));
      step(new Event.CallYield(0));
    }

    @Override
    Endpoint self() {
      return new ClientId(CLIENT);
    }

    @Override
    void step(Event event) {
      machine.step(nowMicros, event, this);
      Runnable next = pending;
      if (next != null) {
        pending = null;
        next.run();
      }
    }

    @Override
    public void resume(int execution, int operation, List<Value> values) {
      pending = () -> afterReads(execution);
    }

    private void afterReads(int execution) {
      if (scans) {
        step(new Event.CallScan(execution, new KeyRange(keys.getFirst(), null), 10));
        step(new Event.CallYield(execution));
      } else {
        write(execution);
      }
    }

    @Override
    public void resumeScan(int execution, int operation, List<Row> rows) {
      pending = () -> write(execution);
    }

    private void write(int execution) {
      byte[] bytes = new byte[VALUE_BYTES];
      bytes[0] = (byte) execution;
      for (Key key : keys) {
        step(new Event.CallPut(execution, key, Value.wrap(bytes)));
      }
      step(new Event.CallCommit(execution));
      step(new Event.CallYield(execution));
    }

    @Override
    public void awaitBatchEnd() {
      later(0, () -> step(new Event.BatchEnded()));
    }

    @Override
    public void complete(Completion completion) {
      ended++;
      reexecuted += machine.reexecutions();
      committed += completion instanceof Completion.Committed ? 1 : 0;
    }

    @Override
    public void retire() {
      attempts.remove(timeMicros);
    }
  }
}
