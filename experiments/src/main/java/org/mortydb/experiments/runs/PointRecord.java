package org.mortydb.experiments.runs;

import org.mortydb.bench.report.Report;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.workloads.load.Rounded;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The record of a point: which it is, and the {@link Report} on it, or why there is none. */
public final class PointRecord {
  /** The key of the experiment's name. */
  public static final String EXPERIMENT = "experiment";

  /** The key of the round. */
  public static final String ROUND = "round";

  /** The key of the way. */
  public static final String WAY = "way";

  /** The key of {@link #MEASURED} or {@link #FAILED}. */
  public static final String STATUS = "status";

  /** The point has been run. */
  public static final String MEASURED = "measured";

  /** The point could not be run to its end. */
  public static final String FAILED = "failed";

  /** The key of the reason for that. */
  public static final String FAILURE = "failure";

  /** The key of the coordinates. */
  public static final String POINT = "point";

  private static final JsonMapper MAPPER = new JsonMapper();

  private PointRecord() {}

  /**
   * Of a point that has been run.
   *
   * @param tookSeconds how long that took, on the wall
   */
  public static ObjectNode measured(
      Definition definition, Step step, Report report, double tookSeconds) {
    ObjectNode record = head(definition, step, MEASURED);
    record.put("tookSeconds", Rounded.to(1, tookSeconds));
    record.setAll((ObjectNode) MAPPER.valueToTree(report));
    return record;
  }

  /** Of a point that could not be run to its end. */
  public static ObjectNode failed(Definition definition, Step step, RuntimeException cause) {
    ObjectNode record = head(definition, step, FAILED);
    String message = cause.getMessage();
    record.put(FAILURE, message == null ? cause.toString() : message);
    record.put("system", step.point().system().name());
    record.put("workload", step.point().workload().name());
    return record;
  }

  private static ObjectNode head(Definition definition, Step step, String status) {
    ObjectNode record = MAPPER.createObjectNode();
    record.put(EXPERIMENT, definition.name());
    record.put(ROUND, step.round());
    record.put(WAY, step.point().way().toString());
    record.put(STATUS, status);
    record.set(POINT, MAPPER.valueToTree(step.point().coordinates()));
    return record;
  }

  /** Whether the point of a record has been run. */
  public static boolean isMeasured(ObjectNode record) {
    return record.path(STATUS).asString("").equals(MEASURED);
  }

  /** Whether a check of the point of a record has found a violation. */
  public static boolean isViolated(ObjectNode record) {
    return isFalse(record, "serializable") || isFalse(record, "consistent");
  }

  private static boolean isFalse(ObjectNode record, String key) {
    return record.path(key).isBoolean() && !record.path(key).asBoolean();
  }
}
