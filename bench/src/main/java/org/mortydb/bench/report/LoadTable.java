package org.mortydb.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.measure.Pauses;
import org.mortydb.cli.text.TextTable;
import org.mortydb.workloads.load.Offered;
import org.mortydb.workloads.load.Saturation;

/** A table of latency by load, of several open loops on one cluster. */
public final class LoadTable {
  /** The share of transactions that may wait at the end of a load without overload. */
  private static final double MOST_LEFT_OUT = 0.01;

  private LoadTable() {}

  /**
   * The text, with a line break at its end.
   *
   * @param loads at least one, with the same checks
   */
  public static String of(List<Report> loads) {
    Report first = loads.getFirst();
    StringBuilder out = new StringBuilder();
    Saturation saturation = first.saturation();
    if (saturation != null) {
      out.append("saturated:    ").append(text(saturation)).append('\n').append('\n');
    }
    TextTable table =
        new TextTable(column -> column == 0)
            .row(
                "load",
                "offered",
                "committed",
                "latency",
                "",
                "",
                "",
                "CPU",
                "fast",
                "longest",
                "longest")
            .row(
                "",
                "per second",
                "per second",
                "p50 ms",
                "p99 ms",
                "p99.9 ms",
                "max ms",
                "µs/commit",
                "path %",
                "pause ms",
                "GC ms");
    for (Report load : loads) {
      Offered offered = load.offered();
      Pauses pauses = load.pauses();
      table.row(
          load.settings().get("rate"),
          TextTable.number("%,.0f", offered == null ? null : offered.perSecond()),
          TextTable.number("%,.0f", load.committedPerSecond()),
          TextTable.millis(load.latencyMicros().p50()),
          TextTable.millis(load.latencyMicros().p99()),
          TextTable.millis(load.latencyMicros().p999()),
          TextTable.millis(load.latencyMicros().max()),
          TextTable.number("%.0f", load.cpuMicrosPerCommit()),
          TextTable.number("%.2f", load.fastPathShare() * 100),
          millis(pauses == null ? null : pauses.longestOfServersMicros()),
          millis(pauses == null ? null : pauses.longestCollectionOfServersMicros()));
    }
    out.append(table).append('\n');
    for (Report load : loads) {
      Offered offered = load.offered();
      long never = offered == null ? 0 : offered.turnedAway() + offered.neverBegun();
      if (offered != null && never > MOST_LEFT_OUT * offered.arrivals()) {
        out.append(
            String.format(
                Locale.ROOT,
                "%s was too much: %,d of %,d transactions never began, and latencies leave them"
                    + " out.%n",
                load.settings().get("rate"),
                never,
                offered.arrivals()));
      }
    }
    return out.append(
            "Latency counts from the time at which a transaction was due. The longest pause is")
        .append('\n')
        .append("that of a server, as it measured it: a late event loop, whatever the reason, or a")
        .append('\n')
        .append("garbage collection (GC).\n")
        .append(ReportTable.verdictOf(loads.getLast()))
        .toString();
  }

  private static @Nullable Object millis(@Nullable Long micros) {
    return micros == null ? null : TextTable.millis(micros);
  }

  /** How the saturated rate was found, in one line. */
  static String text(Saturation saturation) {
    return String.format(
        Locale.ROOT,
        "%,.0f/s, by a closed loop of %d clients (tried %s)",
        saturation.committedPerSecond(),
        saturation.clients(),
        saturation.steps().stream()
            .map(
                step ->
                    String.format(
                        Locale.ROOT, "%d: %,.0f/s", step.clients(), step.committedPerSecond()))
            .collect(Collectors.joining(", ")));
  }
}
