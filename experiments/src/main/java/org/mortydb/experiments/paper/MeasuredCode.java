package org.mortydb.experiments.paper;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.mortydb.experiments.growth.GrowthRecord;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.PointRecord;
import org.mortydb.experiments.windows.WindowsRecord;
import org.mortydb.protocol.system.Morty;
import tools.jackson.databind.JsonNode;

/**
 * The files of the code that a measurement runs, and of the delays between its regions. {@code
 * docs/reference/experiments.md} lists them. Checkers, commands and figures run before or after it,
 * so they are not among them; only what records a history is.
 */
final class MeasuredCode {
  private static final List<String> ALWAYS =
      List.of("protocol", "config", "wire", "transport", "client", "workloads", "bench");

  private static final List<String> REAL = List.of("storage", "telemetry", "server");

  /** What clients record of each transaction while they are measured, for the checkers. */
  private static final List<String> RECORDING =
      List.of(
          "Deletions",
          "HistoryLog",
          "ObservedRead",
          "ObservedTransaction",
          "ObservedWrite",
          "Stamp",
          "Trace");

  private static final String CHECK = sources("check") + "/java/org/mortydb/check/";
  private static final String FAULTS = sources("faults") + "/java/org/mortydb/faults/";

  /** The name of published delays. A file of someone's own has no place in the repository. */
  private static final Pattern NAME = Pattern.compile("[\\w-]+");

  private MeasuredCode() {}

  /** The paths of the code behind a record, relative to the checkout. */
  static List<String> of(JsonNode record) {
    List<String> paths = new ArrayList<>();
    ALWAYS.forEach(module -> paths.add(sources(module)));
    RECORDING.forEach(name -> paths.add(CHECK + "journal/" + name + ".java"));
    String experiment = record.path(PointRecord.EXPERIMENT).asString("");
    boolean windows = experiment.equals(WindowsRecord.EXPERIMENT);
    boolean growth = experiment.equals(GrowthRecord.EXPERIMENT);
    if (windows || record.path(PointRecord.WAY).asString("").equals(Way.SIMULATED.toString())) {
      paths.add(sources("sim"));
      paths.add(CHECK + "history/ValueHash.java"); // a part of the simulator's randomness
      paths.add("paper/calibration");
    } else {
      REAL.forEach(module -> paths.add(sources(module)));
      paths.add("support/server.jvm");
    }
    String delays = record.path("settings").path("delays").asString("");
    if (NAME.matcher(delays).matches()) {
      paths.add("paper/delays/" + delays + ".json");
    }
    if (windows) {
      paths.add(sources("experiments") + "/java/org/mortydb/experiments/windows");
    }
    if (growth) {
      paths.add(FAULTS + "growth");
      paths.add(FAULTS + "kit/ServerFaults.java");
    } else if (windows || !record.path("system").asString("").equals(Morty.NAME)) {
      paths.add(sources("baselines"));
    }
    return List.copyOf(paths);
  }

  private static String sources(String module) {
    return module + "/src/main";
  }
}
