package org.mortydb.telemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MetricTest {

  @Test
  void namesFollowTheRulesOfPrometheus() {
    Set<String> names = new HashSet<>();
    for (Metric metric : Metric.values()) {
      String name = metric.exposedName();
      assertThat(name).matches("morty(_[a-z]+)+");
      assertThat(names.add(name)).as(name).isTrue();
      assertThat(metric.kind() == Metric.Kind.COUNTER).isEqualTo(name.endsWith("_total"));
      assertThat(metric.unit().equals("seconds")).isEqualTo(name.endsWith("_seconds"));
      assertThat(metric.kind() == Metric.Kind.HISTOGRAM)
          .as(name)
          .isIn(false, name.endsWith("_seconds"));
      assertThat(metric.meaning()).matches("(?s)[A-Z0-9].*\\.");
    }
  }

  @Test
  void aMetricIsOfOneKind() {
    PrometheusRegistry registry = new PrometheusRegistry();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Metric.REPLICA_KEYS.counter(registry))
        .withMessageContainingAll("morty_replica_keys", "GAUGE", "COUNTER");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Metric.REPLICA_PUSHES.histogram(registry));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Metric.REPLICA_PUSHES.gauge(registry, to -> {}));
  }
}
