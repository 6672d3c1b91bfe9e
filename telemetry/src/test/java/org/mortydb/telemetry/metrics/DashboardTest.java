package org.mortydb.telemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The series that the Grafana dashboard queries exist. */
class DashboardTest {
  private static final Path DASHBOARD = Path.of("../deploy/grafana/morty.json");
  static final Pattern NAME = Pattern.compile("\\b((?:morty|jvm|process)_[a-z_]+)");
  private static final Pattern LABELS =
      Pattern.compile("(?:\\b(?:by|without) \\(([^)]*)\\)|\\{([^}]*)\\})");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)(?:\\s*[=!]~?\\s*\"[^\"]*\")?");

  /** Labels that Prometheus adds: the target, and the bound of a bucket. */
  private static final Set<String> ADDED = Set.of("instance", "job", "le");

  private static List<String> queries() {
    List<String> queries = new ArrayList<>();
    collect(JsonMapper.builder().build().readTree(DASHBOARD.toFile()), queries);
    return queries;
  }

  private static void collect(JsonNode node, List<String> queries) {
    if (node.isObject() && node.has("expr")) {
      queries.add(node.get("expr").asString());
    }
    node.forEach(child -> collect(child, queries));
  }

  /** The metric of every series, by the series' name; null for the JVM's. */
  static Map<String, Metric> series() {
    Map<String, Metric> series = new HashMap<>();
    for (Metric metric : Metric.values()) {
      if (metric.kind() == Metric.Kind.HISTOGRAM) {
        for (String part : List.of("_bucket", "_count", "_sum")) {
          series.put(metric.exposedName() + part, metric);
        }
      } else {
        series.put(metric.exposedName(), metric);
      }
    }
    PrometheusRegistry registry = new PrometheusRegistry();
    JvmMetrics.builder().register(registry);
    for (var snapshot : registry.scrape()) {
      String name = snapshot.getMetadata().getPrometheusName();
      for (String part : List.of("", "_total", "_count", "_sum", "_info")) {
        series.put(name + part, null);
      }
    }
    return series;
  }

  @Test
  void everyMetricOfTheDashboardExists() {
    Map<String, Metric> series = series();
    List<String> queries = queries();
    assertThat(queries).hasSizeGreaterThan(20);
    for (String query : queries) {
      Matcher names = NAME.matcher(query);
      boolean any = false;
      while (names.find()) {
        any = true;
        assertThat(series).as(query).containsKey(names.group(1));
      }
      assertThat(any).as(query).isTrue();
    }
  }

  @Test
  void everyLabelOfTheDashboardExists() {
    Map<String, Metric> series = series();
    for (String query : queries()) {
      Set<String> known = new HashSet<>(ADDED);
      boolean ofTheJvm = false;
      Matcher names = NAME.matcher(query);
      while (names.find()) {
        Metric metric = series.get(names.group(1));
        ofTheJvm |= metric == null;
        if (metric != null) {
          known.addAll(metric.labels());
        }
      }
      Set<String> asked = new TreeSet<>();
      Matcher lists = LABELS.matcher(query);
      while (lists.find()) {
        Matcher labels = LABEL.matcher(lists.group(1) != null ? lists.group(1) : lists.group(2));
        while (labels.find()) {
          asked.add(labels.group(1));
        }
      }
      if (!ofTheJvm) {
        assertThat(known).as(query).containsAll(asked);
      }
    }
  }

  /** A rate of a gauge, or a counter without a rate, would draw nonsense. */
  @Test
  void onlyWhatGrowsIsRated() {
    Map<String, Metric> series = series();
    for (String query : queries()) {
      Matcher names = NAME.matcher(query);
      while (names.find()) {
        Metric metric = series.get(names.group(1));
        if (metric != null) {
          String before = query.substring(0, names.start());
          boolean rated = before.endsWith("rate(") || before.endsWith("increase(");
          boolean grows =
              metric.kind() == Metric.Kind.COUNTER || metric.kind() == Metric.Kind.HISTOGRAM;
          assertThat(rated).as("%s in %s", names.group(1), query).isEqualTo(grows);
        }
      }
    }
  }
}
