package org.mortydb.peers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.mortydb.bench.report.Report;
import org.mortydb.cli.text.TextTable;

/** Reports as text: a line per report, and a table of medians. */
final class PeersTable {
  private static final String MORTY = "morty";

  private PeersTable() {}

  /** The line of a run. */
  static String line(Report report) {
    return String.format(
        Locale.ROOT,
        "%s on %s: %,.0f txn/s, commit rate %.4f, p50 %.2f ms, p99 %.2f ms, %,.0f µs of processor"
            + " time per commit; serializable: %s, consistent: %s; %,d given up, %,d of unknown"
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

  /** The table of medians over rounds, by workload and system. */
  static String of(List<Report> reports) {
    Map<String, Map<String, List<Report>>> groups = new LinkedHashMap<>();
    for (Report report : reports) {
      groups
          .computeIfAbsent(report.workload(), workload -> new LinkedHashMap<>())
          .computeIfAbsent(report.system(), system -> new ArrayList<>())
          .add(report);
    }
    TextTable table =
        new TextTable(column -> column < 2)
            .row("", "", "committed", "commit", "latency", "", "cpu µs", "of which", "txn/s by")
            .row(
                "workload",
                "system",
                "per second",
                "rate",
                "p50 ms",
                "p99 ms",
                "per commit",
                "client",
                "Morty's");
    groups.forEach(
        (workload, systems) -> {
          List<Report> ours = systems.getOrDefault(MORTY, List.of());
          systems.forEach((system, runs) -> addRow(table, workload, system, runs, ours));
        });
    return table.toString();
  }

  private static void addRow(
      TextTable table, String workload, String system, List<Report> runs, List<Report> ours) {
    double perSecond = median(runs, Report::committedPerSecond);
    table.row(
        workload,
        system,
        TextTable.number("%,.0f", perSecond),
        TextTable.number("%.4f", median(runs, Report::commitRate)),
        TextTable.number("%,.2f", median(runs, run -> run.latencyMicros().p50() / 1e3)),
        TextTable.number("%,.2f", median(runs, run -> run.latencyMicros().p99() / 1e3)),
        TextTable.number("%,.0f", median(runs, PeersTable::cpu)),
        TextTable.number("%,.0f", median(runs, PeersTable::clientCpu)),
        ours.isEmpty()
            ? ""
            : TextTable.number("%.3f", perSecond / median(ours, Report::committedPerSecond)));
  }

  /** The median. */
  static double median(List<Report> runs, ToDoubleFunction<Report> figure) {
    double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
