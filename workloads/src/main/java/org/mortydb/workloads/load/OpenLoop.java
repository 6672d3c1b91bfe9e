package org.mortydb.workloads.load;

import it.unimi.dsi.fastutil.longs.LongArrayFIFOQueue;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Transactions are due at a given rate, whether or not earlier ones have ended. A transaction that
 * finds all sessions busy waits for the next free session. Its latency counts from when it was due,
 * so a pause of the store shows in every transaction that it delays (no coordinated omission).
 */
final class OpenLoop implements Load {
  /** The most transactions that wait for a session. Further ones are turned away and counted. */
  static final int MAX_WAITING = 1_000_000;

  private final double meanGapNanos;
  private final Arrivals arrivals;
  private final RandomGenerator random;
  private final Consumer<Throwable> onFailure;
  private final Object lock = new Object();
  private final ArrayDeque<LoadSession> idle;
  private final LongArrayFIFOQueue waiting = new LongArrayFIFOQueue();
  private final LoadClock clock;
  private Runnable stopPacing = () -> {};
  private volatile boolean stopped;
  private int underWay;
  private long offered;
  private long turnedAway;
  private long neverBegun;

  /**
   * @param ratePerSecond greater than 0
   * @param random draws the times between arrivals
   * @param onFailure receives the reason when a session cannot continue
   */
  OpenLoop(
      List<LoadSession> sessions,
      double ratePerSecond,
      Arrivals arrivals,
      RandomGenerator random,
      LoadClock clock,
      Consumer<Throwable> onFailure) {
    this.idle = new ArrayDeque<>(sessions);
    this.meanGapNanos = 1e9 / ratePerSecond;
    this.arrivals = arrivals;
    this.random = random;
    this.onFailure = onFailure;
    this.clock = clock;
  }

  @Override
  public void start() {
    stopPacing = clock.pace(new Dues(), this::arrive, () -> stopped);
  }

  /** The due times; summed up without rounding. */
  private final class Dues implements LongSupplier {
    private double due = clock.nanos();

    @Override
    public long getAsLong() {
      due += arrivals.gap(random) * meanGapNanos;
      return (long) due;
    }
  }

  private void arrive(long dueNanos) {
    @Nullable LoadSession session;
    synchronized (lock) {
      offered++;
      session = idle.poll();
      if (session != null) {
        underWay++;
      } else if (waiting.size() < MAX_WAITING) {
        waiting.enqueue(dueNanos);
      } else {
        turnedAway++;
      }
    }
    if (session != null) {
      run(session, dueNanos);
    }
  }

  private void run(LoadSession session, long dueNanos) {
    if (!session.run(dueNanos, failure -> ended(session, failure))) {
      throw new IllegalStateException("an open loop needs transactions without end");
    }
  }

  private void ended(LoadSession session, @Nullable Throwable failure) {
    boolean another;
    long dueNanos = 0;
    synchronized (lock) {
      another = failure == null && !waiting.isEmpty();
      if (another) {
        dueNanos = waiting.dequeueLong();
      } else {
        underWay--;
        if (failure == null) {
          idle.add(session);
        }
      }
    }
    if (another) {
      run(session, dueNanos);
    } else if (failure != null) {
      onFailure.accept(failure);
    }
  }

  @Override
  public void stop() {
    stopped = true;
    stopPacing.run();
    synchronized (lock) {
      neverBegun = waiting.size();
      waiting.clear();
    }
  }

  @Override
  public int underWay() {
    synchronized (lock) {
      return underWay;
    }
  }

  /** The arrivals since the start. */
  Offered offered() {
    synchronized (lock) {
      return new Offered(Rounded.to(1, 1e9 / meanGapNanos), offered, turnedAway, neverBegun);
    }
  }
}
