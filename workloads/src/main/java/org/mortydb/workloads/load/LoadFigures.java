package org.mortydb.workloads.load;

import java.util.Arrays;
import java.util.Map;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.workloads.load.Meter.TypeMeter;

/**
 * The figures of one type of transactions, or of all.
 *
 * @param committed transactions that committed within the window
 * @param committedPerSecond the same by the second
 * @param commitRate committed transactions by attempts: of one type, by those of transactions that
 *     ended within the window; of all types, by all that ended within it, so that those count that
 *     are tried again and again
 * @param reexecutionsPerCommit how often a part ran again, by committed transaction
 * @param fastPathShare commits decided on the fast path, by all commits
 * @param slowPathShare commits decided on the slow path, by all commits
 * @param learntShare commits decided by somebody else, by all commits
 * @param rolledBack transactions that the application ended without a commit; no part of the commit
 *     rate
 * @param givenUp transactions that the store aborted for good
 * @param unknownOutcome transactions whose outcome could not be learnt
 * @param latencyMicros from when a transaction was due to its end, with all attempts
 * @param commitLatencyMicros from the commit call of the execution that committed to its end
 */
public record LoadFigures(
    long committed,
    double committedPerSecond,
    double commitRate,
    double reexecutionsPerCommit,
    double fastPathShare,
    double slowPathShare,
    double learntShare,
    long rolledBack,
    long givenUp,
    long unknownOutcome,
    Percentiles latencyMicros,
    Percentiles commitLatencyMicros) {

  /**
   * Those of all types.
   *
   * @param seconds the window
   */
  public static LoadFigures of(Measurement measurement, double seconds) {
    LoadFigures all = of(measurement.total(), seconds);
    long aborted =
        measurement.aborts().entrySet().stream()
            .filter(entry -> entry.getKey() != AbortReason.APPLICATION)
            .mapToLong(Map.Entry::getValue)
            .sum();
    return new LoadFigures(
        all.committed,
        all.committedPerSecond,
        Rounded.ratio(all.committed, (double) all.committed + aborted),
        all.reexecutionsPerCommit,
        all.fastPathShare,
        all.slowPathShare,
        all.learntShare,
        all.rolledBack,
        all.givenUp,
        all.unknownOutcome,
        all.latencyMicros,
        all.commitLatencyMicros);
  }

  /**
   * Those of one type.
   *
   * @param seconds the window
   */
  public static LoadFigures of(TypeMeter meter, double seconds) {
    long decided = Arrays.stream(Path.values()).mapToLong(meter::committedBy).sum();
    return new LoadFigures(
        meter.committed(),
        Rounded.to(1, meter.committed() / seconds),
        Rounded.ratio(meter.committed(), meter.attempts()),
        Rounded.ratio(meter.reexecutions(), meter.committed()),
        Rounded.ratio(meter.committedBy(Path.FAST), decided),
        Rounded.ratio(meter.committedBy(Path.SLOW), decided),
        Rounded.ratio(meter.committedBy(Path.LEARNT), decided),
        meter.rolledBack(),
        meter.givenUp(),
        meter.unknown(),
        Percentiles.of(meter.latency()),
        Percentiles.of(meter.commitLatency()));
  }
}
