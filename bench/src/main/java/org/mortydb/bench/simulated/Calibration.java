package org.mortydb.bench.simulated;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.DidYouMean;
import org.mortydb.protocol.system.TransactionSystems;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The processor costs measured by {@code morty calibrate}.
 *
 * @param method a short description of the method
 * @param remarks remarks on the circumstances, possibly empty
 * @param environment the environment of the measurement
 * @param transport the costs of event loops and connections
 * @param storage the costs of a server's log; null if they were not measured
 * @param scales the factors by which steps take longer in real processes, by system
 * @param costs the costs by system and by the name of the workload
 * @param points the points that ran both ways
 */
public record Calibration(
    String method,
    String remarks,
    Map<String, Object> environment,
    TransportCosts transport,
    @Nullable StorageCosts storage,
    Map<String, StepScale> scales,
    Map<String, Map<String, SystemCosts>> costs,
    List<Comparison> points) {

  /** The file in the checkout that simulated runs read unless another one is named. */
  public static final String DEFAULT_FILE = "paper/calibration/two-cores.json";

  /** The fact of the environment that says how many processors the calibrated machine has. */
  private static final String PROCESSORS = "processors";

  private static final int DIGEST_DIGITS = 12;

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private static final JsonMapper CANONICAL =
      JsonMapper.builder()
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .build();

  /** Copies the collections. */
  public Calibration {
    environment = new TreeMap<>(environment);
    scales = new TreeMap<>(scales);
    costs = new TreeMap<>(costs);
    points = List.copyOf(points);
  }

  /**
   * A point that ran both ways.
   *
   * @param point the settings of the point
   * @param real the result on the machine
   * @param simulated the result in virtual time
   * @param throughputRatio the simulated throughput divided by the real one
   * @param cpuRatio the same ratio for the processor time per commit, which other work on the
   *     machine disturbs less
   */
  public record Comparison(
      Map<String, @Nullable Object> point,
      Outcome real,
      Outcome simulated,
      double throughputRatio,
      double cpuRatio) {}

  /**
   * The result of a point.
   *
   * @param committedPerSecond throughput
   * @param commitRate committed transactions divided by attempts
   * @param p50Micros the median latency
   * @param p99Micros the 99th percentile of latency
   * @param serverCpuMicrosPerCommit processor time of all servers
   * @param serverCollectorMicrosPerCommit the part of it that their garbage collectors used
   * @param clientCpuMicrosPerCommit processor time of the clients
   */
  public record Outcome(
      double committedPerSecond,
      double commitRate,
      long p50Micros,
      long p99Micros,
      double serverCpuMicrosPerCommit,
      double serverCollectorMicrosPerCommit,
      double clientCpuMicrosPerCommit) {}

  /**
   * Reads a file.
   *
   * @throws InvalidCalibrationException if the file cannot be read
   */
  public static Calibration read(Path file) {
    if (!Files.isReadable(file)) {
      throw new InvalidCalibrationException(
          "no calibration at %s: name another with --calibration, or run 'morty calibrate --json %s'"
              .formatted(file, file),
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
   * Writes a file, and replaces an existing one.
   *
   * @throws JacksonException if the file cannot be written
   */
  public void write(Path file) throws JacksonException {
    MAPPER.writeValue(file, this);
  }

  /**
   * The number of processors of the calibrated machine, which a simulated machine that all share
   * has by default.
   *
   * @throws InvalidCalibrationException if the calibration does not say it
   */
  public int processors() {
    if (environment.get(PROCESSORS) instanceof Number number && number.intValue() >= 1) {
      return number.intValue();
    }
    throw new InvalidCalibrationException(
        "the calibration does not say how many processors its machine has: set environment.%s in it"
            .formatted(PROCESSORS),
        null);
  }

  /**
   * Twelve hexadecimal digits that depend on all costs and factors and on the number of processors,
   * and on nothing else: two calibrations with the same digits yield the same figures.
   */
  public String digest() {
    Map<String, @Nullable Object> all = new TreeMap<>();
    all.put(PROCESSORS, environment.get(PROCESSORS));
    all.put("transport", transport);
    all.put("storage", storage);
    all.put("scales", scales);
    all.put("costs", costs);
    try {
      byte[] bytes = MessageDigest.getInstance("SHA-256").digest(CANONICAL.writeValueAsBytes(all));
      return HexFormat.of().formatHex(bytes).substring(0, DIGEST_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** The common prefix of the variants of a workload, such as {@code ycsb} of {@code ycsb-a}. */
  private static String family(String workload) {
    return workload.split("-", 2)[0];
  }

  /**
   * The costs of a system on a workload. If these were not measured, the costs of another variant
   * of the workload, such as another mix, or of the base system ({@link
   * org.mortydb.protocol.system.TransactionSystem#calibratedLike}).
   *
   * @throws InvalidCalibrationException if none of these was measured
   */
  SystemCosts costs(String system, String workload) {
    SystemCosts found = measured(system, workload);
    String like = TransactionSystems.named(system).calibratedLike();
    if (found == null && like != null) {
      found = measured(like, workload);
    }
    if (found == null) {
      throw new InvalidCalibrationException(
          "the calibration lacks system '%s' on workload '%s'%s; it has %s; 'morty calibrate' measures more"
              .formatted(system, workload, like == null ? "" : instead(system, like), described()),
          null);
    }
    return found;
  }

  /** Says why the costs of another system do not stand for those of one. */
  static String instead(String system, String like) {
    return TransactionSystems.names().contains(like)
        ? ", and '" + like + "', whose costs stand for it"
        : "; the costs of '%s' should stand for it by calibratedLike() of '%s', but there is no such system: correct it%s"
            .formatted(like, system, DidYouMean.hint(like, TransactionSystems.names()));
  }

  /** The costs that were measured for a system on a workload or another variant of it, or null. */
  @Nullable SystemCosts measured(String system, String workload) {
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

  /** The factor of a system's steps, by which {@link #costs} are multiplied. */
  StepScale scale(String system) {
    StepScale scale = scales.get(system);
    String like = TransactionSystems.named(system).calibratedLike();
    if (scale == null && like != null) {
      scale = scales.get(like);
    }
    return scale == null ? StepScale.NONE : scale;
  }

  /** This calibration with other costs of event loops and connections, and other scales. */
  Calibration with(TransportCosts otherTransport, Map<String, StepScale> otherScales) {
    return new Calibration(
        method, remarks, environment, otherTransport, storage, otherScales, costs, points);
  }
}
