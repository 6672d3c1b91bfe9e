package org.mortydb.telemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The series that the alerts look at exist, and the guide explains each alert. */
class AlertsTest {
  private static final Path ALERTS = Path.of("../deploy/helm/morty/files/alerts.yaml");
  private static final Path CHART = Path.of("../deploy/helm/morty/templates/monitoring.yaml");
  private static final Path GUIDE = Path.of("../docs/how-to/respond-to-alerts.md");
  private static final Pattern ALERT = Pattern.compile("- alert: (\\w+)\\s+expr: (.+)");

  private static Map<String, String> alerts(Path file) throws IOException {
    Map<String, String> alerts = new HashMap<>();
    Matcher found = ALERT.matcher(Files.readString(file));
    while (found.find()) {
      assertThat(alerts.put(found.group(1), found.group(2))).as(found.group(1)).isNull();
    }
    return alerts;
  }

  @Test
  void everyMetricOfTheAlertsExists() throws Exception {
    Map<String, Metric> series = DashboardTest.series();
    Map<String, String> alerts = alerts(ALERTS);
    assertThat(alerts).hasSizeGreaterThan(15);
    alerts.forEach(
        (alert, expression) -> {
          Matcher names = DashboardTest.NAME.matcher(expression);
          while (names.find()) {
            assertThat(series).as(alert).containsKey(names.group(1));
          }
        });
  }

  @Test
  void everyAlertIsExplained() throws Exception {
    Map<String, String> alerts = new HashMap<>(alerts(ALERTS));
    alerts.putAll(alerts(CHART));
    List<String> explained =
        Files.readAllLines(GUIDE).stream()
            .filter(line -> line.startsWith("### "))
            .map(line -> line.substring(4))
            .toList();
    assertThat(explained).containsExactlyInAnyOrderElementsOf(alerts.keySet());
  }
}
