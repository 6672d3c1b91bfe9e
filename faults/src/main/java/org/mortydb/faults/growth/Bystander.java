package org.mortydb.faults.growth;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.client.net.MortyClient;

/**
 * A client that takes no part in any change. It counts in keys of its own, one transaction after
 * another, and notes when each has committed. Between two commits lies what it notices of a change.
 *
 * <p>It has a thread of its own. Its figures are for any thread.
 */
final class Bystander implements AutoCloseable {
  private static final KeySpace<String, Long> COUNTERS =
      KeySpace.of("bystander", Codecs.STRING, Codecs.INT64);

  /** They lie in all partitions. */
  private static final int KEYS = 64;

  private static final long PAUSE_MILLIS = 4;

  /** Shorter pauses are no news. */
  private static final long LEAST_NANOS = 20_000_000;

  /** The time between two commits, on the clock of {@link System#nanoTime}. */
  private record Pause(long fromNanos, long untilNanos) {}

  private final MortyClient client;
  private final List<TypedKey<Long>> keys = new ArrayList<>();
  private final long[] committed = new long[KEYS];
  private final long[] unknown = new long[KEYS];
  private final List<Pause> pauses = new ArrayList<>();
  private final Histogram latency = new Histogram(3);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Thread thread =
      Thread.ofPlatform().name("morty-growth-bystander").unstarted(this::run);
  private volatile boolean over;
  private long lastNanos;

  Bystander(MortyClient client) {
    this.client = client;
    for (int i = 0; i < KEYS; i++) {
      keys.add(COUNTERS.key("counter-" + i));
    }
  }

  void start() {
    lastNanos = System.nanoTime();
    thread.start();
  }

  private void run() {
    try {
      for (int i = 0; !over; i = (i + 1) % KEYS) {
        count(i);
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure.set(e);
    }
  }

  private void count(int i) {
    TypedKey<Long> key = keys.get(i);
    Result<String> result =
        client.run(
            txn -> {
              txn.put(key, txn.getOrDefault(key, 0L) + 1);
              return "";
            });
    long now = System.nanoTime();
    synchronized (this) {
      switch (result) {
        case Result.Committed<String> _ -> {
          committed[i]++;
          latency.recordValue(Math.max(1, result.info().latencyMicros()));
          if (now - lastNanos >= LEAST_NANOS) {
            pauses.add(new Pause(lastNanos, now));
          }
          lastNanos = now;
        }
        case Result.OutcomeUnknown<String> _ -> unknown[i]++;
        case Result.AbortedByConflict<String> _, Result.AbortedByApplication<String> _ -> {
          // Nothing of it remains, and the pause goes on.
        }
      }
    }
  }

  /**
   * The longest pause of which a part lies between two moments, in nanoseconds; 0 if all were
   * shorter than 20 milliseconds.
   */
  synchronized long longestNanos(long fromNanos, long untilNanos) {
    long longest = 0;
    for (Pause pause : pauses) {
      if (pause.untilNanos - fromNanos > 0 && pause.fromNanos - untilNanos < 0) {
        longest = Math.max(longest, pause.untilNanos - pause.fromNanos);
      }
    }
    return longest;
  }

  /** The longest pause that lies between two moments, in nanoseconds. */
  synchronized long longestWithin(long fromNanos, long untilNanos) {
    long longest = 0;
    for (Pause pause : pauses) {
      if (pause.fromNanos - fromNanos >= 0 && pause.untilNanos - untilNanos <= 0) {
        longest = Math.max(longest, pause.untilNanos - pause.fromNanos);
      }
    }
    return longest;
  }

  /** The median time of a transaction, in microseconds. */
  synchronized long medianMicros() {
    return latency.getValueAtPercentile(50);
  }

  synchronized long transactions() {
    return latency.getTotalCount();
  }

  /** Ends the transactions; returns when the last one has ended. */
  void stop() throws InterruptedException {
    over = true;
    thread.join();
    Throwable cause = failure.get();
    if (cause != null) {
      throw new IllegalStateException(
          "a transaction could not be run: " + cause.getMessage(), cause);
    }
  }

  /** How many counters do not hold what was counted. To be called after {@link #stop}. */
  int wrongCounters() {
    int wrong = 0;
    for (int i = 0; i < KEYS; i++) {
      TypedKey<Long> key = keys.get(i);
      Result<Long> read = client.run(txn -> txn.getOrDefault(key, 0L));
      boolean right =
          read instanceof Result.Committed<Long>(Long held, var _)
              && held >= committed[i]
              && held <= committed[i] + unknown[i];
      wrong += right ? 0 : 1;
    }
    return wrong;
  }

  @Override
  public void close() {
    over = true;
    client.close();
  }
}
