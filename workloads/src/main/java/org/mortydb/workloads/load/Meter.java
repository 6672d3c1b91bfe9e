package org.mortydb.workloads.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionInfo;
import org.mortydb.protocol.machine.Completion.Path;

/**
 * Counts and times the transactions of some sessions. Transactions that end within the window count
 * towards throughput and shares. Transactions that are due within it count towards latency,
 * whenever they end, so that slow transactions at the end are included.
 *
 * <p>Safe for use by several threads, but made for one client thread and the display.
 */
public final class Meter {
  private final List<TypeMeter> types = new ArrayList<>();
  private final Histogram interval = newHistogram();
  private @Nullable Window window;
  private @Nullable Timeline timeline;
  private long committed;
  private long attempts;

  /**
   * A meter that records only live figures until {@link #measure} sets the window.
   *
   * @param types the number of types of transactions
   */
  public Meter(int types) {
    for (int i = 0; i < types; i++) {
      this.types.add(new TypeMeter());
    }
  }

  /** Sets the window, which must lie in the future. */
  synchronized void measure(Window ahead) {
    window = ahead;
    timeline = new Timeline(ahead);
  }

  static Histogram newHistogram() {
    Histogram histogram = new Histogram(2);
    histogram.setAutoResize(true);
    return histogram;
  }

  /**
   * Records the end of a transaction.
   *
   * @param dueNanos when it was due
   * @param endNanos when its result was known
   * @param result the result of the last of the store's transactions that it consists of
   * @param retries the aborted attempts of the earlier ones
   * @param reexecutions the re-executions of the earlier ones
   */
  synchronized void ended(
      int type, long dueNanos, long endNanos, Result<Trace> result, int retries, int reexecutions) {
    TransactionInfo info = result.info();
    long latencyMicros = micros(endNanos - dueNanos);
    int attemptsOfAll = info.attempts() + retries;
    // A rollback that the application asked for is not a failed attempt.
    attempts +=
        result instanceof Result.AbortedByApplication<Trace> ? attemptsOfAll - 1 : attemptsOfAll;
    if (result.isCommitted()) {
      committed++;
      interval.recordValue(latencyMicros);
    }
    if (window == null || timeline == null) {
      return;
    }
    TypeMeter meter = types.get(type);
    if (window.contains(endNanos)) {
      meter.count(result, attemptsOfAll, info.reexecutions() + reexecutions);
    }
    if (window.contains(dueNanos) && result instanceof Result.Committed<Trace> done) {
      meter.latency.recordValue(latencyMicros);
      timeline.record(dueNanos, latencyMicros);
      meter.commitLatency.recordValue(micros(endNanos - done.value().commitNanos()));
    }
  }

  /** Adds the figures since the last call to {@code into}. */
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
    if (timeline != null) {
      timeline.addTo(into.timeline());
    }
  }

  private static long micros(long nanos) {
    return Math.max(0, nanos) / 1_000;
  }

  /** Live figures of an interval. */
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

    MeasurementRecord.TypeRecord toRecord() {
      return new MeasurementRecord.TypeRecord(
          committed,
          attempts,
          reexecutions,
          rolledBack,
          givenUp,
          unknown,
          Arrays.stream(paths).boxed().toList(),
          Histograms.encode(latency),
          Histograms.encode(commitLatency));
    }

    /**
     * Adds figures of another process.
     *
     * @throws IllegalArgumentException if they are damaged
     */
    void add(MeasurementRecord.TypeRecord other) {
      if (other.paths().size() != paths.length) {
        throw new IllegalArgumentException(
            "%d paths of commits, not %d".formatted(other.paths().size(), paths.length));
      }
      Histograms.add(other.latency(), latency);
      Histograms.add(other.commitLatency(), commitLatency);
      for (int i = 0; i < paths.length; i++) {
        paths[i] += notNegative(other.paths().get(i));
      }
      committed += notNegative(other.committed());
      attempts += notNegative(other.attempts());
      reexecutions += notNegative(other.reexecutions());
      rolledBack += notNegative(other.rolledBack());
      givenUp += notNegative(other.givenUp());
      unknown += notNegative(other.unknown());
    }

    static long notNegative(long count) {
      if (count < 0) {
        throw new IllegalArgumentException("a count is negative: " + count);
      }
      return count;
    }

    /** Committed transactions. */
    public long committed() {
      return committed;
    }

    /** Attempts of all transactions, including retries and excluding rollbacks. */
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

    /** Transactions with an unknown outcome. */
    public long unknown() {
      return unknown;
    }

    /** Commits that were decided on a path. */
    public long committedBy(Path path) {
      return paths[path.ordinal()];
    }

    /** Microseconds from when a committed transaction was due until its end, over all attempts. */
    public Histogram latency() {
      return latency;
    }

    /** Microseconds from the commit call of the committed execution until the end. */
    public Histogram commitLatency() {
      return commitLatency;
    }
  }
}
