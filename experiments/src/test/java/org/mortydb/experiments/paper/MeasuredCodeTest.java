package org.mortydb.experiments.paper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.cli.Checkout;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/** The files of the code behind a record. */
final class MeasuredCodeTest {
  private static final String JOURNAL = "check/src/main/java/org/mortydb/check/journal/";

  private static ObjectNode record(String experiment, String way) {
    ObjectNode record = new ObjectMapper().createObjectNode().put("experiment", experiment);
    return way.isEmpty() ? record : record.put("way", way).put("system", "morty");
  }

  private static ObjectNode delayed(ObjectNode record, String delays) {
    record.putObject("settings").put("delays", delays);
    return record;
  }

  /** Git counts no commits on a path that does not exist, so a renamed file would go unnoticed. */
  @Test
  void allPathsExist() {
    Path root = Checkout.find("paper/experiments").orElseThrow().resolve("../..").normalize();
    for (ObjectNode record :
        List.of(
            record("windows", ""),
            record("growth", ""),
            record("x", "real").put("system", "tapir"),
            delayed(record("x", "simulated"), "global"))) {
      assertThat(MeasuredCode.of(record)).allMatch(path -> Files.exists(root.resolve(path)));
    }
  }

  @Test
  void publishedDelaysAreMeasured() {
    for (String way : List.of("real", "deployed", "simulated")) {
      assertThat(MeasuredCode.of(delayed(record("x", way), "global")))
          .contains("paper/delays/global.json")
          .doesNotContain("paper/delays", "paper/delays/regional.json");
    }
    assertThat(MeasuredCode.of(record("x", "simulated")))
        .noneMatch(path -> path.startsWith("paper/delays"));
    ObjectNode windows = record("windows", "");
    windows.putObject("settings").putNull("delays");
    assertThat(MeasuredCode.of(windows)).noneMatch(path -> path.startsWith("paper/delays"));
    assertThat(MeasuredCode.of(delayed(windows, "/tmp/own.json")))
        .as("a file of one's own has no commits")
        .noneMatch(path -> path.contains("own"));
  }

  /** Clients record the history while they are measured. It is checked only afterwards. */
  @Test
  void ofTheCheckersOnlyTheRecordingIsMeasured() {
    for (ObjectNode record :
        List.of(record("x", "real"), record("x", "simulated"), record("growth", ""))) {
      assertThat(MeasuredCode.of(record))
          .contains(JOURNAL + "HistoryLog.java", JOURNAL + "Trace.java")
          .doesNotContain("check/src/main", JOURNAL + "SerialReplay.java");
    }
    assertThat(MeasuredCode.of(record("x", "simulated")))
        .as("the simulator's random numbers")
        .contains("check/src/main/java/org/mortydb/check/history/ValueHash.java");
  }

  @Test
  void growthRunsItsOwnStepsAndNoBaselines() {
    assertThat(MeasuredCode.of(record("growth", "")))
        .contains(
            "server/src/main",
            "faults/src/main/java/org/mortydb/faults/growth",
            "faults/src/main/java/org/mortydb/faults/kit/ServerFaults.java")
        .doesNotContain("baselines/src/main", "faults/src/main");
    assertThat(MeasuredCode.of(record("x", "real"))).noneMatch(path -> path.startsWith("faults/"));
  }
}
