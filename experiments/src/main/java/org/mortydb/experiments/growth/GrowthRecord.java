package org.mortydb.experiments.growth;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.mortydb.bench.figure.GrowthChart;
import org.mortydb.bench.figure.GrowthChart.Mark;
import org.mortydb.experiments.figure.PointTable;
import org.mortydb.workloads.load.Timeline;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The record of a run of {@code morty growth}: what was done with a cluster under load, and what
 * clients noticed of it.
 *
 * @param node the record as JSON
 */
public record GrowthRecord(ObjectNode node) {
  /** The kind of the placeholder, and the name of the experiment in the record. */
  public static final String EXPERIMENT = "growth";

  private static final JsonMapper MAPPER = new JsonMapper();

  /** The first such record. */
  public static Optional<GrowthRecord> in(List<ObjectNode> records) {
    return records.stream()
        .filter(record -> record.path("experiment").asString("").equals(EXPERIMENT))
        .findFirst()
        .map(GrowthRecord::new);
  }

  /**
   * Throughput and latency over time.
   *
   * @throws UncheckedIOException if the record has another form
   * @throws org.mortydb.bench.figure.FigureFailedException if this machine cannot draw
   */
  public String svg() {
    Timeline.Figures timeline;
    try {
      timeline = MAPPER.treeToValue(node.path("timeline"), Timeline.Figures.class);
    } catch (JacksonException e) {
      throw new UncheckedIOException(
          "a record of the experiment 'growth' does not have the form of 'morty growth --json': "
              + e.getOriginalMessage(),
          new IOException(e));
    }
    List<Mark> marks = new ArrayList<>();
    for (JsonNode step : node.path("steps")) {
      marks.add(
          new Mark(
              marks.size() + 1,
              step.path("kind").asString("").equals("kill"),
              step.path("atSecond").asDouble(0),
              step.path("untilSecond").asDouble(0)));
    }
    return GrowthChart.of("Throughput and latency while the cluster changes", timeline, marks);
  }

  /** What was done, and the longest pause of a bystander in each step. */
  public String table() {
    StringBuilder out =
        new StringBuilder(
            "<table><thead><tr><th>step</th><th>what</th><th>from s</th><th>to s</th>"
                + "<th>longest pause ms</th></tr></thead><tbody>");
    int number = 1;
    for (JsonNode step : node.path("steps")) {
      out.append(
          String.format(
              Locale.ROOT,
              "<tr><td>%d</td><td>%s</td><td>%.1f</td><td>%.1f</td><td>%.0f</td></tr>",
              number++,
              PointTable.escaped(step.path("name").asString("")),
              step.path("atSecond").asDouble(0),
              step.path("untilSecond").asDouble(0),
              step.path("pauseMillis").asDouble(0)));
    }
    return out.append("</tbody></table>").toString();
  }

  /** What came of it, in a sentence. */
  public String summary() {
    JsonNode bystander = node.path("bystander");
    return String.format(
        Locale.ROOT,
        "%,d transactions committed in %.0f s, while %d maps followed each other and %d servers"
            + " were killed. The history is %s, and %,d records were lost. The longest pause of a"
            + " bystander in a change was %.0f ms; the bound is %.0f ms",
        node.path("transactions").asLong(0),
        node.path("seconds").asDouble(0),
        node.path("changes").asInt(0),
        node.path("kills").asInt(0),
        node.path("serializable").asBoolean(false) ? "serializable" : "NOT serializable",
        node.path("lost").asLong(0),
        bystander.path("longestPauseMillis").asDouble(0),
        bystander.path("boundMillis").asDouble(0));
  }
}
