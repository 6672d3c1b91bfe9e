package org.mortydb.workloads.load;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionInfo;
import org.mortydb.protocol.machine.Completion.Path;

/**
 * Counts and times the transactions of some sessions. What ended within the window counts towards
 * throughput and shares; what was due within it counts towards latency, whenever it ended, so that
 * slow transactions at the end are not left out.
 *
 * <p>Safe for use by several threads; one client thread and the display are what it is made for.
 */
public final class Meter {
  private final List<TypeMeter> types = new ArrayList<>();
  private final Histogram interval = newHistogram();
  private @Nullable Window window;
  private long committed;
  private long attempts;

  /**
   * A meter that takes nothing but live figures, until it is told the window.
   *
   * @param types the number of types of transactions
   */
  public Meter(int types) {
    for (int i = 0; i < types; i++) {
      this.types.add(new TypeMeter());
    }
  }

  /** Sets the window, which lies ahead. */
  synchronized void measure(Window ahead) {
    window = ahead;
  }

  static Histogram newHistogram() {
    Histogram histogram = new Histogram(2);
    histogram.setAutoResize(true);
    return histogram;
  }

  /**
   * A transaction ended.
   *
   * @param dueNanos when it should have begun
   * @param endNanos when its end was known
   * @param result the end of the last, or only, of the store's transactions that it consists of
   * @param retries attempts of those before the last one that did not commit
   * @param reexecutions re-executions of those before the last one
   */
  synchronized void ended(
      int type, long dueNanos, long endNanos, Result<Trace> result, int retries, int reexecutions) {
    TransactionInfo info = result.info();
    long latencyMicros = micros(endNanos - dueNanos);
    int attemptsOfAll = info.attempts() + retries;
    // An attempt that the application ended as it should is no attempt that failed.
    attempts +=
        result instanceof Result.AbortedByApplication<Trace> ? attemptsOfAll - 1 : attemptsOfAll;
    if (result.isCommitted()) {
      committed++;
      interval.recordValue(latencyMicros);
    }
    if (window == null) {
      return;
    }
    TypeMeter meter = types.get(type);
    if (window.contains(endNanos)) {
      meter.count(result, attemptsOfAll, info.reexecutions() + reexecutions);
    }
    if (window.contains(dueNanos) && result instanceof Result.Committed<Trace> done) {
      meter.latency.recordValue(latencyMicros);
      meter.commitLatency.recordValue(micros(endNanos - done.value().commitNanos()));
    }
  }

  /** The figures since this was last asked; adds to {@code into}. */
  synchronized void takeInterval(Interval into) {
    into.committed += committed;
    into.attempts += attempts;
    into.latency.add(interval);
    committed = 0;
    attempts = 0;
    interval.reset();
  }

  /** Adds the figures of the window to {@code into}. */
  synchronized void addTo(Measurement into) {
    for (int i = 0; i < types.size(); i++) {
      types.get(i).addTo(into.type(i));
    }
  }

  private static long micros(long nanos) {
    return Math.max(0, nanos) / 1_000;
  }

  /** Live figures of some time. */
  static final class Interval {
    long committed;
    long attempts;
    final Histogram latency = newHistogram();
  }

  /** The figures of one type of transactions. */
  public static final class TypeMeter {
    private final Histogram latency = new Histogram(3);
    private final Histogram commitLatency = new Histogram(3);
    private final long[] paths = new long[Path.values().length];
    private long committed;
    private long attempts;
    private long reexecutions;
    private long rolledBack;
    private long givenUp;
    private long unknown;

    TypeMeter() {
      latency.setAutoResize(true);
      commitLatency.setAutoResize(true);
    }

    private void count(Result<Trace> result, int attemptsOfAll, int reexecutionsOfAll) {
      attempts += attemptsOfAll;
      reexecutions += reexecutionsOfAll;
      switch (result) {
        case Result.Committed<Trace> c -> {
          committed++;
          Path path = c.info().path();
          if (path != null) {
            paths[path.ordinal()]++;
          }
        }
        case Result.AbortedByApplication<Trace> a -> {
          attempts--;
          rolledBack++;
        }
        case Result.AbortedByConflict<Trace> a -> givenUp++;
        case Result.OutcomeUnknown<Trace> u -> unknown++;
      }
    }

    void addTo(TypeMeter other) {
      other.latency.add(latency);
      other.commitLatency.add(commitLatency);
      for (int i = 0; i < paths.length; i++) {
        other.paths[i] += paths[i];
      }
      other.committed += committed;
      other.attempts += attempts;
      other.reexecutions += reexecutions;
      other.rolledBack += rolledBack;
      other.givenUp += givenUp;
      other.unknown += unknown;
    }

    /** Transactions that committed. */
    public long committed() {
      return committed;
    }

    /** Attempts of all transactions, every retry counted, but for those rolled back. */
    public long attempts() {
      return attempts;
    }

    /** Re-executions of all transactions. */
    public long reexecutions() {
      return reexecutions;
    }

    /** Transactions that the application ended without a commit. */
    public long rolledBack() {
      return rolledBack;
    }

    /** Transactions that the store aborted for good. */
    public long givenUp() {
      return givenUp;
    }

    /** Transactions whose outcome could not be learnt. */
    public long unknown() {
      return unknown;
    }

    /** Commits that were decided in this way. */
    public long committedBy(Path path) {
      return paths[path.ordinal()];
    }

    /** Microseconds from when a committed transaction was due to its end, with all attempts. */
    public Histogram latency() {
      return latency;
    }

    /** Microseconds from the commit call of the execution that committed to its end. */
    public Histogram commitLatency() {
      return commitLatency;
    }
  }
}
