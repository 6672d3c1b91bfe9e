package org.mortydb.bench.simulated;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.system.TransactionSystems;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What things cost, as {@code morty calibrate} has measured it.
 *
 * @param method how, in a few sentences
 * @param remarks what whoever uses it should know of the circumstances; empty for nothing
 * @param environment where
 * @param transport what event loops and connections cost
 * @param scales by system, by what its steps take longer in real processes
 * @param costs by system, what it has to do on each workload, by the workload's name
 * @param points runs that were made in both ways
 */
public record Calibration(
    String method,
    String remarks,
    Map<String, Object> environment,
    TransportCosts transport,
    Map<String, StepScale> scales,
    Map<String, Map<String, SystemCosts>> costs,
    List<Comparison> points) {

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /** Copies what can be changed. */
  public Calibration {
    environment = new TreeMap<>(environment);
    scales = new TreeMap<>(scales);
    costs = new TreeMap<>(costs);
    points = List.copyOf(points);
  }

  /**
   * One point, run in both ways.
   *
   * @param point what was run
   * @param real on the machine
   * @param simulated in virtual time
   * @param throughputRatio the simulated throughput by the real one
   * @param cpuRatio the same of the processor time of all processes by commit, which other work on
   *     the machine disturbs less
   */
  public record Comparison(
      Map<String, @Nullable Object> point,
      Outcome real,
      Outcome simulated,
      double throughputRatio,
      double cpuRatio) {}

  /**
   * What became of a point in one of the ways.
   *
   * @param committedPerSecond throughput
   * @param commitRate committed transactions by attempts
   * @param p50Micros half of the latencies are below
   * @param p99Micros all but one in a hundred are below
   * @param serverCpuMicrosPerCommit processor time of all servers
   * @param clientCpuMicrosPerCommit processor time of the clients
   */
  public record Outcome(
      double committedPerSecond,
      double commitRate,
      long p50Micros,
      long p99Micros,
      double serverCpuMicrosPerCommit,
      double clientCpuMicrosPerCommit) {}

  /**
   * Reads a file.
   *
   * @throws InvalidCalibrationException when it cannot be read
   */
  public static Calibration read(Path file) {
    if (!Files.isReadable(file)) {
      throw new InvalidCalibrationException(
          "there is no calibration "
              + file
              + ": name another with --calibration, or make it with 'morty calibrate --json "
              + file
              + "'",
          null);
    }
    try {
      return MAPPER.readValue(file, Calibration.class);
    } catch (JacksonException e) {
      throw new InvalidCalibrationException(
          "the calibration " + file + " cannot be read: " + e.getOriginalMessage(), e);
    }
  }

  /**
   * Writes a file, which is replaced.
   *
   * @throws JacksonException when it cannot be written
   */
  public void write(Path file) throws JacksonException {
    MAPPER.writeValue(file, this);
  }

  /** Forms of one workload have names that begin alike, such as {@code ycsb-a}. */
  private static String family(String workload) {
    return workload.split("-", 2)[0];
  }

  /**
   * What a system has to do on a workload. If that was not measured: on another form of the same
   * workload, such as another mix, or of the system that stands for it ({@link
   * org.mortydb.protocol.system.TransactionSystem#calibratedLike}).
   *
   * @throws InvalidCalibrationException when that was not measured
   */
  SystemCosts costs(String system, String workload) {
    SystemCosts found = measured(system, workload);
    String like = TransactionSystems.named(system).calibratedLike();
    if (found == null && like != null) {
      found = measured(like, workload);
    }
    if (found == null) {
      throw new InvalidCalibrationException(
          "the calibration says nothing of system '"
              + system
              + "' on workload '"
              + workload
              + "', only of "
              + described()
              + "; 'morty calibrate' measures more",
          null);
    }
    return found;
  }

  private @Nullable SystemCosts measured(String system, String workload) {
    Map<String, SystemCosts> measured = costs.getOrDefault(system, Map.of());
    SystemCosts found = measured.get(workload);
    for (String other : measured.keySet()) {
      if (found == null && family(other).equals(family(workload))) {
        found = measured.get(other);
      }
    }
    return found;
  }

  private String described() {
    StringBuilder text = new StringBuilder();
    costs.forEach(
        (system, workloads) ->
            text.append(text.isEmpty() ? "" : ", ").append(system).append(workloads.keySet()));
    return text.isEmpty() ? "nothing" : text.toString();
  }

  /** By what the system's steps take longer than {@link #costs} says. */
  StepScale scale(String system) {
    StepScale scale = scales.get(system);
    String like = TransactionSystems.named(system).calibratedLike();
    if (scale == null && like != null) {
      scale = scales.get(like);
    }
    return scale == null ? StepScale.NONE : scale;
  }

  /** The same with other scales. */
  Calibration with(Map<String, StepScale> others) {
    return new Calibration(method, remarks, environment, transport, others, costs, points);
  }
}
