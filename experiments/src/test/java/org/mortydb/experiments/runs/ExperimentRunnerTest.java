package org.mortydb.experiments.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.experiments.fixture.SampleReport;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.ExperimentRunner.Outcome;
import org.mortydb.workloads.load.Progress;
import tools.jackson.databind.node.ObjectNode;

/** The order of things, with a runner that makes reports up. */
final class ExperimentRunnerTest {
  private static final Definition DEFINITION =
      DefinitionFile.parse(
          "x.yaml",
          """
          name: x
          title: X
          rounds: 2
          preheat: 0.5
          points: {system: [morty, occ], workload: retwis, clients: [1, 2]}
          """);

  @TempDir Path folder;

  private final List<Point> run = new ArrayList<>();
  private int failAt = -1;
  private boolean violated;

  private ExperimentRunner runner(Definition definition) {
    PointRunner invented =
        (point, progress) -> {
          if (point.seconds() != definition.preheatSeconds()) {
            run.add(point);
          }
          if (run.size() == failAt) {
            throw new IllegalStateException("the server is on fire");
          }
          return SampleReport.of(point, 100, !violated);
        };
    return new ExperimentRunner(
        definition, new RecordFolder(folder), Map.of(Way.REAL, invented), Progress.NONE);
  }

  private long files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.count();
    }
  }

  @Test
  void everyPointOfEveryRoundLeavesARecord() throws Exception {
    Outcome outcome = runner(DEFINITION).run(false);
    assertThat(outcome).isEqualTo(new Outcome(8, 0, List.of(), List.of()));
    assertThat(files()).isEqualTo(8);
    List<ObjectNode> records = RecordFolder.readAll(folder);
    assertThat(records).hasSize(8);
    assertThat(records)
        .allSatisfy(
            record -> {
              assertThat(record.get("experiment").asString()).isEqualTo("x");
              assertThat(record.get("way").asString()).isEqualTo("real");
              assertThat(record.get("status").asString()).isEqualTo("measured");
              assertThat(record.get("committedPerSecond").asDouble()).isEqualTo(100);
              assertThat(record.get("system").asString())
                  .isEqualTo(record.get("point").get("system").asString());
            });
    assertThat(records).extracting(record -> record.get("round").asInt()).contains(1, 2);
  }

  @Test
  void whatHasARecordIsNotRunAgain() throws Exception {
    runner(DEFINITION).run(false);
    Path one;
    try (Stream<Path> files = Files.list(folder)) {
      one = files.findFirst().orElseThrow();
    }
    Files.delete(one);
    run.clear();
    assertThat(runner(DEFINITION.with(0, 77, 2)).run(false))
        .isEqualTo(new Outcome(1, 7, List.of(), List.of()));
    assertThat(run).extracting(Point::seconds).containsExactly(77.0);
    assertThat(Files.exists(one)).isTrue();
    run.clear();
    assertThat(runner(DEFINITION).run(true).measured()).isEqualTo(8);
    assertThat(run).hasSize(8);
  }

  @Test
  void aPointThatFailsIsRecordedAndTriedAgainNextTime() throws Exception {
    failAt = 3;
    Outcome outcome = runner(DEFINITION).run(false);
    assertThat(run).hasSize(8);
    assertThat(outcome.measured()).isEqualTo(7);
    assertThat(outcome.failures())
        .containsExactly("occ, retwis, clients 2, round 1: the server is on fire");
    assertThat(RecordFolder.readAll(folder))
        .filteredOn(record -> record.get("status").asString().equals("failed"))
        .singleElement()
        .satisfies(
            record ->
                assertThat(record.get("failure").asString()).isEqualTo("the server is on fire"));
    failAt = -1;
    run.clear();
    assertThat(runner(DEFINITION).run(false)).isEqualTo(new Outcome(1, 7, List.of(), List.of()));
  }

  @Test
  void violationsAreToldOfAlsoWhenTheyWereFoundBefore() throws Exception {
    violated = true;
    assertThat(runner(DEFINITION).run(false).violations()).hasSize(8);
    assertThat(runner(DEFINITION).run(false).violations())
        .hasSize(8)
        .allMatch(text -> text.contains("retwis, clients") && text.endsWith(".json"));
  }

  @Test
  void aRecordThatCannotBeReadIsNamed() throws Exception {
    runner(DEFINITION).run(false);
    Path one;
    try (Stream<Path> files = Files.list(folder)) {
      one = files.findFirst().orElseThrow();
    }
    Files.writeString(one, "{\"experiment\": ");
    assertThatThrownBy(() -> runner(DEFINITION).run(false))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cannot read " + one);
  }

  @Test
  void pointsThatNobodyCanRunAreRefusedAtOnce() {
    Definition simulated =
        DefinitionFile.parse(
            "x.yaml", "name: x\ntitle: X\npoints: {workload: retwis, way: simulated, cores: 24}\n");
    assertThatThrownBy(() -> runner(simulated)).hasMessageContaining("x has simulated points");
  }

  @Test
  void anExperimentIsFittedIntoTheTimeThatThereIs() {
    Definition quick = TimePlan.fit(DEFINITION, 0.01);
    assertThat(quick.rounds()).isEqualTo(1);
    assertThat(quick.points().getFirst().seconds()).isEqualTo(1);
    Definition longer = TimePlan.fit(DEFINITION, 60);
    assertThat(longer.rounds()).isEqualTo(2);
    assertThat(TimePlan.seconds(longer)).isBetween(3_500.0, 3_700.0);
    Definition shorter = TimePlan.fit(DEFINITION, 2);
    assertThat(TimePlan.seconds(shorter)).isBetween(100.0, 140.0);
  }
}
