package org.mortydb.workloads.load;

import java.util.List;
import java.util.Map;
import org.mortydb.protocol.machine.Completion.AbortReason;

/**
 * The counts and histograms of a {@link Measurement} as data, which one process hands to another.
 *
 * @param types by the position of each type
 * @param aborts the number of aborted attempts by reason
 * @param intervals the histograms of the timeline, in order
 */
public record MeasurementRecord(
    List<TypeRecord> types, Map<AbortReason, Long> aborts, List<String> intervals) {

  /**
   * The figures of one type, as in {@link Meter.TypeMeter}.
   *
   * @param paths the commits by path, in the order of the paths
   * @param latency a histogram: HdrHistogram's encoding V2, in Base64
   * @param commitLatency a histogram likewise
   */
  public record TypeRecord(
      long committed,
      long attempts,
      long reexecutions,
      long rolledBack,
      long givenUp,
      long unknown,
      List<Long> paths,
      String latency,
      String commitLatency) {}
}
