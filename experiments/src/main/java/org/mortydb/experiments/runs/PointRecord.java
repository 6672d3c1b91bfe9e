package org.mortydb.experiments.runs;

import org.mortydb.bench.report.Report;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.workloads.load.Rounded;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The record of a point: its coordinates, and its {@link Report} or the reason of a failure. */
public final class PointRecord {
  /** The key of the experiment's name. */
  public static final String EXPERIMENT = "experiment";

  /** The key of the round. */
  public static final String ROUND = "round";

  /** The key of the way. */
  public static final String WAY = "way";

  /** The key of {@link #MEASURED} or {@link #FAILED}. */
  public static final String STATUS = "status";

  /** The status of a measured point. */
  public static final String MEASURED = "measured";

  /** The status of a failed point. */
  public static final String FAILED = "failed";

  /** The key of the reason of a failure. */
  public static final String FAILURE = "failure";

  /** The key of the number of attempts that a measured point needed, if it was not one. */
  public static final String ATTEMPTS = "attempts";

  /** The key of the duration of a measurement on the wall clock, in seconds. */
  public static final String TOOK_SECONDS = "tookSeconds";

  /** The key of the coordinates. */
  public static final String POINT = "point";

  private static final JsonMapper MAPPER = new JsonMapper();

  private PointRecord() {}

  /**
   * The record of a measured point.
   *
   * @param tookSeconds the duration on the wall clock
   */
  public static ObjectNode measured(
      Definition definition, Step step, Report report, double tookSeconds) {
    ObjectNode record = head(definition, step, MEASURED);
    record.put(TOOK_SECONDS, Rounded.to(1, tookSeconds));
    record.setAll((ObjectNode) MAPPER.valueToTree(report));
    record.remove("timeline"); // long, and no figure of several points shows it
    return record;
  }

  /** The record of a failed point. */
  public static ObjectNode failed(Definition definition, Step step, Throwable cause) {
    ObjectNode record = head(definition, step, FAILED);
    record.put(FAILURE, FailureReason.of(cause));
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

  /** Whether a record is that of a measured point. */
  public static boolean isMeasured(ObjectNode record) {
    return record.path(STATUS).asString("").equals(MEASURED);
  }

  /** Whether a check found a violation. */
  public static boolean isViolated(ObjectNode record) {
    return isFalse(record, "serializable") || isFalse(record, "consistent");
  }

  private static boolean isFalse(ObjectNode record, String key) {
    return record.path(key).isBoolean() && !record.path(key).asBoolean();
  }
}
