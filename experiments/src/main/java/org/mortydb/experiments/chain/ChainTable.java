package org.mortydb.experiments.chain;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.mortydb.cli.text.TextTable;
import org.mortydb.experiments.chain.ChainRecord.Bounds;
import org.mortydb.experiments.chain.ChainRecord.EventRow;
import org.mortydb.experiments.chain.ChainRecord.Lengths;
import org.mortydb.experiments.chain.ChainRecord.ObstacleRow;
import org.mortydb.experiments.chain.ChainRecord.PartRow;
import org.mortydb.experiments.chain.ChainRecord.StepRow;

/** A measurement of a chain as text, for terminals and documents. */
public final class ChainTable {
  private ChainTable() {}

  /**
   * The tables.
   *
   * @param withSteps whether to show the detailed steps
   * @param regions the names of the regions
   */
  public static String text(ChainRecord record, boolean withSteps, List<String> regions) {
    StringBuilder out = new StringBuilder();
    head(out, record);
    out.append('\n').append(parts(record)).append('\n');
    line(out, "Microseconds. Percentiles are of the steps that have the part.");
    out.append('\n').append(lengths(record));
    if (!record.obstacles().isEmpty()) {
      line(out, "");
      line(out, "Replicas that had the version and did not show it at once:");
      out.append(obstacles(record));
    }
    if (withSteps) {
      steps(out, record, regions);
    }
    return out.toString();
  }

  private static void line(StringBuilder out, String format, Object... values) {
    out.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
  }

  private static void head(StringBuilder out, ChainRecord record) {
    Bounds bounds = record.bounds();
    line(
        out,
        "%,.0f transactions/s, commit rate %.3f, %s",
        record.committedPerSecond(),
        record.commitRate(),
        record.serializable() == null
            ? "not checked"
            : record.serializable() ? "serializable" : "NOT SERIALIZABLE");
    line(
        out,
        "key %s: %,d updates, %,.0f/s; %.1f %% of the steps cross, %.1f %% are forwarded; the steps"
            + " cover %.1f %% of the time",
        record.key(),
        record.updates(),
        record.updatesPerSecond(),
        100 * record.crossingShare(),
        100.0 * record.forwarded().count() / record.all().count(),
        100 * record.covered());
    line(
        out,
        "bound: %,.0f updates/s for regions at random (%d regions, %.2f ms between them, %.2f ms"
            + " round trip within); measured %.2f of it",
        bounds.perSecond(),
        bounds.regions(),
        bounds.delayMicros() / 1e3,
        bounds.localMicros() / 1e3,
        record.updatesPerSecond() / bounds.perSecond());
    if (bounds.slotMicros() > 0) {
      line(
          out,
          bounds.slotsPerSecond() > 0
              ? "bound: %2$,.0f updates/s with slots of %1$.1f ms; measured %3$.2f of it"
              : "slots of %1$.1f ms are not longer than the delay",
          bounds.slotMicros() / 1e3,
          bounds.slotsPerSecond(),
          bounds.slotsPerSecond() > 0 ? record.updatesPerSecond() / bounds.slotsPerSecond() : 0);
    }
    int aborted = record.aborted().values().stream().mapToInt(Integer::intValue).sum();
    line(
        out,
        "per update: %.2f re-executions, %.2f executions prepared",
        record.reexecutionsPerUpdate(),
        record.preparesPerUpdate());
    line(
        out,
        "%,d updates have not read the key and wait for nobody; %,d steps have no length",
        record.separated(),
        record.empty());
    line(out, "aborted writers of the key: %,d%s", aborted, aborted == 0 ? "" : ", of which");
    record.aborted().entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .forEach(entry -> line(out, "  %,d %s", entry.getValue(), entry.getKey()));
  }

  private static TextTable parts(ChainRecord record) {
    TextTable table = new TextTable(column -> column == 0 || column == 7);
    table.row("part", "share", "mean", "steps", "p50", "p90", "p99", "of the mean");
    for (PartRow part : record.parts()) {
      Lengths having = part.having();
      table.row(
          part.part(),
          percent(part.share()),
          micros(part.mean()),
          percent((double) having.count() / record.all().count()),
          micros(having.p50()),
          micros(having.p90()),
          micros(having.p99()),
          part.media().entrySet().stream()
              .map(entry -> entry.getKey() + " " + micros(entry.getValue()))
              .collect(Collectors.joining(", ")));
    }
    return table;
  }

  private static TextTable obstacles(ChainRecord record) {
    TextTable table = new TextTable(column -> column < 2);
    table.row(
        "part", "neighbour's end, or first vote", "share", "steps", "mean", "p50", "p90", "p99");
    for (ObstacleRow row : record.obstacles()) {
      table.row(
          row.part(),
          row.reason(),
          percent(row.share()),
          String.format(Locale.ROOT, "%,d", row.waits().count()),
          micros(row.waits().mean()),
          micros(row.waits().p50()),
          micros(row.waits().p90()),
          micros(row.waits().p99()));
    }
    return table;
  }

  private static TextTable lengths(ChainRecord record) {
    TextTable table = new TextTable(column -> column == 0);
    table.row("steps", "count", "mean", "p50", "p90", "p99");
    row(table, "all", record.all());
    row(table, "between regions", record.crossing());
    row(table, "within a region", record.within());
    row(table, "forwarded", record.forwarded());
    return table;
  }

  private static void row(TextTable table, String name, Lengths lengths) {
    table.row(
        name,
        String.format(Locale.ROOT, "%,d", lengths.count()),
        micros(lengths.mean()),
        micros(lengths.p50()),
        micros(lengths.p90()),
        micros(lengths.p99()));
  }

  private static String micros(double micros) {
    return String.format(Locale.ROOT, "%,.1f", micros);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }

  private static void steps(StringBuilder out, ChainRecord record, List<String> regions) {
    for (StepRow step : record.steps()) {
      List<EventRow> events = step.events();
      if (events == null) {
        continue;
      }
      out.append(System.lineSeparator());
      line(
          out,
          "step at %,.1f ms: %s to %s%s, %,.1f us, writer %s",
          step.at() / 1e3,
          regions.get(step.from()),
          regions.get(step.to()),
          step.forwarded() ? ", forwarded" : "",
          step.micros(),
          step.writer());
      TextTable table = new TextTable(column -> column > 1);
      for (EventRow event : events) {
        table.row(
            micros(event.at()),
            "+" + micros(event.micros()),
            regions.get(event.region()),
            event.part(),
            event.medium(),
            event.event());
      }
      out.append(table);
    }
  }
}
