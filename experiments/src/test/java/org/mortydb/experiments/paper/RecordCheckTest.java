package org.mortydb.experiments.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.experiment.GitRepository;
import org.mortydb.bench.simulated.Calibration;
import org.mortydb.cli.FailedException;
import org.mortydb.experiments.fixture.SampleReport;
import org.mortydb.experiments.fixture.TestRepository;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.runs.PointRecord;
import org.mortydb.experiments.windows.NominalCosts;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/** Times and verdicts of records; {@link ReportCheckTest} examines their ages. */
@Timeout(60)
final class RecordCheckTest {
  private static final String HOME = "morty.home";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @TempDir Path root;

  private String before = "";
  private String commit = "";

  @BeforeEach
  void enter() throws Exception {
    before = System.getProperty(HOME, "");
    System.setProperty(HOME, root.toString());
    Files.createDirectories(root.resolve("paper/experiments"));
    commit = TestRepository.in(root).commit("server/src/main/A.java");
  }

  @AfterEach
  void leave() {
    if (before.isEmpty()) {
      System.clearProperty(HOME);
    } else {
      System.setProperty(HOME, before);
    }
  }

  private Definition define(String points) throws IOException {
    Path file = root.resolve("paper/experiments/x.yaml");
    Files.writeString(
        file,
        "{name: x, title: X, warmup: 30, seconds: 10, rounds: 2, points: {%s}}".formatted(points));
    return DefinitionFile.read(file);
  }

  private ObjectNode record(Definition definition, Step step, boolean serializable) {
    ObjectNode record =
        PointRecord.measured(definition, step, SampleReport.of(step.point(), 9, serializable), 1);
    return signed(record);
  }

  private ObjectNode signed(ObjectNode record) {
    record.withObject("/environment").put("commit", commit).put("dirty", false);
    return record;
  }

  private RecordCheck check() {
    return new RecordCheck(GitRepository.at(root), 0);
  }

  @Test
  void aSimulatedRunMustHaveTheCostsOfTheRepository() throws Exception {
    Definition definition = define("way: simulated, workload: retwis, clients: 16");
    ObjectNode record = record(definition, definition.steps().getFirst(), true);
    record.withObject("/settings").put("warmup", 30).put("seconds", 10);
    assertThat(check().problem(record)).as("no calibration to compare with").isEmpty();
    Calibration calibration = NominalCosts.of("retwis");
    Path file = root.resolve(Calibration.DEFAULT_FILE);
    Files.createDirectories(file.getParent());
    calibration.write(file);
    commit = TestRepository.in(root).commit("paper/calibration/README.md");
    signed(record);
    assertThat(check().problem(record))
        .contains(
            "measured with other processor costs than those of paper/calibration/two-cores.json;"
                + " measure again");
    record.withObject("/settings").put("costs", calibration.digest());
    assertThat(check().problem(record)).isEmpty();
    Files.writeString(file, "{");
    assertThatThrownBy(this::check)
        .isInstanceOf(FailedException.class)
        .hasMessageContaining(file.toString());
  }

  /** What is wrong with a record of a point in the first round with these times. */
  private Optional<String> problem(
      Definition definition, Map<String, Object> where, double warmup, double seconds) {
    Step step =
        definition.steps().stream()
            .filter(one -> one.round() == 1)
            .filter(one -> one.point().coordinates().entrySet().containsAll(where.entrySet()))
            .findFirst()
            .orElseThrow();
    ObjectNode record = record(definition, step, true);
    record.withObject("/settings").put("warmup", warmup).put("seconds", seconds);
    return check().problem(record);
  }

  @Test
  void aShorterRunThanTheDefinitionAsksForIsRefused() throws IOException {
    Definition definition = define("workload: retwis, clients: 16");
    Map<String, Object> any = Map.of();
    assertThat(problem(definition, any, 30, 10)).isEmpty();
    assertThat(problem(definition, any, 40, 20)).as("a longer one").isEmpty();
    assertThat(problem(definition, any, 12, 10))
        .get()
        .asString()
        .matches(
            "retwis-morty-[0-9a-f]+-r1\\.json has 12 s of warm-up, the definition asks for 30 s;"
                + " measure again, as bin/morty campaign does");
    assertThat(problem(definition, any, 30, 9.5))
        .get()
        .asString()
        .contains("-r1.json has a window of 9.5 s, the definition asks for 10 s; measure again");
    assertThat(problem(definition, any, 5, 10)).as("the only load").isPresent();
    for (String way : List.of("deployed", "simulated")) {
      Definition alone = define("way: %s, workload: retwis, clients: [16, 64]".formatted(way));
      assertThat(problem(alone, Map.of("clients", 64), 5, 10)).as(way).isPresent();
      assertThat(problem(alone, Map.of("clients", 64), 30, 10)).as(way).isEmpty();
    }
  }

  @Test
  void laterLoadsOfAClusterNeedNotWarmItUpAgain() throws IOException {
    Definition definition = define("workload: {name: retwis, zipf: [0.6, 0.9]}, clients: [16, 64]");
    Map<String, Object> first = Map.of("zipf", 0.6, "clients", 16);
    Map<String, Object> second = Map.of("zipf", 0.6, "clients", 64);
    Map<String, Object> other = Map.of("zipf", 0.9, "clients", 16);
    assertThat(problem(definition, first, 5, 10)).isPresent();
    assertThat(problem(definition, first, 10, 10)).isPresent();
    assertThat(problem(definition, second, 5, 10)).isEmpty();
    assertThat(problem(definition, second, 30, 10)).as("run without the first").isEmpty();
    assertThat(problem(definition, second, 10, 10)).as("no change of the workload").isPresent();
    assertThat(problem(definition, second, 12, 10)).as("alone on its cluster").isPresent();
    assertThat(problem(definition, second, 4, 10)).isPresent();
    assertThat(problem(definition, second, 5, 1)).isPresent();
    assertThat(problem(definition, other, 10, 10)).isEmpty();
    assertThat(problem(definition, other, 5, 10)).as("it was the first of its zipf").isPresent();
    assertThat(problem(definition, other, 12, 10)).isPresent();
  }

  @Test
  void aLoadOnAClusterOfItsOwnMustWarmItUp() throws IOException {
    Definition definition = define("workload: retwis, clients: [16, 64]");
    Map<String, Object> second = Map.of("clients", 64);
    assertThat(problem(definition, second, 5, 10)).isEmpty();
    Path file = root.resolve("paper/experiments/x.yaml");
    Files.writeString(
        file, Files.readString(file).replace("{name", "{sharedClusters: false, name"));
    assertThat(problem(DefinitionFile.read(file), second, 5, 10)).isPresent();
    assertThat(problem(DefinitionFile.read(file), second, 30, 10)).isEmpty();
  }

  /** The search has warmed the processes. */
  @Test
  void aLoadAfterTheSearchForTheSaturatedRateNeedNotWarmThemUpAgain() throws IOException {
    for (String way : List.of("real", "deployed")) {
      Definition definition =
          define("way: %s, workload: retwis, rate: [max*0.5, max*0.8]".formatted(way));
      for (String rate : List.of("max*0.5", "max*0.8")) {
        assertThat(problem(definition, Map.of("rate", rate), 5, 10)).as(way).isEmpty();
        assertThat(problem(definition, Map.of("rate", rate), 12, 10)).as(way).isPresent();
      }
    }
  }

  @Test
  void aPointThatTheDefinitionDoesNotHaveHasNoTimesToComply() throws IOException {
    Definition old = define("workload: retwis, clients: 16");
    ObjectNode record = record(old, old.steps().getFirst(), true);
    record.withObject("/settings").put("warmup", 1).put("seconds", 1);
    define("workload: retwis, clients: 32");
    assertThat(check().problem(record)).as("the report says so").isEmpty();
    Files.delete(root.resolve("paper/experiments/x.yaml"));
    assertThat(check().problem(record)).isEmpty();
  }

  @Test
  void violationsAreProblemsButNoReasonToMeasureAgain() throws IOException {
    Definition definition = define("workload: retwis, clients: 16");
    ObjectNode record = record(definition, definition.steps().getLast(), false);
    assertThat(check().problem(record))
        .get()
        .asString()
        .matches(
            "a check found a violation in retwis-morty-[0-9a-f]+-r2\\.json; find its cause before"
                + " you measure again");
    assertThat(check().stands(record)).as("it is the evidence").isTrue();
    record.withObject("/environment").put("dirty", true);
    assertThat(check().stands(record)).isFalse();
    ObjectNode inconsistent = record(definition, definition.steps().getFirst(), true);
    assertThat(check().problem(inconsistent.put("consistent", true))).isEmpty();
    assertThat(check().problem(inconsistent.put("consistent", false))).isPresent();
  }

  @Test
  void windowsAndGrowthHaveVerdictsToo() {
    ObjectNode windows = signed(MAPPER.createObjectNode().put("experiment", "windows"));
    ObjectNode system = windows.putArray("systems").addObject().put("system", "tapir");
    assertThat(check().problem(windows)).isEmpty();
    system.putNull("serializable");
    assertThat(check().problem(windows)).as("without a check").isEmpty();
    system.put("serializable", true).put("overlapping", 1);
    assertThat(check().problem(windows)).as("as for morty windows").isPresent();
    system.put("overlapping", 0);
    assertThat(check().problem(windows)).isEmpty();
    system.put("serializable", false);
    assertThat(check().problem(windows))
        .get()
        .asString()
        .startsWith("a check found a violation in windows.json; ");

    ObjectNode growth = signed(MAPPER.createObjectNode().put("experiment", "growth"));
    growth.put("serializable", true).put("lost", 0);
    assertThat(check().problem(growth)).isEmpty();
    assertThat(check().problem(growth.put("lost", 1))).get().asString().contains("growth.json");
    growth.put("lost", 0).put("serializable", false);
    assertThat(check().problem(growth)).isPresent();
  }
}
