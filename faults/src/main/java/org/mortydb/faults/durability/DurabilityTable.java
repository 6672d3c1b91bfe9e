package org.mortydb.faults.durability;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.mortydb.faults.durability.DurabilityReport.Arm;
import org.mortydb.faults.durability.DurabilityReport.CatchUp;
import org.mortydb.faults.durability.DurabilityReport.Deaths;
import org.mortydb.faults.durability.DurabilityReport.ModePoint;
import org.mortydb.faults.durability.DurabilityReport.Pauses;
import org.mortydb.faults.durability.DurabilityReport.Restart;
import org.mortydb.workloads.load.Percentiles;

/** The report as text. */
public final class DurabilityTable {
  private static final String ARMS = "%-12s %11s %10s %10s %9s %9s %9s %10s %9s%n";

  private final StringBuilder out = new StringBuilder();

  private DurabilityTable() {}

  /** The text, with a line break at its end. */
  public static String of(DurabilityReport report) {
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
    String columns = "%-9s %8s %13s %7s %14s %7s %12s %12s%n";
    add(
        columns,
        "",
        "clients",
        "committed/s",
        "ratio",
        "CPU µs/commit",
        "ratio",
        "commit p50",
        "commit p99");
    for (ModePoint point : points) {
      Arm figures = point.figures();
      add(
          columns,
          point.durability(),
          point.clients(),
          number("%,.0f", figures.committedPerSecond()),
          number("%.2f", point.throughputRatio()),
          orDash("%.0f", figures.cpuMicrosPerCommit()),
          orDash("%.2f", point.cpuRatio()),
          millis(figures.commitLatencyMicros().p50()),
          millis(figures.commitLatencyMicros().p99()));
    }
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
    add("%-6s %10s %10s %15s%n", "after", "seconds", "log MB", "checkpoint MB");
    for (Restart restart : restarts) {
      add(
          "%-6s %10s %10s %15s%n",
          restart.after(),
          number("%.2f", restart.secondsToServing()),
          number("%,.1f", restart.logMb()),
          number("%,.1f", restart.checkpointMb()));
    }
  }

  private void catchUps(List<CatchUp> catchUps) {
    title("Catch-up, from the start of the process");
    String columns = "%-7s %10s %12s %10s %9s %7s %22s%n";
    add(columns, "", "serves s", "caught up s", "keys/s", "MB", "MB/s", "others: before, ratio");
    for (CatchUp one : catchUps) {
      add(
          columns,
          one.of(),
          number("%.2f", one.secondsToServing()),
          number("%.2f", one.secondsToCaughtUp()),
          number("%,.0f", one.keysPerSecond()),
          number("%,.1f", one.storedMb()),
          number("%.1f", one.mbPerSecond()),
          orDash("%,.0f/s, ", one.othersBeforePerSecond()) + orDash("%.2f", one.othersRatio()));
    }
  }

  private void pauses(Pauses pauses) {
    title("Checkpoints and truncation, frequent and rare: sync, open loop");
    arms(List.of(pauses.frequent(), pauses.rare()));
    add(
        "difference of the commits' p99.9: %s ms, may be %s ms%n",
        millis(pauses.commitP999DifferenceMicros()), millis(pauses.goalMicros()));
  }

  private void arms(List<Arm> arms) {
    add(
        ARMS,
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
      add(
          ARMS,
          arm.name(),
          number("%,.0f", arm.committedPerSecond()),
          orDash("%.0f", arm.cpuMicrosPerCommit()),
          orDash("%.0f", arm.serverCpuMicrosPerCommit()),
          millis(commit.p50()),
          millis(commit.p99()),
          millis(commit.p999()),
          millis(commit.max()),
          arm.checkpoints());
    }
  }

  private static String millis(long micros) {
    return number("%,.2f", micros / 1e3);
  }

  private static String orDash(String format, @Nullable Double value) {
    return value == null ? "-" : number(format, value);
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private void add(String format, Object... arguments) {
    out.append(String.format(Locale.ROOT, format, arguments));
  }
}
