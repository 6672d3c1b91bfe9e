package org.mortydb.experiments.claims;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.mortydb.experiments.windows.WindowsRecord.SystemWindows;

/** The metrics of windows that claims can name. Lengths are medians on the hot key. */
enum WindowsMetric {
  SERIALIZATION("serialization", "ms", one -> one.hot().serialization().p50() / 1e3),
  VALIDITY("validity", "ms", one -> one.hot().validity().p50() / 1e3),
  COMMIT("commit", "ms", one -> one.hot().commit().p50() / 1e3),
  UPDATES("updates", "updates/s", one -> one.hot().updatesPerSecond()),
  OVERLAPPING("overlapping", "pairs", SystemWindows::overlapping);

  private final String key;
  private final String unit;
  private final ToDoubleFunction<SystemWindows> value;

  WindowsMetric(String key, String unit, ToDoubleFunction<SystemWindows> value) {
    this.key = key;
    this.unit = unit;
    this.value = value;
  }

  static List<String> names() {
    return Arrays.stream(values()).map(metric -> metric.key).toList();
  }

  /** The metric with a name of {@link #names}. */
  static WindowsMetric named(String name) {
    return values()[names().indexOf(name)];
  }

  String unit() {
    return unit;
  }

  double in(SystemWindows system) {
    return value.applyAsDouble(system);
  }
}
