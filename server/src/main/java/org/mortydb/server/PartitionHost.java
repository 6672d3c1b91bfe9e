package org.mortydb.server;

import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.replica.RefusedFence;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.server.status.ReplicaStatus;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.storage.Log;
import org.mortydb.storage.LogStoppedException;
import org.mortydb.wire.StoredRecordEncoder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the state machine of one replica and carries out its effects. Everything happens on the
 * event loop of its {@link LoopHost}.
 */
final class PartitionHost implements Effects {
  /** How many messages may wait for the log before requests are dropped, and sent again. */
  private static final int MOST_HELD = 64 * 1024;

  private static final Logger log = LoggerFactory.getLogger(PartitionHost.class);

  /**
   * A message that waits until the log is durable up to a position.
   *
   * @param to the receiver; null for all replicas of the partition
   * @param sinceNanos since when it waits; 0 if nothing observes storage
   */
  private record Held(
      long position, @Nullable Endpoint to, int partition, Message message, long sinceNanos) {}

  private final ReplicaId replica;
  private final StateMachine<Effects> machine;
  private final LoopHost loopHost;
  private final @Nullable MachineObserver observer;
  private final StorageObserver storage;
  private final EnumMap<Timer, ScheduledFuture<?>> timers = new EnumMap<>(Timer.class);
  private final StoredRecordEncoder encoder = new StoredRecordEncoder();

  /** The messages that wait for the log, in the order of sending. */
  private final ArrayDeque<Held> held = new ArrayDeque<>();

  /** The messages that wait until their records are written, in the order of sending. */
  private final ArrayDeque<Held> heldForWrite = new ArrayDeque<>();

  /** The log; null without storage. */
  private @Nullable Log wal;

  /** The position after the latest record of the replica. */
  private long appended;

  /** The time of the current step. */
  private long nowMicros;

  /** The maps that the replica knew after the last step; null before the first. */
  private @Nullable MapHistory maps;

  /** Up to where the log must be forced before the replica handles an event. */
  private long beginsAt;

  private boolean begun = true;
  private boolean holding;
  private boolean holdingForWrite;
  private boolean stopped;
  private long recovered;
  private long contradictions;

  /** Written only on the event loop. */
  private volatile boolean serving;

  private volatile boolean arriving;

  private volatile ReplicaStatus status;

  private Runnable whenServing = () -> {};

  /**
   * Creates a host without storage.
   *
   * @param observer observes the machine; null for none
   * @param storage learns how long messages wait for the log
   */
  PartitionHost(
      ReplicaId replica,
      StateMachine<Effects> machine,
      LoopHost loopHost,
      @Nullable MachineObserver observer,
      StorageObserver storage) {
    this.replica = replica;
    this.machine = machine;
    this.loopHost = loopHost;
    this.observer = observer;
    this.storage = storage;
    this.status = new ReplicaStatus(replica, false, false, 0, 0, 0, 0, 0, 0, 0, -1, -1);
  }

  ReplicaId replica() {
    return replica;
  }

  LoopHost loopHost() {
    return loopHost;
  }

  // ---- storage ------------------------------------------------------------------------------

  /** Restores a record of an earlier run. Call it before the first event. */
  void restore(LogRecord logged) {
    require().restore(loopHost.nowMicros(), logged);
  }

  /** Sends the records of the machine to a log from now on. Call it before the first event. */
  void storeIn(Log log) {
    wal = log;
  }

  /**
   * Begins a replica of a new partition, once its first record is forced to the disk, also with
   * {@code durability = async}: until then it handles no event. If a loss of power could take that
   * record, the server would not know afterwards that the replica may have promised something. It
   * would found the partition once more, instead of joining in doubt.
   */
  void begin(LogRecord first) {
    if (wal == null) {
      loopHost.run(this, new Event.TimerFired(Timer.TICK));
      return;
    }
    begun = false;
    loopHost.awaitForced();
    append(first);
    beginsAt = appended;
  }

  /** The log was forced: the replica begins if it has waited for that. */
  void onForced() {
    Log log = wal;
    if (!begun && log != null && log.forcedPosition() >= beginsAt) {
      begun = true;
      loopHost.run(this, new Event.TimerFired(Timer.TICK));
    }
  }

  /** Whether the replica no longer waits for its first record to be forced. */
  boolean hasBegun() {
    return begun || stopped;
  }

  /** Tells the machine that the log was marked; see {@link Replica#mark}. */
  void mark(int number) {
    if (!stopped) {
      require().mark(number);
    }
  }

  /** Lets a replica that may have lost promises join. Call it before the first event. */
  void joinUnlessWhole(long incarnation, boolean doubtful) {
    if (machine instanceof Replica member && (doubtful || !member.isWhole())) {
      member.join(incarnation, doubtful);
    }
  }

  /** Sets an action for when the machine serves. Call it before the first event. */
  void whenServing(Runnable action) {
    whenServing = action;
  }

  /** Whether the machine serves, or has ended and need not serve. For any thread. */
  boolean isServing() {
    return serving;
  }

  private void noteServing() {
    if (!serving
        && !(machine instanceof Replica member && !member.isServing() && !member.hasEnded())) {
      serving = true;
      whenServing.run();
    }
  }

  private void noteMaps() {
    // Mostly the same object: the comparison is short.
    if (machine instanceof Replica member && !member.maps().equals(maps)) {
      maps = member.maps();
      loopHost.learn(member.maps());
    }
  }

  /** The first record of a replica of a new partition; null for others. */
  @Nullable LogRecord origin() {
    return machine instanceof Replica member ? member.origin() : null;
  }

  /** Tells which maps the replica has restored. Call it before the first event. */
  void tellMaps(ServerMaps to) {
    if (machine instanceof Replica member) {
      to.learn(member.maps().maps(), member.maps().closed());
    }
  }

  /** Whether the replica knows these maps, or is of a system that has none. */
  boolean knows(MapHistory told) {
    return !(machine instanceof Replica member)
        || (member.maps().last().number() >= told.last().number()
            && member.maps().closed() >= told.closed());
  }

  /** Whether the replica is of a new partition that its keys have not reached yet. */
  boolean isArriving() {
    return arriving && !serving;
  }

  /** All records are restored. */
  void noteRestored() {
    if (machine instanceof Replica member && member.isWhole()) {
      arriving = false;
    }
  }

  /** The replica is of a new partition, and starts without memory. */
  void arrives() {
    arriving = true;
  }

  /** Returns the status as of the last look, but whether it serves as of now. For any thread. */
  ReplicaStatus status() {
    ReplicaStatus looked = status;
    return looked.withServing(serving);
  }

  /** Updates the status. */
  void look() {
    status =
        machine instanceof Replica member
            ? of(member, member.census())
            : new ReplicaStatus(replica, serving, stopped, 0, 0, 0, 0, held.size(), 0, 0, -1, -1);
  }

  private ReplicaStatus of(Replica member, Replica.Census census) {
    RefusedFence refused = census.refusedFence();
    if (refused != null && refused.count() > status.refusedFences()) {
      log.warn(
          "replica {} has refused {} fences because of the clocks; the last is of {}, off by {} s:"
              + " synchronize the clocks of the servers (chrony or ntpd)",
          replica,
          refused.count(),
          refused.from(),
          refused.aheadMicros() / 1e6);
    }
    return new ReplicaStatus(
        replica,
        member.isServing(),
        stopped,
        census.keys(),
        census.transactions(),
        census.watermarkMicros(),
        census.fenceMicros(),
        held.size(),
        member.recovered(),
        refused == null ? 0 : refused.count(),
        census.copied(),
        census.bytesLeft());
  }

  /** Returns the machine, which must be a replica of Morty. */
  Replica require() {
    if (machine instanceof Replica stored) {
      return stored;
    }
    throw new IllegalStateException("a " + machine.getClass().getSimpleName() + " is not stored");
  }

  boolean isStopped() {
    return stopped;
  }

  @Override
  public void append(LogRecord logged) {
    if (wal != null) {
      appended = wal.appendMore(ServerStorage.REPLICA, encoder.encode(replica, logged));
      loopHost.flushLater(wal);
    }
  }

  @Override
  public void holdUntilDurable() {
    holding = wal != null && wal.keptPosition() < appended;
  }

  @Override
  public void holdUntilWritten() {
    Log log = wal;
    if (log != null) {
      loopHost.awaitWritten();
      holdingForWrite = log.writtenPosition() < appended;
    }
  }

  /** Sends the messages that waited for log positions that are written or durable now. */
  void release() {
    long written = wal == null ? Long.MAX_VALUE : wal.writtenPosition();
    while (!heldForWrite.isEmpty() && heldForWrite.getFirst().position <= written) {
      Held next = heldForWrite.removeFirst();
      long nowMicros = observer == null ? 0 : loopHost.nowMicros();
      if (next.to == null) {
        leave(next.partition, next.message, nowMicros);
      } else {
        leave(next.to, next.message, nowMicros);
      }
    }
    long kept = wal == null ? Long.MAX_VALUE : wal.keptPosition();
    long atMicros = observer == null ? 0 : loopHost.nowMicros();
    for (Held next = held.peek(); next != null && next.position <= kept; next = held.peek()) {
      held.remove();
      if (storage.isObserving()) {
        storage.held(System.nanoTime() - next.sinceNanos);
      }
      if (next.to == null) {
        leave(next.partition, next.message, atMicros);
      } else {
        leave(next.to, next.message, atMicros);
      }
    }
  }

  // ---- steps --------------------------------------------------------------------------------

  /** Lets the machine handle an event. Only the loop host calls it, never during a step. */
  void step(Event event) {
    if (stopped) {
      loopHost.counters().toStopped.increment();
      return;
    }
    if (!begun) {
      return; // as if the message were lost
    }
    if (event instanceof Event.Received && isCongested()) {
      // The disk cannot keep up. The sender sends the message again.
      loopHost.counters().logCongested.increment();
      return;
    }
    holding = false;
    holdingForWrite = false;
    nowMicros = loopHost.nowMicros();
    if (observer != null && event instanceof Event.Received(Endpoint from, Message message)) {
      observer.received(replica, from, message, nowMicros);
    }
    try {
      machine.step(nowMicros, event, this);
      noteServing();
      noteMaps();
      if (event instanceof Event.TimerFired) {
        count();
      }
    } catch (LogStoppedException e) {
      loopHost.counters().stoppedPartitions.increment();
      log.atError()
          .addKeyValue(TransactionLog.REPLICA, replica)
          .addArgument(replica)
          .addArgument(e.getMessage())
          .log("replica {} is stopped, because it cannot write to the log: {}");
      stop();
    } catch (RuntimeException | Error e) {
      // Also without memory: the state may have changed, and the log not.
      stop();
      loopHost.counters().stoppedPartitions.increment();
      TransactionLog.concerning(log.atError(), event)
          .addKeyValue(TransactionLog.REPLICA, replica)
          .setCause(e)
          .addArgument(replica)
          .addArgument(described(event))
          .log(
              "an invariant of replica {} is broken: it stopped while it handled {}. Keep this log,"
                  + " and restart the server");
    }
  }

  /** Whether the disk cannot keep up: with the log, or with the messages that wait for it. */
  private boolean isCongested() {
    return wal != null && (wal.isCongested() || held.size() >= MOST_HELD);
  }

  private void count() {
    if (machine instanceof Replica member && member.recovered() != recovered) {
      loopHost.counters().recovered.add(member.recovered() - recovered);
      recovered = member.recovered();
    }
    if (machine instanceof Replica member && member.contradictions() != contradictions) {
      loopHost.counters().contradictions.add(member.contradictions() - contradictions);
      contradictions = member.contradictions();
      loopHost.warnOfContradictions(replica, contradictions);
    }
  }

  private static String described(Event event) {
    return switch (event) {
      case Event.Received(Endpoint from, Message message) ->
          message.getClass().getSimpleName() + " of " + message.txn() + " from " + from;
      case Event.TimerFired(Timer timer) -> "timer " + timer;
      case Event.BatchEnded ended -> ended.toString();
      case Event.Forwarded forwarded -> forwarded.toString();
      case Event.Renumber renumber -> renumber.toString();
      case Event.Unreachable unreachable -> unreachable.toString();
      case Event.Call call -> call.toString();
    };
  }

  /** Stops: the host ignores all further events. */
  void stop() {
    stopped = true;
    held.clear();
    heldForWrite.clear();
    for (Timer timer : Timer.values()) {
      cancelTimer(timer);
    }
  }

  // ---- effects ------------------------------------------------------------------------------

  @Override
  public void send(Endpoint to, Message message) {
    if (holding || holdingForWrite) {
      hold(to, replica.partition(), message);
      return;
    }
    leave(to, message, nowMicros);
  }

  private void leave(Endpoint to, Message message, long atMicros) {
    if (observer != null) {
      observer.sent(replica, to, message, atMicros);
    }
    loopHost.send(replica, to, message);
  }

  @Override
  public void broadcast(int partition, Message message) {
    if (holding || holdingForWrite) {
      hold(null, partition, message);
      return;
    }
    leave(partition, message, nowMicros);
  }

  private void leave(int partition, Message message, long atMicros) {
    if (observer != null) {
      observer.broadcast(replica, partition, message, atMicros);
    }
    loopHost.broadcast(replica, partition, message);
  }

  private void hold(@Nullable Endpoint to, int partition, Message message) {
    long sinceNanos = storage.isObserving() ? System.nanoTime() : 0;
    (holding ? held : heldForWrite).add(new Held(appended, to, partition, message, sinceNanos));
  }

  @Override
  public boolean probing() {
    return observer != null;
  }

  @Override
  public void probe(Probe probe) {
    if (observer != null) {
      observer.probed(replica, probe, nowMicros);
    }
  }

  @Override
  public void armTimer(Timer timer, long delayMicros) {
    cancelTimer(timer);
    timers.put(
        timer, loopHost.loop().schedule(() -> onTimer(timer), delayMicros, TimeUnit.MICROSECONDS));
  }

  @Override
  public void cancelTimer(Timer timer) {
    ScheduledFuture<?> armed = timers.remove(timer);
    if (armed != null) {
      armed.cancel(false);
    }
  }

  private void onTimer(Timer timer) {
    timers.remove(timer);
    loopHost.run(this, new Event.TimerFired(timer));
  }
}
