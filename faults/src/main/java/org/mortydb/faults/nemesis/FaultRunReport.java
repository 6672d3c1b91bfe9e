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
 * The result of a run.
 *
 * @param valid whether every history is serializable and there are no problems
 * @param shown whether every planned fault was seen and enough operations committed
 * @param seconds how long faults lasted
 * @param faults the evidence of each planned fault; 0 if it was never seen
 * @param recovered transactions of dead or silent coordinators that servers decided
 * @param servingMillis from the end of the faults until all servers served; null if they did not
 * @param firstCommitMillis from then until every workload had committed an operation that began
 *     later; null if one did not
 * @param problems other violations: no progress after the faults, or undecided operations
 * @param missing why the run did not show what it should
 * @param histories the verdict on each workload
 * @param settings the options
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
