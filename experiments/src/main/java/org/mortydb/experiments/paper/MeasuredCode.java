package org.mortydb.experiments.paper;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.PointRecord;
import org.mortydb.experiments.windows.WindowsRecord;
import org.mortydb.protocol.system.Morty;
import tools.jackson.databind.JsonNode;

/**
 * The files of the code that a measurement runs. {@code docs/reference/experiments.md} lists them.
 * Checkers, commands and figures run before or after it, so they are not among them.
 */
final class MeasuredCode {
  private static final List<String> ALWAYS =
      List.of("protocol", "config", "wire", "transport", "client", "workloads", "bench");

  private static final List<String> REAL = List.of("storage", "telemetry", "server");

  private MeasuredCode() {}

  /** The paths of the code behind a record, relative to the checkout. */
  static List<String> of(JsonNode record) {
    List<String> paths = new ArrayList<>();
    ALWAYS.forEach(module -> paths.add(sources(module)));
    boolean windows =
        record.path(PointRecord.EXPERIMENT).asString("").equals(WindowsRecord.EXPERIMENT);
    if (windows || record.path(PointRecord.WAY).asString("").equals(Way.SIMULATED.toString())) {
      paths.add(sources("sim"));
      paths.add("paper/calibration");
    } else {
      REAL.forEach(module -> paths.add(sources(module)));
      paths.add("support/server.jvm");
    }
    if (windows) {
      paths.add(sources("experiments") + "/java/org/mortydb/experiments/windows");
    }
    if (windows || !record.path("system").asString("").equals(Morty.NAME)) {
      paths.add(sources("baselines"));
    }
    return List.copyOf(paths);
  }

  private static String sources(String module) {
    return module + "/src/main";
  }
}
