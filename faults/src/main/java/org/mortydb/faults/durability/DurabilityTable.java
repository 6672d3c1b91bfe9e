package org.mortydb.faults.durability;

import static org.mortydb.cli.text.TextTable.millis;
import static org.mortydb.cli.text.TextTable.number;

import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import org.mortydb.cli.text.TextTable;
import org.mortydb.faults.durability.DurabilityReport.Arm;
import org.mortydb.faults.durability.DurabilityReport.CatchUp;
import org.mortydb.faults.durability.DurabilityReport.Deaths;
import org.mortydb.faults.durability.DurabilityReport.ModePoint;
import org.mortydb.faults.durability.DurabilityReport.Pauses;
import org.mortydb.faults.durability.DurabilityReport.Restart;
import org.mortydb.workloads.load.Percentiles;

/** A {@link DurabilityReport} as text. */
final class DurabilityTable {
  private static final IntPredicate FIRST = column -> column == 0;

  private final StringBuilder out = new StringBuilder();

  private DurabilityTable() {}

  /** The text, with a line break at its end. */
  static String of(DurabilityReport report) {
    DurabilityTable table = new DurabilityTable();
    if (report.modes() != null) {
      table.modes(report.modes());
    }
    if (report.death() != null) {
      table.death(report.death());
    }
    if (report.restart() != null) {
      table.restarts(report.restart());
    }
    if (report.catchUp() != null) {
      table.catchUps(report.catchUp());
    }
    if (report.pauses() != null) {
      table.pauses(report.pauses());
    }
    if (report.collectors() != null) {
      table.title("Garbage collectors of the servers: sync, open loop");
      table.arms(report.collectors());
    }
    if (report.tls() != null) {
      table.title("Encryption: memory, closed loop");
      table.arms(report.tls());
    }
    return table.out.toString();
  }

  private void title(String title) {
    add("%s%s%n", out.isEmpty() ? "" : System.lineSeparator(), title);
  }

  private void modes(List<ModePoint> points) {
    title("Throughput of the durabilities, and as a ratio to memory");
    TextTable table =
        new TextTable(FIRST)
            .row("", "clients", "committed/s", "ratio", "CPU µs", "ratio", "commit p50", "p99 ms");
    for (ModePoint point : points) {
      Arm figures = point.figures();
      table.row(
          point.durability(),
          point.clients(),
          number("%,.0f", figures.committedPerSecond()),
          number("%.2f", point.throughputRatio()),
          number("%.0f", figures.cpuMicrosPerCommit()),
          number("%.2f", point.cpuRatio()),
          millis(figures.commitLatencyMicros().p50()),
          millis(figures.commitLatencyMicros().p99()));
    }
    out.append(table);
  }

  private void death(Deaths deaths) {
    title("Death of a coordinator, until every replica has the decision");
    Percentiles times = deaths.decidedMicros();
    add(
        "%d deaths, %d committed: p50 %s, p90 %s, p99 %s, max %s ms%n",
        deaths.count(),
        deaths.committed(),
        millis(times.p50()),
        millis(times.p90()),
        millis(times.p99()),
        millis(times.max()));
    add(
        "two inquire times (%s ms) and three round trips (p99 %s ms): %s ms, kept by %d;"
            + " with two ticks (%s ms): %s ms, kept by %d%n",
        millis(deaths.inquireMicros()),
        millis(deaths.roundTripMicros().p99()),
        millis(deaths.boundMicros()),
        deaths.withinBound(),
        millis(deaths.tickMicros()),
        millis(deaths.boundWithTicksMicros()),
        deaths.withinBoundWithTicks());
  }

  private void restarts(List<Restart> restarts) {
    title("Restart, from the start of the process until it serves");
    TextTable table = new TextTable(FIRST).row("after", "seconds", "log MB", "checkpoint MB");
    for (Restart restart : restarts) {
      table.row(
          restart.after(),
          number("%.2f", restart.secondsToServing()),
          number("%,.1f", restart.logMb()),
          number("%,.1f", restart.checkpointMb()));
    }
    out.append(table);
  }

  private void catchUps(List<CatchUp> catchUps) {
    title("Catch-up, from the start of the process");
    TextTable table =
        new TextTable(FIRST)
            .row("", "serves s", "caught up s", "keys/s", "MB", "MB/s", "others before", "ratio");
    for (CatchUp one : catchUps) {
      table.row(
          one.of(),
          number("%.2f", one.secondsToServing()),
          number("%.2f", one.secondsToCaughtUp()),
          number("%,.0f", one.keysPerSecond()),
          number("%,.1f", one.storedMb()),
          number("%.1f", one.mbPerSecond()),
          number("%,.0f/s", one.othersBeforePerSecond()),
          number("%.2f", one.othersRatio()));
    }
    out.append(table);
  }

  private void pauses(Pauses pauses) {
    title("Checkpoints and truncation, frequent and rare: sync, open loop");
    arms(List.of(pauses.frequent(), pauses.rare()));
    add(
        "difference of the commits' p99.9: %s ms, may be %s ms%n",
        millis(pauses.commitP999DifferenceMicros()), millis(pauses.goalMicros()));
  }

  private void arms(List<Arm> arms) {
    TextTable table =
        new TextTable(FIRST)
            .row(
                "",
                "committed/s",
                "CPU µs",
                "servers'",
                "commit p50",
                "p99",
                "p99.9",
                "max ms",
                "checkp.");
    for (Arm arm : arms) {
      Percentiles commit = arm.commitLatencyMicros();
      table.row(
          arm.name(),
          number("%,.0f", arm.committedPerSecond()),
          number("%.0f", arm.cpuMicrosPerCommit()),
          number("%.0f", arm.serverCpuMicrosPerCommit()),
          millis(commit.p50()),
          millis(commit.p99()),
          millis(commit.p999()),
          millis(commit.max()),
          arm.checkpoints());
    }
    out.append(table);
  }

  private void add(String format, Object... arguments) {
    out.append(String.format(Locale.ROOT, format, arguments));
  }
}
