package org.mortydb.telemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page describes exactly the metrics of the code. */
class MetricsDocTest {
  private static final Path PAGE = Path.of("../docs/reference/metrics.md");

  @Test
  void thePageHasExactlyTheRowsOfTheCode() throws IOException {
    List<String> rows = new ArrayList<>();
    for (Metric metric : Metric.values()) {
      rows.add(row(metric));
    }
    List<String> written =
        Files.readAllLines(PAGE).stream().filter(line -> line.startsWith("| `morty_")).toList();
    assertThat(written)
        .as("the rows of %s, which must be these:%n%s", PAGE, String.join("\n", rows))
        .containsExactlyElementsOf(rows);
  }

  private static String row(Metric metric) {
    boolean alwaysOne = metric.kind() == Metric.Kind.INFO;
    return "| `%s` | %s | %s | %s | %s |"
        .formatted(
            metric.exposedName(),
            metric.kind().name().toLowerCase(Locale.ROOT),
            alwaysOne ? "" : metric.unit().isEmpty() ? "0 or 1" : metric.unit(),
            metric.labels().stream()
                .map(label -> "`" + label + "`")
                .collect(Collectors.joining(", ")),
            metric.meaning());
  }
}
