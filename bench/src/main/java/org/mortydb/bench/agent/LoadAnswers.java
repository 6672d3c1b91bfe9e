package org.mortydb.bench.agent;

import org.jspecify.annotations.Nullable;
import org.mortydb.bench.measure.Pauses;
import org.mortydb.bench.report.Consistency;
import org.mortydb.workloads.load.MeasurementRecord;
import org.mortydb.workloads.load.Offered;

/** The answers of a process with clients. */
public final class LoadAnswers {
  private LoadAnswers() {}

  /**
   * The records are filled.
   *
   * @param transactions the number of transactions that filled this share of them
   */
  public record Filled(long transactions) {}

  /**
   * A load has run.
   *
   * @param measurement null if the load did not run, because its begin had passed
   * @param offered the arrivals of an open loop; null for a closed one
   * @param unfinished transactions without an end when the process stopped waiting
   * @param lateMicros how much later than asked for the window began
   * @param cpuNanos the processor time of the process within the window; null if unknown
   * @param heapBytes its used heap after a collection before the window
   * @param pauses its pauses within the window
   * @param unknown the transactions of unknown outcome so far
   */
  public record Ran(
      @Nullable MeasurementRecord measurement,
      @Nullable Offered offered,
      int unfinished,
      long lateMicros,
      @Nullable Long cpuNanos,
      long heapBytes,
      Pauses.@Nullable OfProcess pauses,
      long unknown) {

    /** The answer of a process that was too late to run the load. */
    static Ran tooLate(long lateMicros, long unknown) {
      return new Ran(null, null, 0, lateMicros, null, 0, null, unknown);
    }
  }

  /**
   * Garbage was collected.
   *
   * @param bytes the used heap
   */
  public record Heap(long bytes) {}

  /**
   * The workload's conditions were checked.
   *
   * @param consistency null if there was nothing to check
   */
  public record Audited(@Nullable Consistency consistency) {}

  /**
   * The history is closed.
   *
   * @param transactions the number of transactions in it
   * @param bytes its length, not compressed
   */
  public record Closed(long transactions, long bytes) {}
}
