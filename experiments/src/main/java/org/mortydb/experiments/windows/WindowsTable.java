package org.mortydb.experiments.windows;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.text.TextTable;
import org.mortydb.experiments.figure.PointTable;
import org.mortydb.experiments.windows.WindowsRecord.Lengths;
import org.mortydb.experiments.windows.WindowsRecord.SystemWindows;
import org.mortydb.workloads.load.Percentiles;

/** A measurement of windows as a table, for terminals and documents. */
public final class WindowsTable {
  private static final List<String> HEAD =
      List.of(
          "keys",
          "system",
          "updates/s",
          "aborts per update",
          "occupied",
          "serialization window, ms",
          "validity window, ms",
          "after commit of the read version, ms");

  private WindowsTable() {}

  private static List<List<String>> rows(WindowsRecord record) {
    List<List<String>> rows = new ArrayList<>();
    for (SystemWindows system : record.systems()) {
      rows.add(row(record.key(), system.system(), system.hot()));
    }
    for (SystemWindows system : record.systems()) {
      rows.add(row("all", system.system(), system.all()));
    }
    return rows;
  }

  private static List<String> row(String keys, String system, Lengths lengths) {
    @Nullable Double occupied = lengths.occupied();
    return List.of(
        keys,
        system,
        String.format(Locale.ROOT, "%,.1f", lengths.updatesPerSecond()),
        lengths.updates() == 0
            ? "-"
            : String.format(Locale.ROOT, "%.2f", (double) lengths.aborted() / lengths.updates()),
        occupied == null ? "" : String.format(Locale.ROOT, "%.1f %%", 100 * occupied),
        percentiles(lengths.serialization()),
        percentiles(lengths.validity()),
        percentiles(lengths.commit()));
  }

  private static String percentiles(Percentiles micros) {
    return micros.max() == 0
        ? "-"
        : millis(micros.p50()) + " / " + millis(micros.p90()) + " / " + millis(micros.p99());
  }

  private static String millis(long micros) {
    return String.format(Locale.ROOT, micros < 10_000 ? "%.2f" : "%.1f", micros / 1e3);
  }

  /** The table as text, with further figures. */
  public static String text(WindowsRecord record) {
    TextTable table = new TextTable(_ -> true).row(HEAD.toArray());
    rows(record).forEach(row -> table.row(row.toArray()));
    StringBuilder out = new StringBuilder(table.toString());
    out.append('\n').append("Windows: p50 / p90 / p99.\n");
    for (SystemWindows system : record.systems()) {
      out.append(
          String.format(
              Locale.ROOT,
              "%s: %,.0f transactions/s, commit rate %.3f; %s%n",
              system.system(),
              system.committedPerSecond(),
              system.commitRate(),
              check(system)));
    }
    return out.toString();
  }

  private static String check(SystemWindows system) {
    return String.format(
        Locale.ROOT,
        "of %,d pairs of consecutive updates, %,d have overlapping serialization windows"
            + " (%,d more have a blind write between them)%s",
        system.pairs(),
        system.overlapping(),
        system.separated(),
        system.unseen() == 0
            ? ""
            : String.format(Locale.ROOT, "; %,d reads without a known time", system.unseen()));
  }

  /** The table as HTML. */
  public static String html(WindowsRecord record) {
    StringBuilder out = new StringBuilder("<table>\n<tr>");
    HEAD.forEach(name -> out.append("<th>").append(name).append("</th>"));
    out.append("</tr>\n");
    for (List<String> row : rows(record)) {
      out.append("<tr>")
          .append(
              row.stream()
                  .map(cell -> "<td class=\"number\">" + PointTable.escaped(cell) + "</td>")
                  .collect(Collectors.joining()))
          .append("</tr>\n");
    }
    return out.append(
            "</table>\n<p>Windows: p50 / p90 / p99 in milliseconds. Occupied: share of time within"
                + " the serialization window of a committed update.</p>\n")
        .toString();
  }
}
