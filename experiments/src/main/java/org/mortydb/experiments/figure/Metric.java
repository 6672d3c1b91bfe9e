package org.mortydb.experiments.figure;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.mortydb.experiments.plan.Coordinates;
import tools.jackson.databind.JsonNode;

/** What records say of a run, each with its unit. */
public enum Metric {
  /** Committed transactions per second. */
  THROUGHPUT("throughput", "committed", "transactions/s", "%,.0f", 1, "committedPerSecond"),
  /** Committed transactions by attempts. */
  COMMIT_RATE("commitRate", "commit rate", "commits per attempt", "%.3f", 1, "commitRate"),
  /** Half were faster. */
  P50("p50", "p50", "ms", "%,.2f", 1e-3, "latencyMicros", "p50"),
  /** Nine in ten were faster. */
  P90("p90", "p90", "ms", "%,.2f", 1e-3, "latencyMicros", "p90"),
  /** 99 in a hundred were faster. */
  P99("p99", "p99", "ms", "%,.2f", 1e-3, "latencyMicros", "p99"),
  /** The average. */
  MEAN("mean", "mean latency", "ms", "%,.2f", 1e-3, "latencyMicros", "mean"),
  /** Of the commit alone, half were faster. */
  COMMIT_P50("commitP50", "commit p50", "ms", "%,.2f", 1e-3, "commitLatencyMicros", "p50"),
  /** Of the commit alone, 99 in a hundred were faster. */
  COMMIT_P99("commitP99", "commit p99", "ms", "%,.2f", 1e-3, "commitLatencyMicros", "p99"),
  /** Processor time of all processes by committed transaction. */
  CPU_PER_COMMIT("cpuPerCommit", "CPU per commit", "µs", "%,.0f", 1, "cpuMicrosPerCommit"),
  /** How much of the processors was used. */
  CPU_UTILISATION("cpuUtilisation", "CPU utilisation", "%", "%.0f", 1),
  /** How often a part ran again, by committed transaction. */
  REEXECUTIONS("reexecutions", "re-executions", "per commit", "%.3f", 1, "reexecutionsPerCommit"),
  /** Commits decided on the fast path. */
  FAST_PATH("fastPath", "fast path", "share of commits", "%.3f", 1, "fastPathShare");

  private final String key;
  private final String label;
  private final String unit;
  private final String format;
  private final double factor;
  private final List<String> path;

  Metric(String key, String label, String unit, String format, double factor, String... path) {
    this.key = key;
    this.label = label;
    this.unit = unit;
    this.format = format;
    this.factor = factor;
    this.path = List.of(path);
  }

  /**
   * The metric of that name.
   *
   * @throws IllegalArgumentException when there is none; lists those that there are
   */
  public static Metric named(String name) {
    return Arrays.stream(values())
        .filter(metric -> metric.key.equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "'%s' is no metric: it must be one of %s"
                        .formatted(
                            name,
                            Arrays.stream(values())
                                .map(metric -> metric.key)
                                .collect(Collectors.joining(", ")))));
  }

  /** Whether there is one of that name. */
  public static boolean isNamed(String name) {
    return Arrays.stream(values()).anyMatch(metric -> metric.key.equals(name));
  }

  /** Its name in definitions and texts. */
  public String key() {
    return key;
  }

  /** What readers call it. */
  public String label() {
    return label;
  }

  /** In what it is counted. */
  public String unit() {
    return unit;
  }

  /** A number of it as text, without the unit. */
  public String text(double value) {
    return String.format(Locale.ROOT, format, value);
  }

  /** What a record says; empty when it does not. */
  OptionalDouble in(JsonNode record) {
    if (this == CPU_UTILISATION) {
      return utilisation(record);
    }
    JsonNode node = record;
    for (String name : path) {
      node = node.path(name);
    }
    return node.isNumber() ? OptionalDouble.of(node.asDouble() * factor) : OptionalDouble.empty();
  }

  /**
   * Of the processors that the run had: of the machine that servers and clients share, else of the
   * servers'.
   */
  private static OptionalDouble utilisation(JsonNode record) {
    JsonNode known = record.path("utilisation");
    if (known.isObject()) {
      boolean apart = record.path("point").path("cores").isNumber();
      double clients = apart ? 0 : known.path("clients").asDouble(0);
      return OptionalDouble.of((known.path("servers").asDouble(0) + clients) * 100);
    }
    OptionalDouble cpu = CPU_PER_COMMIT.in(record);
    OptionalDouble rate = THROUGHPUT.in(record);
    double processors = record.path("environment").path("processors").asDouble(0);
    return cpu.isEmpty() || rate.isEmpty() || processors == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(cpu.getAsDouble() * rate.getAsDouble() / 1e4 / processors);
  }

  /** What readers call a coordinate, with its unit. */
  static String labelOf(String coordinate) {
    return switch (coordinate) {
      case "zipf" -> "Zipf exponent";
      case "delayMillis" -> "one-way delay between regions (ms)";
      case "clients" -> "clients";
      case "f" -> "failures tolerated (f)";
      case "partitions" -> "partitions";
      case "cores" -> "cores of each server";
      case "delays" -> "regions";
      case "warehouses" -> "warehouses";
      default -> Coordinates.text(coordinate);
    };
  }
}
