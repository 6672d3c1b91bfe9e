package org.mortydb.server;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.CheckpointSchedule;
import org.mortydb.protocol.log.CheckpointSchedule.Mark;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.storage.CheckpointInfo;
import org.mortydb.storage.CheckpointWriter;
import org.mortydb.storage.Storage;
import org.mortydb.wire.StoredRecordEncoder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a checkpoint of all partitions when the log has grown long. A checkpoint has the committed
 * versions, and the records older than the remaining log. So replay begins some time before the
 * checkpoint began. Each event loop copies its partitions in short turns.
 *
 * <p>A server that finds a long log at its start writes a complete checkpoint at once. It may not
 * run until the next checkpoint, and every start would replay the growing log.
 */
final class Checkpointer {
  private static final Logger log = LoggerFactory.getLogger(Checkpointer.class);

  /** How many keys are copied between two looks at the clock. */
  private static final int SLOTS_PER_LOOK = 16;

  /** How long an event loop copies at a time. */
  private static final long TURN_NANOS = 200_000;

  /**
   * How long an event loop pauses between two turns. Tasks without a delay run before the network's
   * messages, so without a pause the turns would follow each other.
   */
  private static final long PAUSE_MILLIS = 1;

  private final Storage storage;
  private final List<PartitionHost> hosts;
  private final EventLoop loop;
  private final CheckpointSchedule schedule;
  private final StorageObserver observer;

  /** Replicas of new partitions that have ended, while their records are still in the log. */
  private final List<Ended> ended = new CopyOnWriteArrayList<>();

  private volatile boolean running;
  private volatile long lastBytes;
  private volatile int lastMark;
  private long beganNanos;
  private @Nullable ScheduledFuture<?> everySecond;

  /**
   * @param hosts all replicas of the server; more may be added
   * @param loop where the checkpointer runs
   * @param logBytes how long the log may grow
   * @param retentionMicros how long replicas keep decided transactions
   * @param observer learns how long checkpoints take
   */
  Checkpointer(
      Storage storage,
      List<PartitionHost> hosts,
      EventLoop loop,
      long logBytes,
      long retentionMicros,
      StorageObserver observer) {
    this.observer = observer;
    this.storage = storage;
    this.hosts = hosts;
    this.loop = loop;
    this.schedule = new CheckpointSchedule(logBytes, 2 * retentionMicros);
  }

  void start() {
    everySecond = loop.scheduleAtFixedRate(this::onSecond, 0, 1, TimeUnit.SECONDS);
  }

  void stop() {
    if (everySecond != null) {
      everySecond.cancel(false);
    }
  }

  /** Whether a checkpoint is being written. For any thread. */
  boolean isRunning() {
    return running;
  }

  /** Returns the length of the last complete checkpoint; 0 without one. For any thread. */
  long lastBytes() {
    return lastBytes;
  }

  /**
   * A replica that has ended.
   *
   * @param origin its first record: without it, a restart could not read the others
   * @param position where its last record is in the log, or above
   */
  private record Ended(ReplicaId replica, LogRecord origin, long position) {}

  /** A replica has ended, and appends nothing any more. For any thread. */
  void ended(ReplicaId replica, LogRecord origin) {
    ended.add(new Ended(replica, origin, storage.log().position()));
  }

  /** The number of the last mark. For any thread. */
  int lastMark() {
    return lastMark;
  }

  // ---- on the loop of the checkpointer ------------------------------------------------------

  private void onSecond() {
    Mark taken =
        schedule.take(TimeUnit.NANOSECONDS.toMicros(System.nanoTime()), storage.log().position());
    // A replica that is added now sees either this number or the loop below.
    lastMark = taken.number();
    for (PartitionHost host : hosts) {
      host.loopHost().loop().execute(() -> host.mark(taken.number()));
    }
    if (running) {
      return;
    }
    Mark kept = schedule.due(storage.checkpointPosition());
    if (kept != null) {
      begin(kept);
    }
  }

  /** Begins a checkpoint that keeps the log after a mark. */
  private void begin(Mark kept) {
    running = true;
    beganNanos = System.nanoTime();
    CheckpointWriter writer;
    try {
      writer = storage.beginCheckpoint(kept.position());
    } catch (RuntimeException | Error e) {
      onEnd(null, e); // there may be no memory for buffers now; the next second tries again
      return;
    }
    // All that a replica logs that is added from now on is after the mark.
    List<PartitionHost> present = List.copyOf(hosts);
    ended.removeIf(one -> one.position <= kept.position());
    AtomicInteger left = new AtomicInteger(present.size() + 1);
    loop.execute(new Origins(new ArrayDeque<>(ended), writer, loop, left));
    for (PartitionHost host : present) {
      host.loopHost().loop().execute(new Copy(host, writer, kept.number(), left));
    }
    var unused =
        writer.result().whenComplete((info, failure) -> loop.execute(() -> onEnd(info, failure)));
  }

  private void onEnd(@Nullable CheckpointInfo info, @Nullable Throwable failure) {
    running = false;
    observer.checkpointed(info != null, System.nanoTime() - beganNanos);
    if (info != null) {
      lastBytes = info.bytes();
      log.debug("{}", info);
    } else if (failure != null) {
      log.warn("{}: {}", storage.path(), failure.getMessage());
    }
  }

  private static void endOne(AtomicInteger left, CheckpointWriter writer) {
    if (left.decrementAndGet() == 0) {
      var unused = writer.finish();
    }
  }

  /** Gives the checkpoint up if a step fails: nothing else would go on with it. */
  private static void orGiveUp(CheckpointWriter writer, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      log.error("a checkpoint is given up", e);
      writer.abandon();
    }
  }

  /** Copies the first records of replicas that have ended. */
  private record Origins(
      ArrayDeque<Ended> waiting, CheckpointWriter writer, EventLoop loop, AtomicInteger left)
      implements Runnable {
    @Override
    public void run() {
      orGiveUp(writer, this::copy);
    }

    private void copy() {
      if (writer.result().isDone()) {
        return;
      }
      StoredRecordEncoder encoder = new StoredRecordEncoder();
      for (Ended next = waiting.peek(); next != null; next = waiting.peek()) {
        if (!writer.offer(ServerStorage.REPLICA, encoder.encode(next.replica, next.origin))) {
          var unused = loop.schedule(this, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
          return;
        }
        waiting.remove();
      }
      endOne(left, writer);
    }
  }

  /** Copies one partition, on its event loop. */
  private static final class Copy implements Runnable {
    private final PartitionHost host;
    private final CheckpointWriter writer;
    private final int mark;
    private final AtomicInteger left;
    private final StoredRecordEncoder encoder = new StoredRecordEncoder();
    private final ArrayDeque<LogRecord> waiting = new ArrayDeque<>();
    private int slot;
    private boolean begun;

    Copy(PartitionHost host, CheckpointWriter writer, int mark, AtomicInteger left) {
      this.host = host;
      this.writer = writer;
      this.mark = mark;
      this.left = left;
    }

    @Override
    public void run() {
      orGiveUp(writer, this::copy);
    }

    private void copy() {
      if (host.isStopped()) {
        // The state of a stopped replica may be incomplete.
        writer.abandon();
        return;
      }
      if (writer.result().isDone()) {
        return;
      }
      if (waiting.isEmpty() && slot < 0) {
        endOne(left, writer);
        return;
      }
      long startNanos = System.nanoTime();
      while (offerWaiting() && slot >= 0 && System.nanoTime() - startNanos < TURN_NANOS) {
        copyMore(host.require());
      }
      EventLoop own = host.loopHost().loop();
      var unused = own.schedule(this, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void copyMore(Replica replica) {
      if (!begun) {
        begun = true;
        replica.copyRecords(mark, waiting::add);
      }
      slot = replica.copyVersions(slot, SLOTS_PER_LOOK, waiting::add);
    }

    /** Returns whether the writer took everything. */
    private boolean offerWaiting() {
      for (LogRecord next = waiting.peek(); next != null; next = waiting.peek()) {
        if (!writer.offer(ServerStorage.REPLICA, encoder.encode(host.replica(), next))) {
          return false;
        }
        waiting.remove();
      }
      return true;
    }
  }
}
