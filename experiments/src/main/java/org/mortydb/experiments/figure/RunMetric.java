package org.mortydb.experiments.figure;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;
import org.mortydb.experiments.plan.Coordinates;
import tools.jackson.databind.JsonNode;

/** The metrics in records of runs, with their units. */
public enum RunMetric {
  /** Committed transactions per second. */
  THROUGHPUT("throughput", "committed", "transactions/s", "%,.0f", 1, "committedPerSecond"),
  /** Committed transactions per attempt. */
  COMMIT_RATE("commitRate", "commit rate", "commits per attempt", "%.3f", 1, "commitRate"),
  /** The median latency. */
  P50("p50", "p50", "ms", "%,.2f", 1e-3, "latencyMicros", "p50"),
  /** The 90th percentile of latency. */
  P90("p90", "p90", "ms", "%,.2f", 1e-3, "latencyMicros", "p90"),
  /** The 99th percentile of latency. */
  P99("p99", "p99", "ms", "%,.2f", 1e-3, "latencyMicros", "p99"),
  /** The 99.9th percentile of latency. */
  P999("p999", "p99.9", "ms", "%,.2f", 1e-3, "latencyMicros", "p999"),
  /** The longest latency. */
  MAX("max", "max", "ms", "%,.2f", 1e-3, "latencyMicros", "max"),
  /** The arrivals of an open loop. */
  OFFERED("offered", "offered", "transactions/s", "%,.0f", 1, "offered", "perSecond"),
  /** The longest pause of a server within the window. */
  LONGEST_PAUSE(
      "longestPause", "longest pause", "ms", "%,.1f", 1e-3, "pauses", "longestOfServersMicros"),
  /** The longest pause that a server's garbage collector made within the window. */
  LONGEST_COLLECTION(
      "longestCollection",
      "longest GC",
      "ms",
      "%,.1f",
      1e-3,
      "pauses",
      "longestCollectionOfServersMicros"),
  /** The average latency. */
  MEAN("mean", "mean latency", "ms", "%,.2f", 1e-3, "latencyMicros", "mean"),
  /** The median latency of the commit alone. */
  COMMIT_P50("commitP50", "commit p50", "ms", "%,.2f", 1e-3, "commitLatencyMicros", "p50"),
  /** The 99th percentile of the commit alone. */
  COMMIT_P99("commitP99", "commit p99", "ms", "%,.2f", 1e-3, "commitLatencyMicros", "p99"),
  /** The processor time of all processes per commit. */
  CPU_PER_COMMIT("cpuPerCommit", "CPU per commit", "µs", "%,.0f", 1, "cpuMicrosPerCommit"),
  /** The use of the processors. */
  CPU_UTILISATION("cpuUtilisation", "CPU utilisation", "%", "%.0f", 1),
  /** Re-executions per commit. */
  REEXECUTIONS("reexecutions", "re-executions", "per commit", "%.3f", 1, "reexecutionsPerCommit"),
  /** The median latency of Retwis's read-only transactions. */
  READ_P50(
      "readP50",
      "reads p50",
      "ms",
      "%,.2f",
      1e-3,
      "transactions",
      "get timeline",
      "latencyMicros",
      "p50"),
  /** The 99th percentile of Retwis's read-only transactions. */
  READ_P99(
      "readP99",
      "reads p99",
      "ms",
      "%,.2f",
      1e-3,
      "transactions",
      "get timeline",
      "latencyMicros",
      "p99"),
  /** The share of answers from the past that an answer of the present would have differed from. */
  STALE(
      "stale",
      "stale answers",
      "share of answers from the past",
      "%.3f",
      1,
      "check",
      "past",
      "staleShare"),
  /** The median age of answers from the past. */
  AGE_P50("ageP50", "median age", "ms", "%,.0f", 1e-3, "check", "past", "ageP50Micros"),
  /** The 99th percentile of the age of answers from the past. */
  AGE_P99("ageP99", "age p99", "ms", "%,.0f", 1e-3, "check", "past", "ageP99Micros"),
  /** The share of commits on the fast path, without read-only ones that have no outcome. */
  FAST_PATH("fastPath", "fast path", "share of commits", "%.3f", 1, "fastPathShare");

  private static final String COMMITTED = "committedPerSecond";

  /** The keys of figures of commits. Records have a 0 in their place if nothing committed. */
  private static final Set<String> OF_COMMITS =
      Set.of(
          "latencyMicros",
          "commitLatencyMicros",
          "cpuMicrosPerCommit",
          "reexecutionsPerCommit",
          "fastPathShare");

  private final String key;
  private final String label;
  private final String unit;
  private final String format;
  private final double factor;
  private final List<String> path;

  RunMetric(String key, String label, String unit, String format, double factor, String... path) {
    this.key = key;
    this.label = label;
    this.unit = unit;
    this.format = format;
    this.factor = factor;
    this.path = List.of(path);
  }

  /**
   * The metric with a name.
   *
   * @throws IllegalArgumentException if it is unknown; the message lists all metrics
   */
  public static RunMetric named(String name) {
    return Arrays.stream(values())
        .filter(metric -> metric.key.equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown metric '%s'; the metrics are %s"
                        .formatted(
                            name,
                            Arrays.stream(values())
                                .map(metric -> metric.key)
                                .collect(Collectors.joining(", ")))));
  }

  /** Whether there is a metric with a name. */
  public static boolean isNamed(String name) {
    return Arrays.stream(values()).anyMatch(metric -> metric.key.equals(name));
  }

  /** Its name in definitions and texts. */
  public String key() {
    return key;
  }

  /** Its name for readers. */
  public String label() {
    return label;
  }

  /** Its unit. */
  public String unit() {
    return unit;
  }

  /** A value as text, without the unit. */
  public String text(double value) {
    return String.format(Locale.ROOT, format, value);
  }

  /** A value as text with the margin of its interval, if it has one, without the unit. */
  public String text(Statistic value) {
    return value.text(this::text);
  }

  /**
   * The value in a record; empty if the record lacks it, or if it is one of commits and there were
   * none.
   */
  OptionalDouble in(JsonNode record) {
    if (this == CPU_UTILISATION) {
      return utilisation(record);
    }
    JsonNode node = record;
    for (String name : path) {
      if (OF_COMMITS.contains(name) && node.path(COMMITTED).asDouble(1) == 0) {
        return OptionalDouble.empty();
      }
      node = node.path(name);
    }
    return node.isNumber() ? OptionalDouble.of(node.asDouble() * factor) : OptionalDouble.empty();
  }

  /** The utilisation of the shared machine, or of the servers' machines. */
  private static OptionalDouble utilisation(JsonNode record) {
    JsonNode known = record.path("utilisation");
    if (known.isObject()) {
      boolean apart = record.path("point").path("cores").isNumber() || areApart(record);
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

  /** Whether a run on several hosts had servers and clients on different ones. */
  private static boolean areApart(JsonNode record) {
    for (JsonNode host : record.path("settings").path("hosts")) {
      if (host.path("server").asBoolean(false) != host.path("clients").asBoolean(false)) {
        return true;
      }
    }
    return false;
  }

  /** The label of a coordinate for readers, with its unit. */
  static String labelOf(String coordinate) {
    return switch (coordinate) {
      case "zipf" -> "Zipf exponent";
      case "delayMillis" -> "one-way delay between regions (ms)";
      case "clients" -> "clients";
      case "f" -> "failures tolerated (f)";
      case "partitions" -> "partitions";
      case "cores" -> "cores of each server";
      case "delays" -> "regions";
      case "rate" -> "load";
      case "warehouses" -> "warehouses";
      default -> Coordinates.text(coordinate);
    };
  }
}
