package org.mortydb.faults.growth;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.figure.GrowthChart;
import org.mortydb.bench.figure.GrowthChart.Mark;
import org.mortydb.check.journal.Check;
import org.mortydb.cli.ExitCode;
import org.mortydb.faults.kit.FaultReport;
import org.mortydb.workloads.load.Timeline;

/**
 * The result of a run in which a cluster grows.
 *
 * @param experiment {@link #EXPERIMENT}, which identifies the record
 * @param complete whether all steps ended while the load lasted
 * @param serializable whether one serial order explains all reads, those at the end included
 * @param lost records, and counters of the bystander, that did not hold the last acknowledged write
 *     at the end
 * @param seconds how long the load lasted
 * @param transactions of the load that committed
 * @param commitRate commits relative to attempts; every retry is an attempt
 * @param unknownOutcomes transactions whose outcome no client learnt
 * @param changes maps that the cluster has had after the first
 * @param givenUp changes that were given up, and carried out again
 * @param kills servers killed
 * @param recoveries transactions of dead or silent coordinators that servers decided
 * @param bystander the client that takes no part in any change
 * @param steps what was done, in its order
 * @param timeline throughput and latency of the load over time
 * @param check the check in full
 * @param settings the options
 * @param environment where, when and with which code it was made
 */
public record GrowthReport(
    String experiment,
    boolean complete,
    boolean serializable,
    long lost,
    double seconds,
    long transactions,
    double commitRate,
    long unknownOutcomes,
    int changes,
    int givenUp,
    int kills,
    long recoveries,
    BystanderFigures bystander,
    List<Step> steps,
    Timeline.Figures timeline,
    Check check,
    Map<String, @Nullable Object> settings,
    Map<String, Object> environment)
    implements FaultReport {

  /** The name of the experiment in the record. */
  public static final String EXPERIMENT = "growth";

  /**
   * What was done.
   *
   * @param kind {@code join}, {@code split}, {@code move}, {@code replication}, {@code replace},
   *     {@code remove}, or {@code kill}
   * @param name for people
   * @param atSecond when it began, since the load began
   * @param untilSecond when it had ended
   * @param pauseMillis the longest time between two commits of the bystander of which a part lies
   *     between both; 0 if all were below 20 ms
   */
  public record Step(
      String kind, String name, double atSecond, double untilSecond, double pauseMillis) {
    /** Whether it is a change of the map. */
    boolean isChange() {
      return !kind.equals(KILL);
    }

    static final String KILL = "kill";
  }

  /**
   * What the bystander has noticed.
   *
   * @param transactions that it has committed
   * @param medianMillis the median time of one, of two round trips
   * @param longestPauseMillis the longest pause in a change
   * @param boundMillis what a pause should be below: allowed skew, three round trips and 100 ms
   * @param longestPauseBetweenMillis the longest pause that is in no step
   */
  public record BystanderFigures(
      long transactions,
      double medianMillis,
      double longestPauseMillis,
      double boundMillis,
      double longestPauseBetweenMillis) {
    /** Whether all pauses in changes were as short as they should be. */
    boolean isWithinBound() {
      return longestPauseMillis < boundMillis;
    }
  }

  /**
   * Throughput and latency over time, as SVG.
   *
   * @throws org.mortydb.bench.figure.FigureFailedException if this machine cannot draw
   */
  public String svg() {
    List<Mark> marks = new ArrayList<>();
    for (Step step : steps) {
      marks.add(new Mark(marks.size() + 1, !step.isChange(), step.atSecond(), step.untilSecond()));
    }
    return GrowthChart.of("Throughput and latency while the cluster changes", timeline, marks);
  }

  @Override
  public int exitCode() {
    if (!serializable || lost > 0) {
      return ExitCode.VIOLATION;
    }
    return complete ? ExitCode.OK : ExitCode.FAILED;
  }

  @Override
  public String text() {
    List<String> lines = new ArrayList<>();
    for (Step step : steps) {
      lines.add(
          format(
              "%6.1f s to %6.1f s  %s: longest pause %.0f ms",
              step.atSecond(), step.untilSecond(), step.name(), step.pauseMillis()));
    }
    lines.add(
        format(
            "%,d transactions in %.0f s, commit rate %.3f, %,d of unknown outcome; %d maps,"
                + " %d changes given up, %d kills, %,d transactions recovered",
            transactions,
            seconds,
            commitRate,
            unknownOutcomes,
            changes,
            givenUp,
            kills,
            recoveries));
    lines.add(
        format(
            "bystander: %,d transactions, median %.1f ms; longest pause in a change %.0f ms, %s the"
                + " bound of %.0f ms; between all steps %.0f ms",
            bystander.transactions(),
            bystander.medianMillis(),
            bystander.longestPauseMillis(),
            bystander.isWithinBound() ? "below" : "NOT BELOW",
            bystander.boundMillis(),
            bystander.longestPauseBetweenMillis()));
    if (!complete) {
      lines.add("NOT COMPLETE: the load ended before all steps had: use a longer --minutes");
    }
    check.explanations().forEach(explanation -> lines.add("  " + explanation));
    lines.add(
        format(
            "serializable: %s (%,d transactions, %,d reads), lost: %,d",
            serializable ? "yes" : "NO", check.transactions(), check.reads(), lost));
    return String.join("\n", lines) + "\n";
  }

  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
