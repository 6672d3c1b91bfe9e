package org.mortydb.peers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.mortydb.bench.report.Report;

/** Reports as text: a line for each, and a table of medians. */
final class PeersTable {
  private static final String MORTY = "morty";
  private static final String ROW = "%-10s %-10s %10s %8s %9s %9s %10s %10s %10s%n";

  private PeersTable() {}

  /** One run. */
  static String line(Report report) {
    return String.format(
        Locale.ROOT,
        "%s on %s: %,.0f txn/s, commit rate %.4f, p50 %.2f ms, p99 %.2f ms, %,.0f µs of processor"
            + " time by commit; serializable: %s, consistent: %s; %,d given up, %,d of unknown"
            + " outcome, %,d unfinished%n",
        report.workload(),
        report.system(),
        report.committedPerSecond(),
        report.commitRate(),
        report.latencyMicros().p50() / 1e3,
        report.latencyMicros().p99() / 1e3,
        cpu(report),
        verdict(report.serializable()),
        verdict(report.consistent()),
        report.givenUp(),
        report.unknownOutcome(),
        report.unfinished());
  }

  private static String verdict(@org.jspecify.annotations.Nullable Boolean holds) {
    return holds == null ? "not checked" : holds ? "yes" : "NO";
  }

  private static double cpu(Report report) {
    Double micros = report.cpuMicrosPerCommit();
    return micros == null ? Double.NaN : micros;
  }

  private static double clientCpu(Report report) {
    Double micros = report.clientCpuMicrosPerCommit();
    return micros == null ? Double.NaN : micros;
  }

  /** The medians over rounds, by workload and system. */
  static String of(List<Report> reports) {
    Map<String, Map<String, List<Report>>> groups = new LinkedHashMap<>();
    for (Report report : reports) {
      groups
          .computeIfAbsent(report.workload(), workload -> new LinkedHashMap<>())
          .computeIfAbsent(report.system(), system -> new ArrayList<>())
          .add(report);
    }
    StringBuilder out = new StringBuilder();
    out.append(
        row("", "", "committed", "commit", "latency", "", "cpu µs by", "of which", "txn/s by"));
    out.append(
        row(
            "workload",
            "system",
            "per second",
            "rate",
            "p50 ms",
            "p99 ms",
            "commit",
            "client",
            "Morty's"));
    groups.forEach(
        (workload, systems) -> {
          List<Report> ours = systems.getOrDefault(MORTY, List.of());
          systems.forEach((system, runs) -> out.append(row(workload, system, runs, ours)));
        });
    return out.toString();
  }

  private static String row(String workload, String system, List<Report> runs, List<Report> ours) {
    double perSecond = median(runs, Report::committedPerSecond);
    return row(
        workload,
        system,
        number("%,.0f", perSecond),
        number("%.4f", median(runs, Report::commitRate)),
        number("%,.2f", median(runs, run -> run.latencyMicros().p50() / 1e3)),
        number("%,.2f", median(runs, run -> run.latencyMicros().p99() / 1e3)),
        number("%,.0f", median(runs, PeersTable::cpu)),
        number("%,.0f", median(runs, PeersTable::clientCpu)),
        ours.isEmpty() ? "" : number("%.3f", perSecond / median(ours, Report::committedPerSecond)));
  }

  private static String row(Object... cells) {
    return String.format(Locale.ROOT, ROW, cells);
  }

  private static String number(String format, double number) {
    return String.format(Locale.ROOT, format, number);
  }

  /** The middle one, or the mean of the two in the middle. */
  static double median(List<Report> runs, ToDoubleFunction<Report> figure) {
    double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
