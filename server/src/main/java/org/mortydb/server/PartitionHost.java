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
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.server.status.ReplicaStatus;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.storage.Log;
import org.mortydb.storage.LogFullException;
import org.mortydb.storage.LogStoppedException;
import org.mortydb.wire.StoredRecordEncoder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns one replica's machine and carries its effects out. Everything happens on the event loop of
 * its {@link LoopHost}.
 */
final class PartitionHost implements Effects {
  private static final Logger log = LoggerFactory.getLogger(PartitionHost.class);

  /**
   * A message that leaves when the log has kept what is before a position.
   *
   * @param to null: to all replicas of the partition
   * @param sinceNanos since when, if anybody wants to know
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

  /** What waits for the log, in the order in which it is to leave. */
  private final ArrayDeque<Held> held = new ArrayDeque<>();

  /** Null while nothing is stored. */
  private @Nullable Log wal;

  /** The position after the replica's latest record. */
  private long appended;

  /** The time of the step under way. */
  private long nowMicros;

  private boolean holding;
  private boolean stopped;
  private long recovered;

  /** Written on the event loop alone. */
  private volatile boolean serving;

  private volatile ReplicaStatus status;

  private Runnable whenServing = () -> {};

  /**
   * A host without storage.
   *
   * @param observer is told what the machine does; null for nobody
   * @param storage is told how long messages wait for the log
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
    this.status = new ReplicaStatus(replica, false, false, 0, 0, 0, 0, 0, 0);
  }

  ReplicaId replica() {
    return replica;
  }

  LoopHost loopHost() {
    return loopHost;
  }

  // ---- storage ------------------------------------------------------------------------------

  /** Takes a record of an earlier run; before the first event. */
  void restore(LogRecord logged) {
    require().restore(loopHost.nowMicros(), logged);
  }

  /** From now on the machine's records go to a log; before the first event. */
  void storeIn(Log log) {
    wal = log;
  }

  /** A replica that does not remember all that it promised has to join; before the first event. */
  void joinUnlessWhole(long incarnation, boolean doubtful) {
    if (machine instanceof Replica member && (doubtful || !member.isWhole())) {
      member.join(incarnation, doubtful);
    }
  }

  /** What to do once the machine serves, on its event loop; before the first event. */
  void whenServing(Runnable action) {
    whenServing = action;
  }

  /** Whether the machine serves. By any thread. */
  boolean isServing() {
    return serving;
  }

  private void noteServing() {
    if (!serving && !(machine instanceof Replica member && !member.isServing())) {
      serving = true;
      whenServing.run();
    }
  }

  /** How the replica is, as of the last look. By any thread. */
  ReplicaStatus status() {
    return status;
  }

  /** Notes how the replica is. */
  void look() {
    status =
        machine instanceof Replica member
            ? of(member, member.census())
            : new ReplicaStatus(replica, serving, stopped, 0, 0, 0, 0, held.size(), 0);
  }

  private ReplicaStatus of(Replica member, Replica.Census census) {
    return new ReplicaStatus(
        replica,
        member.isServing(),
        stopped,
        census.keys(),
        census.transactions(),
        census.watermarkMicros(),
        census.fenceMicros(),
        held.size(),
        member.recovered());
  }

  /** The machine, which must be a replica to be stored. */
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

  /** Lets those messages leave that have waited for what the log has kept now. */
  void release() {
    long kept = wal == null ? Long.MAX_VALUE : wal.keptPosition();
    long atMicros = observer == null ? 0 : loopHost.nowMicros(); // nobody else wants to know
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

  /** Lets the machine handle an event; called by the loop host alone, never within a step. */
  void step(Event event) {
    if (stopped) {
      loopHost.counters().toStopped.increment();
      return;
    }
    if (wal != null && wal.isCongested() && event instanceof Event.Received) {
      // Whoever sent it will send it again; the disk cannot keep up with more.
      loopHost.counters().logCongested.increment();
      return;
    }
    holding = false;
    nowMicros = loopHost.nowMicros();
    if (observer != null && event instanceof Event.Received(Endpoint from, Message message)) {
      observer.received(replica, from, message, nowMicros);
    }
    try {
      machine.step(nowMicros, event, this);
      noteServing();
      if (event instanceof Event.TimerFired) {
        countRecovered();
      }
    } catch (LogStoppedException | LogFullException e) {
      loopHost.counters().stoppedPartitions.increment();
      log.atError()
          .addKeyValue(TransactionLog.REPLICA, replica)
          .addArgument(replica)
          .addArgument(e.getMessage())
          .log("replica {} is stopped, it cannot store what it does: {}");
      stop();
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      loopHost.counters().stoppedPartitions.increment();
      TransactionLog.concerning(log.atError(), event)
          .addKeyValue(TransactionLog.REPLICA, replica)
          .setCause(e)
          .addArgument(replica)
          .addArgument(described(event))
          .log("an invariant of replica {} is broken, it is stopped; it was handling {}");
      stop();
    }
  }

  private void countRecovered() {
    if (machine instanceof Replica member && member.recovered() != recovered) {
      loopHost.counters().recovered.add(member.recovered() - recovered);
      recovered = member.recovered();
    }
  }

  private static String described(Event event) {
    return switch (event) {
      case Event.Received(Endpoint from, Message message) ->
          message.getClass().getSimpleName() + " of " + message.txn() + " from " + from;
      case Event.TimerFired(Timer timer) -> "timer " + timer;
      case Event.BatchEnded ended -> ended.toString();
      case Event.Call call -> call.toString();
    };
  }

  /** Takes no more events. */
  void stop() {
    stopped = true;
    held.clear();
    for (Timer timer : Timer.values()) {
      cancelTimer(timer);
    }
  }

  // ---- effects ------------------------------------------------------------------------------

  @Override
  public void send(Endpoint to, Message message) {
    if (holding) {
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
    if (holding) {
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
    held.add(new Held(appended, to, partition, message, sinceNanos));
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
