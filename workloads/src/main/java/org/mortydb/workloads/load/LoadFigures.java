package org.mortydb.workloads.load;

import java.util.Arrays;
import java.util.Map;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.workloads.load.Meter.TypeMeter;

/**
 * The figures of one type of transactions, or of all types.
 *
 * @param committed transactions that committed within the window
 * @param committedPerSecond committed transactions per second
 * @param commitRate committed transactions divided by attempts. For one type, the attempts of
 *     transactions that ended within the window; for all types, all attempts that ended within it,
 *     so that endless retries count
 * @param reexecutionsPerCommit partial re-executions per committed transaction
 * @param readOnlyShare share of the commits that had no outcome to decide, because they wrote
 *     nothing
 * @param fastPathShare share of the other commits that were decided on the fast path
 * @param slowPathShare share of the other commits that were decided on the slow path
 * @param learntShare share of the other commits that were decided by another process
 * @param rolledBack transactions that the application ended without a commit; excluded from the
 *     commit rate
 * @param givenUp transactions that the store aborted for good
 * @param unknownOutcome transactions with an unknown outcome
 * @param latencyMicros from when a transaction was due until its end, over all attempts
 * @param commitLatencyMicros from the commit call of the committed execution until the end
 */
public record LoadFigures(
    long committed,
    double committedPerSecond,
    double commitRate,
    double reexecutionsPerCommit,
    double readOnlyShare,
    double fastPathShare,
    double slowPathShare,
    double learntShare,
    long rolledBack,
    long givenUp,
    long unknownOutcome,
    Percentiles latencyMicros,
    Percentiles commitLatencyMicros) {

  /**
   * The figures of all types.
   *
   * @param seconds the length of the window
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
        all.readOnlyShare,
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
   * The figures of one type.
   *
   * @param seconds the length of the window
   */
  public static LoadFigures of(TypeMeter meter, double seconds) {
    long readOnly =
        meter.committedBy(Path.READ_ONLY)
            + meter.committedBy(Path.PAST)
            + meter.committedBy(Path.LOCAL);
    long all = Arrays.stream(Path.values()).mapToLong(meter::committedBy).sum();
    long decided = all - readOnly;
    return new LoadFigures(
        meter.committed(),
        Rounded.to(1, meter.committed() / seconds),
        Rounded.ratio(meter.committed(), meter.attempts()),
        Rounded.ratio(meter.reexecutions(), meter.committed()),
        Rounded.ratio(readOnly, all),
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
