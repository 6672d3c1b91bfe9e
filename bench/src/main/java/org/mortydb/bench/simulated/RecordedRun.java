package org.mortydb.bench.simulated;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.measure.ThreadMeter;
import org.mortydb.bench.simulated.Calibration.Comparison;
import org.mortydb.bench.simulated.Calibration.Outcome;
import org.mortydb.workloads.WorkloadChoice;
import org.mortydb.workloads.load.Rounded;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Records of real runs, as points for simulated twins. */
final class RecordedRun {
  private static final JsonMapper MAPPER = new JsonMapper();

  private RecordedRun() {}

  /**
   * The point of a record.
   *
   * @throws IllegalArgumentException if it is not a run of Retwis in processes, with one partition
   *     and f = 1
   */
  static CalibrationPoint point(Path file) {
    JsonNode settings = read(file).path("settings");
    if (!settings.path("processes").asBoolean(false)
        || !settings.has("keys")
        || settings.path("partitions").asInt(1) != 1
        || settings.path("f").asInt(1) != 1) {
      throw new IllegalArgumentException(
          file + " is not a record of Retwis with --processes, one partition and f = 1");
    }
    Map<String, String> options =
        Map.of(
            "keys",
            settings.path("keys").asString(),
            "zipf",
            settings.path("zipf").asString("0")); // older records have null for uniform
    JsonNode delay = settings.path("delayMillis");
    return new CalibrationPoint(
        settings.path("system").asString("morty"),
        WorkloadChoice.of("retwis", options),
        String.valueOf(file.getFileName()),
        settings.path("clients").asInt(),
        delay.isNumber() ? delay.asDouble() : null);
  }

  /**
   * A point that an earlier calibration has run.
   *
   * @throws IllegalArgumentException if it is not one of Retwis, as a record from elsewhere may be
   */
  static CalibrationPoint point(Comparison known) {
    Map<String, @Nullable Object> point = known.point();
    if (!(point.get("system") instanceof String system)
        || !"retwis".equals(point.get("workload"))
        || !(point.get("keys") instanceof Number keys)
        || !(point.get("zipf") instanceof Number zipf)
        || !(point.get("clients") instanceof Number clients)) {
      throw new IllegalArgumentException(
          "the calibration has a point that is not one of Retwis: " + point);
    }
    return new CalibrationPoint(
        system,
        WorkloadChoice.of("retwis", Map.of("keys", keys.toString(), "zipf", zipf.toString())),
        point.get("record") instanceof String record ? record : null,
        clients.intValue(),
        point.get("delayMillis") instanceof Number delay ? delay.doubleValue() : null);
  }

  /** The result of a record. */
  static Outcome outcome(Path file) {
    JsonNode record = read(file);
    double all = number(file, record, "cpuMicrosPerCommit");
    double clients = number(file, record, "clientCpuMicrosPerCommit");
    double collectors = number(file, record.path("environment"), ThreadMeter.SERVER_COLLECTORS);
    return new Outcome(
        number(file, record, "committedPerSecond"),
        number(file, record, "commitRate"),
        record.path("latencyMicros").path("p50").asLong(),
        record.path("latencyMicros").path("p99").asLong(),
        Rounded.to(1, all - clients),
        Rounded.to(1, (all - clients) * collectors),
        clients);
  }

  private static double number(Path file, JsonNode record, String key) {
    JsonNode value = record.path(key);
    if (!value.isNumber()) {
      throw new IllegalArgumentException(file + " lacks " + key + ": run it again");
    }
    return value.asDouble();
  }

  private static JsonNode read(Path file) {
    try {
      return MAPPER.readTree(file);
    } catch (JacksonException e) {
      throw new IllegalArgumentException(file + " cannot be read: " + e.getOriginalMessage(), e);
    }
  }
}
