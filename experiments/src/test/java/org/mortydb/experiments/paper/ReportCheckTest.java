package org.mortydb.experiments.paper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.experiment.CodeVersion;
import org.mortydb.bench.experiment.GitRepository;
import org.mortydb.experiments.figure.Results;
import org.mortydb.experiments.fixture.SampleReport;
import org.mortydb.experiments.fixture.TestRepository;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.runs.PointRecord;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/** Ages of records in real repositories. */
@Timeout(60)
final class ReportCheckTest {
  private static final String TEXT =
      """
      # Report

      {{table experiment=x columns=system,throughput}}
      """;

  @TempDir Path folder;

  private Path root;
  private String first = "";

  private TestRepository repository;

  @BeforeEach
  void create() throws Exception {
    root = Files.createDirectory(folder.resolve("repository"));
    repository = TestRepository.in(root);
    first = commit("server/src/main/A.java");
  }

  private String commit(String file) throws Exception {
    return repository.commit(file);
  }

  private static Definition definition(String points) {
    return DefinitionFile.parse(
        "x.yaml",
        "{name: x, title: X, rounds: 2, points: {%s, workload: retwis}}".formatted(points));
  }

  private static List<ObjectNode> records(Definition definition, String commit, boolean dirty) {
    List<ObjectNode> records = new ArrayList<>();
    for (Step step : definition.steps()) {
      ObjectNode record =
          PointRecord.measured(definition, step, SampleReport.of(step.point(), 9, true), 1);
      ((ObjectNode) record.path("environment")).put("commit", commit).put("dirty", dirty);
      records.add(record);
    }
    return records;
  }

  private static PaperReport report(Definition definition, List<ObjectNode> records) {
    return PaperReport.of(TEXT, Map.of("x", definition), new Results(records));
  }

  private List<String> problems(String points, int maxAge) {
    Definition definition = definition(points);
    return problems(maxAge, report(definition, records(definition, first, false)));
  }

  private List<String> problems(int maxAge, PaperReport report) {
    return new ReportCheck(GitRepository.at(root), maxAge).problems(report);
  }

  @Test
  void recordsOfThisCommitAreRecent() {
    assertThat(problems("system: [morty, tapir]", 0)).isEmpty();
  }

  private static void make(List<ObjectNode> records, String commit, Predicate<ObjectNode> which) {
    records.stream()
        .filter(which)
        .forEach(record -> record.withObject("/environment").put("commit", commit));
  }

  @Test
  void recordsThatAreComparedMustBeOfTheSameCode() throws Exception {
    Definition definition = definition("system: [morty, tapir], clients: [16, 64]");
    String same = commit("docs/a.md");
    String second = commit("server/src/main/A.java");
    List<ObjectNode> mixed = records(definition, first, false);
    make(mixed, second, record -> record.at("/point/clients").asInt() == 64);
    assertThat(problems(1, report(definition, mixed))).as("those of 16 and of 64").isEmpty();
    make(mixed, second, record -> record.path("round").asInt() == 2);
    assertThat(problems(1, report(definition, mixed))).as("by rounds").isEmpty();
    Predicate<ObjectNode> tapir = record -> record.path("system").asString().equals("tapir");
    Predicate<ObjectNode> small = record -> record.at("/point/clients").asInt() == 16;
    Predicate<ObjectNode> early = record -> record.path("round").asInt() == 1;
    make(mixed, same, tapir.and(small).and(early));
    assertThat(problems(1, report(definition, mixed))).as("the same code").isEmpty();
    make(mixed, second, tapir.and(small).and(early));
    assertThat(problems(1, report(definition, mixed)))
        .singleElement()
        .asString()
        .startsWith("x: records that are compared with each other are of several commits (")
        .contains(first.substring(0, 12), second.substring(0, 12), "(comparisons: 1)");
    Definition alone = definition("system: morty, clients: [16, 64]");
    List<ObjectNode> rounds = records(alone, first, false);
    make(rounds, second, early);
    assertThat(problems(1, report(alone, rounds))).as("compared with nothing").isEmpty();
  }

  @Test
  void ageCountsCommitsOnTheMeasuredCode() throws Exception {
    commit("server/src/main/A.java");
    commit("docs/a.md");
    commit("cli/src/main/B.java");
    commit("protocol/src/test/ATest.java");
    commit("wire/src/main/A.java");
    assertThat(problems("system: morty", 2)).isEmpty();
    assertThat(problems("system: morty", 1))
        .singleElement()
        .asString()
        .isEqualTo(
            "x: commit %s is 2 commits old, at most 1 are allowed; measure again (records: 2)"
                .formatted(first.substring(0, 12)));
  }

  @Test
  void onlyOtherSystemsAgeWithTheBaselines() throws Exception {
    commit("baselines/src/main/Tapir.java");
    assertThat(problems("system: morty", 0)).isEmpty();
    assertThat(problems("system: [morty, tapir]", 0))
        .singleElement()
        .asString()
        .contains("1 commits old", "(records: 2)");
  }

  /** Their record has all systems, and the measurement itself is code that is measured. */
  @Test
  void windowsAgeWithTheBaselinesAndWithWhatMeasuresThem() {
    ObjectNode windows = new ObjectMapper().createObjectNode().put("experiment", "windows");
    assertThat(MeasuredCode.of(windows))
        .contains(
            "protocol/src/main",
            "sim/src/main",
            "baselines/src/main",
            "experiments/src/main/java/org/mortydb/experiments/windows")
        .doesNotContain("server/src/main");
  }

  @Test
  void simulatedRecordsAgeWithTheSimulatorAndTheCalibration() throws Exception {
    commit("server/src/main/A.java");
    commit("storage/src/main/A.java");
    assertThat(problems("system: morty, way: simulated", 0)).isEmpty();
    commit("sim/src/main/A.java");
    commit("paper/calibration/costs.json");
    assertThat(problems("system: morty, way: simulated", 1))
        .singleElement()
        .asString()
        .contains("2 commits old");
    assertThat(problems("system: morty", 2)).isEmpty();
  }

  /** A record whose age counts a file must not hide that the file had changed. */
  @Test
  void allMeasuredCodeIsCodeThatMustBeCommitted() throws Exception {
    Set<String> paths = new TreeSet<>();
    for (String way : List.of("real", "simulated")) {
      ObjectNode record = new ObjectMapper().createObjectNode().put("way", way);
      paths.addAll(MeasuredCode.of(record.put("system", "tapir")));
      paths.addAll(MeasuredCode.of(record.put("experiment", "windows")));
    }
    assertThat(paths).contains("paper/calibration", "support/server.jvm");
    for (String path : paths) {
      Path file = root.resolve(path.endsWith(".jvm") ? path : path + "/A.txt");
      assertThat(CodeVersion.of(GitRepository.at(root)).dirty()).isFalse();
      Files.createDirectories(file.getParent());
      Files.writeString(file, "new");
      assertThat(CodeVersion.of(GitRepository.at(root)).dirty()).as(path).isTrue();
      Files.delete(file);
    }
  }

  @Test
  void codeWithoutACommitIsOfUnknownAge() throws IOException {
    Definition definition = definition("system: morty");
    assertThat(problems(9, report(definition, records(definition, first, true))))
        .singleElement()
        .asString()
        .contains("uncommitted changes on commit " + first.substring(0, 12));
    for (String name : List.of("", "HEAD", "--all", first.substring(1))) {
      assertThat(problems(9, report(definition, records(definition, name, false))))
          .as(name)
          .singleElement()
          .asString()
          .contains("name no commit");
    }
    List<ObjectNode> silent = records(definition, first, false);
    silent.forEach(record -> ((ObjectNode) record.path("environment")).remove("dirty"));
    assertThat(problems(9, report(definition, silent)))
        .singleElement()
        .asString()
        .contains("uncommitted changes");
  }

  @Test
  void recordsOfABusyMachineAreRefused() {
    Definition definition = definition("system: morty");
    for (double share : new double[] {0.05, 0.06}) {
      List<ObjectNode> records = records(definition, first, false);
      ((ObjectNode) records.getFirst().path("environment")).put("otherPrograms", share);
      PaperReport report = report(definition, records);
      assertThat(report.html().contains("while other programs used up to 6 % of the machine"))
          .isEqualTo(share > 0.05);
      List<String> problems = problems(9, report);
      assertThat(problems).hasSize(share > 0.05 ? 1 : 0);
      assertThat(problems)
          .allMatch(
              one ->
                  one.equals(
                      "x: other programs used more than 5 % of the machine; measure again when it"
                          + " is quiet (records: 1)"));
    }
  }

  @Test
  void aCommitThatTheRepositoryLacksIsNamed() throws Exception {
    Definition definition = definition("system: morty");
    String other = "f".repeat(40);
    assertThat(problems(9, report(definition, records(definition, other, false))))
        .singleElement()
        .asString()
        .contains("lacks commit ffffffffffff", "fetch it");
    commit("server/src/main/A.java");
    repository.git("clone", "-q", "--depth", "1", root.toUri().toString(), "../shallow");
    PaperReport report = report(definition, records(definition, first, false));
    assertThat(new ReportCheck(GitRepository.at(folder.resolve("shallow")), 9).problems(report))
        .singleElement()
        .asString()
        .contains("git fetch --unshallow");
  }

  @Test
  void placesMustBeMeasuredInAllRounds() {
    Definition definition = definition("system: [morty, tapir]");
    List<ObjectNode> records = records(definition, first, false);
    assertThat(problems(0, report(definition, records.subList(0, 3))))
        .containsExactly(
            "line 3: {{table experiment=x columns=system,throughput}}: 3 of 4 runs are recorded");
    assertThat(problems(0, report(definition, List.of())))
        .containsExactly(
            "line 3: {{table experiment=x columns=system,throughput}}: 0 of 4 runs are recorded");
    assertThat(problems(0, report(definition("system: morty"), records)))
        .as("the definition has changed since")
        .containsExactly(
            "line 3: {{table experiment=x columns=system,throughput}}: 2 of 2 runs are recorded,"
                + " and 2 of points that the definition does not have");
    PaperReport windows =
        PaperReport.of("{{windows show=setting\nname=clients}}", Map.of(), new Results(List.of()));
    assertThat(problems(0, windows))
        .containsExactly("line 1: {{windows show=setting name=clients}}: not measured");
  }
}
