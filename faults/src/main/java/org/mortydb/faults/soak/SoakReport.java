package org.mortydb.faults.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Check;
import org.mortydb.cli.ExitCode;
import org.mortydb.faults.kit.FaultReport;

/**
 * The result of a soak.
 *
 * @param serializable whether one serial order explains all reads, those at the end included
 * @param lost records that at the end did not hold the last acknowledged write
 * @param seconds how long faults lasted
 * @param transactions that committed under load
 * @param commitRate commits relative to attempts; every retry is an attempt
 * @param unknownOutcomes transactions whose outcome no client learnt
 * @param kills servers killed, those of {@code totalFailures} included
 * @param totalFailures how often all servers were killed at once
 * @param wipes killed servers that lost their data as well
 * @param rejoins servers that came back without data and served again
 * @param recoveries transactions of dead or silent coordinators that servers decided; those of the
 *     half second before a server was killed may be missing
 * @param clientDeaths clients closed in the middle of their transactions
 * @param resources disk and heap over time
 * @param check the check in full
 * @param settings the options
 */
public record SoakReport(
    boolean serializable,
    long lost,
    double seconds,
    long transactions,
    double commitRate,
    long unknownOutcomes,
    int kills,
    int totalFailures,
    int wipes,
    int rejoins,
    long recoveries,
    int clientDeaths,
    Resources resources,
    Check check,
    Map<String, @Nullable Object> settings)
    implements FaultReport {

  /**
   * Disk and heap over time.
   *
   * @param flat whether neither disk nor heap grew; null if there are too few samples
   * @param disk of the servers' data directories; null if there are too few samples
   * @param heap of the servers' heaps, after collections; null when not known
   * @param checkpoints checkpoints that the servers completed
   * @param samples in the order of time
   */
  public record Resources(
      @Nullable Boolean flat,
      @Nullable Growth disk,
      @Nullable Growth heap,
      int checkpoints,
      List<Sample> samples) {}

  /**
   * The most that any server used, in megabytes (10^6 bytes).
   *
   * @param firstQuarterMb in the first quarter of the time
   * @param lastQuarterMb in the last quarter
   * @param flat whether the last quarter's is at most a quarter plus 8 MB higher
   */
  public record Growth(double firstQuarterMb, double lastQuarterMb, boolean flat) {}

  /**
   * A moment: megabytes (10^6 bytes) in use, by server.
   *
   * @param atSecond the time from the beginning
   * @param diskMb in the data directories
   * @param heapMb on the heaps, after a collection; null for a server that did not serve
   * @param ownHeapMb on the heap of this process, clients and history, after a collection
   */
  public record Sample(
      double atSecond, List<Double> diskMb, List<@Nullable Double> heapMb, double ownHeapMb) {}

  @Override
  public int exitCode() {
    return serializable && lost == 0 ? ExitCode.OK : ExitCode.VIOLATION;
  }

  @Override
  public String text() {
    List<String> lines = new ArrayList<>();
    lines.add(
        format(
            "%,d transactions in %.0f s, commit rate %.3f, %,d of unknown outcome",
            transactions, seconds, commitRate, unknownOutcomes));
    lines.add(
        format(
            "%d kills, %d times all servers at once, %d wiped, %d joined again; %d clients lost,"
                + " %,d transactions recovered",
            kills, totalFailures, wipes, rejoins, clientDeaths, recoveries));
    lines.add(
        format(
            "%s: largest of a server, first quarter to last: disk %s, heap after collection %s;"
                + " %d checkpoints",
            resources.flat() == null
                ? "disk and heap not known"
                : resources.flat() ? "flat" : "NOT FLAT",
            text(resources.disk()),
            text(resources.heap()),
            resources.checkpoints()));
    check.explanations().forEach(explanation -> lines.add("  " + explanation));
    lines.add(
        format(
            "serializable: %s (%,d transactions, %,d reads), lost: %,d",
            serializable ? "yes" : "NO", check.transactions(), check.reads(), lost));
    return String.join("\n", lines) + "\n";
  }

  private static String text(@Nullable Growth growth) {
    return growth == null
        ? "not known"
        : format("%.1f to %.1f MB", growth.firstQuarterMb(), growth.lastQuarterMb());
  }

  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
