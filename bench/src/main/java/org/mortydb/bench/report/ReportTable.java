package org.mortydb.bench.report;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.measure.MachineMeter;
import org.mortydb.bench.measure.Pauses;
import org.mortydb.bench.measure.ThreadMeter;
import org.mortydb.bench.report.Report.HeapUse;
import org.mortydb.check.journal.Check;
import org.mortydb.cli.text.TextTable;
import org.mortydb.workloads.audit.Finding;
import org.mortydb.workloads.load.LoadFigures;
import org.mortydb.workloads.load.Offered;
import org.mortydb.workloads.load.Percentiles;
import org.mortydb.workloads.load.Saturation;

/** A report as text. */
public final class ReportTable {
  private static final double MIB = 1024 * 1024;

  private final StringBuilder out = new StringBuilder();

  private ReportTable() {}

  /** The text, with a line break at its end. */
  public static String of(Report report) {
    ReportTable table = new ReportTable();
    table.figures(report);
    table.facts(report);
    table.verdict(report);
    table.consistency(report.consistency());
    return table.out.toString();
  }

  /** The verdicts of a report's checks, with a line break at the end. */
  static String verdictOf(Report report) {
    ReportTable table = new ReportTable();
    table.verdict(report);
    table.consistency(report.consistency());
    return table.out.toString();
  }

  private void figures(Report report) {
    TextTable table =
        new TextTable(column -> column == 0)
            .row("", "committed", "commit", "re-exec.", "latency", "", "", "", "commit", "")
            .row(
                "transaction",
                "per second",
                "rate",
                "per txn",
                "p50 ms",
                "p90 ms",
                "p99 ms",
                "p99.9 ms",
                "p50 ms",
                "p99 ms");
    report.transactions().forEach((name, figures) -> row(table, name, figures));
    row(
        table,
        "all",
        report.committedPerSecond(),
        report.commitRate(),
        report.reexecutionsPerCommit(),
        report.latencyMicros(),
        report.commitLatencyMicros());
    out.append(table);
  }

  private static void row(TextTable table, String name, LoadFigures figures) {
    row(
        table,
        name,
        figures.committedPerSecond(),
        figures.commitRate(),
        figures.reexecutionsPerCommit(),
        figures.latencyMicros(),
        figures.commitLatencyMicros());
  }

  private static void row(
      TextTable table,
      String name,
      double perSecond,
      double commitRate,
      double reexecutions,
      Percentiles latency,
      Percentiles commit) {
    table.row(
        name,
        TextTable.number("%,.0f", perSecond),
        TextTable.number("%.4f", commitRate),
        TextTable.number("%.4f", reexecutions),
        TextTable.millis(latency.p50()),
        TextTable.millis(latency.p90()),
        TextTable.millis(latency.p99()),
        TextTable.millis(latency.p999()),
        TextTable.millis(commit.p50()),
        TextTable.millis(commit.p99()));
  }

  private void facts(Report report) {
    add("%n");
    load(report);
    fact(
        "decided",
        "%.2f %% fast path, %.2f %% slow path, %.2f %% learnt from others%s",
        report.fastPathShare() * 100,
        report.slowPathShare() * 100,
        report.learntShare() * 100,
        report.readOnlyShare() == 0
            ? ""
            : "; of all, %.2f %% read only".formatted(report.readOnlyShare() * 100));
    cpu(report);
    compilers(report.environment());
    collectors(report.environment());
    utilisation(report.utilisation());
    otherPrograms(report.environment());
    heap(report.heapAfterGcBytes());
    if (!report.aborts().isEmpty()) {
      fact("aborted", "%s (attempts, most of which were retried)", counts(report.aborts()));
    }
    if (report.rolledBack() > 0) {
      fact("rolled back", "%,d by the application, not counted above", report.rolledBack());
    }
    if (report.givenUp() + report.unknownOutcome() + report.unfinished() > 0) {
      fact(
          "not committed",
          "%,d given up, %,d of unknown outcome, %,d unfinished at the end",
          report.givenUp(),
          report.unknownOutcome(),
          report.unfinished());
    }
    pauses(report.pauses());
    if (report.offered() != null) {
      fact(
          "arrivals",
          "%,d due, %,d rejected because too many waited, %,d still waiting at the end",
          report.offered().arrivals(),
          report.offered().turnedAway(),
          report.offered().neverBegun());
    }
  }

  private void load(Report report) {
    Offered offered = report.offered();
    Saturation saturation = report.saturation();
    if (saturation != null) {
      fact("saturated", "%s", LoadTable.text(saturation));
    }
    if (offered == null) {
      fact("load", "closed loop; pauses delay its load too: see latencies with --rate max*0.5");
    } else {
      fact("load", "open loop, %,.1f transactions due per second", offered.perSecond());
    }
  }

  private void pauses(@Nullable Pauses pauses) {
    if (pauses == null) {
      return;
    }
    Long servers = pauses.longestOfServersMicros();
    Long collection = pauses.longestCollectionOfServersMicros();
    fact(
        "pauses",
        "longest of %sthe load generator %.1f ms",
        servers == null || collection == null
            ? ""
            : String.format(
                Locale.ROOT,
                "a server %.1f ms (by its collector %.1f ms), of ",
                servers / 1e3,
                collection / 1e3),
        pauses.longestOfClientMicros() / 1e3);
  }

  private void cpu(Report report) {
    Double all = report.cpuMicrosPerCommit();
    Double client = report.clientCpuMicrosPerCommit();
    if (all == null || client == null) {
      fact(
          "processor",
          "time unknown: the cluster was already running, or this system does not report it");
    } else {
      double servers = all - client;
      fact(
          "processor",
          servers > 0
              ? "%.0f µs per commit, user and system: client %.0f, servers %.0f"
              : "%.0f µs per commit, user and system, client and servers in one process",
          all,
          client,
          servers);
    }
  }

  private void utilisation(@Nullable Utilisation use) {
    if (use != null) {
      fact(
          "utilisation",
          "of all cores: servers %.1f %%, clients %.1f %%",
          use.servers() * 100,
          use.clients() * 100);
    }
  }

  /** Says how much of the processor time is no cost of a commit. */
  private void compilers(Map<String, Object> environment) {
    if (environment.get(ThreadMeter.COMPILERS) instanceof Number share) {
      fact(
          "compilers",
          "the JIT compilers used %.0f %% of this time%s",
          share.doubleValue() * 100,
          share.doubleValue() > ThreadMeter.MOST_COMPILERS
              ? ": a longer --warmup shows what a commit costs"
              : "");
    }
  }

  private void collectors(Map<String, Object> environment) {
    if (environment.get(ThreadMeter.SERVER_COLLECTORS) instanceof Number share) {
      fact(
          "collectors",
          "the servers' garbage collectors used %.0f %% of the servers' time",
          share.doubleValue() * 100);
    }
  }

  /** Says that a measurement was disturbed. */
  private void otherPrograms(Map<String, Object> environment) {
    if (environment.get(MachineMeter.OTHER_PROGRAMS) instanceof Number share
        && share.doubleValue() > MachineMeter.MOST_OTHERS) {
      fact(
          "disturbed",
          "other programs used %.0f %% of the machine meanwhile",
          share.doubleValue() * 100);
    }
  }

  private void heap(@Nullable HeapUse use) {
    if (use == null) {
      return;
    }
    Long begin = use.serversBegin();
    Long end = use.serversEnd();
    String servers =
        begin == null || end == null
            ? ""
            : String.format(
                Locale.ROOT, "; servers together %,.0f to %,.0f MiB", begin / MIB, end / MIB);
    fact(
        "heap in use",
        "from warm-up to end %,.0f to %,.0f MiB%s",
        use.clientBegin() / MIB,
        use.clientEnd() / MIB,
        servers);
  }

  private void verdict(Report report) {
    Check check = report.check();
    if (check == null) {
      add("serializable: NOT CHECKED (--no-check)%n");
    } else {
      out.append(check.text());
    }
  }

  private static String conditionsHold(int conditions) {
    return conditions == 1
        ? "The workload's condition holds"
        : "All " + conditions + " conditions hold";
  }

  private void consistency(@Nullable Consistency consistency) {
    if (consistency == null) {
      return;
    }
    if (consistency.holds()) {
      add(
          "consistent:   yes. %s for %,d records, read at the end in %.1f s%n",
          conditionsHold(consistency.conditions().size()),
          consistency.reads(),
          consistency.seconds());
    } else {
      add("consistent:   NO. %,d violations at the end:%n", consistency.violations());
      for (Finding finding : consistency.conditions()) {
        if (finding.violations() > 0) {
          add("  %s: %,d of %,d%n", finding.condition(), finding.violations(), finding.checked());
          for (String explanation : finding.explanations()) {
            add("    %s%n", explanation);
          }
        }
      }
    }
  }

  private static String counts(Map<?, Long> counts) {
    StringBuilder text = new StringBuilder();
    counts.forEach(
        (name, count) ->
            text.append(text.isEmpty() ? "" : ", ")
                .append(name.toString().toLowerCase(Locale.ROOT).replace('_', ' '))
                .append(' ')
                .append(TextTable.number("%,d", count)));
    return text.toString();
  }

  private void fact(String name, String format, @Nullable Object... arguments) {
    add("%-13s ", name);
    add(format + "%n", arguments);
  }

  private void add(String format, @Nullable Object... arguments) {
    out.append(String.format(Locale.ROOT, format, arguments));
  }
}
