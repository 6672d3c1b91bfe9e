package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.jepsen.HistoryReport;
import org.mortydb.cli.ExitCode;
import org.mortydb.faults.kit.FaultReport;

/**
 * What came of a run.
 *
 * @param valid whether every history is serializable, and nothing else is wrong
 * @param shown whether all that was planned happened: every fault was seen, enough was committed
 * @param seconds how long things went wrong
 * @param faults what was seen of each fault; 0 for one that was planned and never seen
 * @param recovered transactions that servers decided because their coordinators did not
 * @param servingMillis from the end of the faults until all servers served; null if they did not
 * @param firstCommitMillis from there until every workload had committed an operation begun later;
 *     null if one did not
 * @param problems what is wrong besides the histories: what did not go on, or stayed undecided
 * @param missing what was planned and did not happen
 * @param histories what the checkers say, one for each workload
 * @param settings how it was run
 */
public record FaultRunReport(
    boolean valid,
    boolean shown,
    double seconds,
    Map<String, Long> faults,
    long recovered,
    @Nullable Long servingMillis,
    @Nullable Long firstCommitMillis,
    List<String> problems,
    List<String> missing,
    List<HistoryReport> histories,
    Map<String, @Nullable Object> settings)
    implements FaultReport {
  @Override
  public int exitCode() {
    return !valid ? ExitCode.VIOLATION : shown ? ExitCode.OK : ExitCode.FAILED;
  }

  @Override
  public String text() {
    List<String> lines = new ArrayList<>();
    for (Fault fault : Fault.values()) {
      Long seen = faults.get(fault.toString());
      if (seen != null) {
        lines.add(String.format(Locale.ROOT, "%,d %s", seen, fault.seen()));
      }
    }
    lines.add(
        String.format(
            Locale.ROOT,
            "%,d transactions of dead or silent clients decided by servers",
            recovered));
    if (servingMillis != null) {
      lines.add(
          String.format(
              Locale.ROOT, "after the faults all servers served in %,d ms", servingMillis));
    }
    if (firstCommitMillis != null) {
      lines.add(
          String.format(
              Locale.ROOT, "then every workload committed within %,d ms", firstCommitMillis));
    }
    histories.forEach(history -> lines.add(history.text().stripTrailing()));
    problems.forEach(problem -> lines.add("WRONG: " + problem));
    missing.forEach(what -> lines.add("NOT SHOWN: " + what));
    return String.join("\n", lines) + "\n";
  }
}
