package org.mortydb.experiments.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.report.Report;
import org.mortydb.experiments.fixture.SampleReport;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
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

  /** A runner of hosts fails so many times, and then succeeds. */
  private final class Failing implements PointRunner {
    private int left;

    Failing(int failures) {
      left = failures;
    }

    @Override
    public Report run(Point point, Progress progress) {
      run.add(point);
      if (left > 0) {
        left--;
        throw new IllegalStateException("agent 'west' has ended");
      }
      return SampleReport.of(point, 100, true);
    }

    @Override
    public int tries() {
      return 3;
    }
  }

  /** Runs points on shared clusters, and remembers which. */
  private final class Sharing implements PointRunner {
    private final List<List<Point>> clusters = new ArrayList<>();

    @Override
    public boolean sharesClusters() {
      return true;
    }

    @Override
    public Report run(Point point, Progress progress) {
      return SampleReport.of(point, 100, true); // preheats
    }

    @Override
    public List<Report> runAll(List<Point> points, Progress progress) {
      clusters.add(points);
      if (clusters.size() == failAt) {
        throw new IllegalStateException("the server is on fire");
      }
      return points.stream().map(one -> SampleReport.of(one, one.clients(), true)).toList();
    }
  }

  private Outcome shared(Sharing sharing) throws InterruptedException {
    return new ExperimentRunner(
            DEFINITION.with(5, 10, 2),
            new RecordFolder(folder),
            Map.of(Way.REAL, sharing),
            Progress.NONE)
        .run(false);
  }

  @Test
  void aDefinitionCanGiveEachPointAClusterOfItsOwn() throws Exception {
    Sharing sharing = new Sharing();
    Definition apart =
        DefinitionFile.parse(
            "x.yaml",
            """
            name: x
            title: X
            sharedClusters: false
            points: {system: [morty, occ], clients: [1, 2], workload: retwis}
            """);
    new ExperimentRunner(apart, new RecordFolder(folder), Map.of(Way.REAL, sharing), Progress.NONE)
        .run(false);
    assertThat(sharing.clusters).hasSize(4).allSatisfy(all -> assertThat(all).hasSize(1));
    assertThat(TimePlan.seconds(apart)).isGreaterThan(4 * 15);
  }

  @Test
  void pointsThatDifferInTheirLoadShareACluster() throws Exception {
    Sharing sharing = new Sharing();
    assertThat(shared(sharing)).isEqualTo(new Outcome(8, 0, List.of(), List.of()));
    assertThat(sharing.clusters)
        .hasSize(4)
        .allSatisfy(all -> assertThat(all).extracting(Point::clients).containsExactly(1, 2));
    assertThat(sharing.clusters)
        .extracting(all -> all.getFirst().system().name())
        .containsExactly("morty", "occ", "occ", "morty");
    assertThat(RecordFolder.readAll(folder))
        .allSatisfy(
            record ->
                assertThat(record.get("committedPerSecond").asInt())
                    .isEqualTo(record.get("point").get("clients").asInt()));
  }

  @Test
  void pointsThatDifferInTheirPopularityShareAClusterWhereverTheyAre() throws Exception {
    Definition definition =
        DefinitionFile.parse(
            "x.yaml",
            """
            name: x
            title: X
            defaults: {system: [morty, occ], f: [1, 2]}
            points:
              - {label: even, workload: {name: retwis, keys: 600}}
              - {label: uneven, workload: {name: retwis, keys: 600, zipf: 0.9}}
              - {label: more, workload: {name: retwis, keys: 1200, zipf: 0.9}}
            """);
    Sharing sharing = new Sharing();
    new ExperimentRunner(
            definition, new RecordFolder(folder), Map.of(Way.REAL, sharing), Progress.NONE)
        .run(false);
    assertThat(sharing.clusters).hasSize(8);
    assertThat(TimePlan.seconds(definition.with(20, 10, 1)))
        .as("another popularity settles for longer")
        .isEqualTo(8 * (6 + 20 + 10) + 4 * (10 + 10));
    assertThat(sharing.clusters.subList(0, 4))
        .allSatisfy(
            all -> assertThat(all).extracting(Point::label).containsExactly("even", "uneven"));
    assertThat(sharing.clusters.subList(4, 8))
        .allSatisfy(all -> assertThat(all).extracting(Point::label).containsExactly("more"));
    assertThat(sharing.clusters)
        .extracting(all -> all.getFirst().system().name() + all.getFirst().f())
        .containsExactly("morty1", "occ1", "occ2", "morty2", "morty1", "occ1", "occ2", "morty2");
  }

  @Test
  void aSharedClusterThatFailsFailsAllItsPointsAndOthersRun() throws Exception {
    failAt = 1;
    Outcome outcome = shared(new Sharing());
    assertThat(outcome.measured()).isEqualTo(6);
    assertThat(outcome.failures())
        .containsExactly(
            "morty, retwis, clients 1, round 1: the server is on fire",
            "morty, retwis, clients 2, round 1: the server is on fire");
    failAt = -1;
    Sharing again = new Sharing();
    assertThat(shared(again)).isEqualTo(new Outcome(2, 6, List.of(), List.of()));
    assertThat(again.clusters.getLast()).extracting(Point::clients).containsExactly(1, 2);
  }

  @Test
  void theEstimateKnowsThatClustersAreShared() {
    Definition definition = DEFINITION.with(20, 10, 2);
    double clusters = 4 * (6 + 20 + 10 + 5 + 10);
    assertThat(
            TimePlan.seconds(definition) - TimePlan.seconds(definition, step -> step.round() > 1))
        .isEqualTo(clusters / 2);
  }

  private static final Definition DEPLOYED =
      DefinitionFile.parse(
          "x.yaml",
          """
          name: x
          title: X
          points: {way: deployed, workload: retwis, clients: [1, 2]}
          """);

  private Outcome deployed(int failures, List<Duration> slept) throws InterruptedException {
    return new ExperimentRunner(
            DEPLOYED,
            new RecordFolder(folder),
            Map.of(Way.DEPLOYED, new Failing(failures)),
            Progress.NONE,
            slept::add)
        .run(false);
  }

  @Test
  void aDeployedPointThatFailsIsTriedAgainAtOnce() throws Exception {
    List<Duration> slept = new ArrayList<>();
    assertThat(deployed(2, slept)).isEqualTo(new Outcome(2, 0, List.of(), List.of()));
    assertThat(run).extracting(Point::clients).containsExactly(1, 1, 1, 2);
    assertThat(slept).containsExactly(Duration.ofSeconds(5), Duration.ofSeconds(10));
    List<ObjectNode> records = RecordFolder.readAll(folder);
    assertThat(records).extracting(record -> record.path("attempts").asInt(1)).containsOnly(1, 3);
    assertThat(records)
        .extracting(record -> record.get("way").asString())
        .containsExactly("deployed", "deployed");
  }

  @Test
  void aDeployedPointIsGivenUpAfterThreeTries() throws Exception {
    List<Duration> slept = new ArrayList<>();
    Outcome outcome = deployed(3, slept);
    assertThat(run).extracting(Point::clients).containsExactly(1, 1, 1, 2);
    assertThat(outcome.measured()).isEqualTo(1);
    assertThat(outcome.failures()).singleElement().asString().contains("agent 'west' has ended");
    assertThat(slept).hasSize(2);
    run.clear();
    assertThat(deployed(0, slept)).isEqualTo(new Outcome(1, 1, List.of(), List.of()));
    assertThat(run).extracting(Point::clients).containsExactly(1);
  }

  @Test
  void deployedPointsNeedAgents() {
    assertThatThrownBy(() -> runner(DEPLOYED).run(false))
        .isInstanceOf(MissingRunnerException.class)
        .hasMessageContaining("deployed")
        .hasMessageContaining("--agents");
  }

  /** The same points on hosts are other points, with records of their own. */
  @Test
  void deployingChangesTheWayAlone() {
    Definition deployed = DEFINITION.deployed();
    assertThat(deployed.points()).hasSameSizeAs(DEFINITION.points());
    for (int i = 0; i < deployed.points().size(); i++) {
      Map<String, Object> here = new HashMap<>(DEFINITION.points().get(i).coordinates());
      Map<String, Object> there = new HashMap<>(deployed.points().get(i).coordinates());
      assertThat(here.remove("way")).isEqualTo("real");
      assertThat(here.remove("processes")).isEqualTo(true);
      assertThat(there.remove("way")).isEqualTo("deployed");
      assertThat(there).isEqualTo(here);
    }
    assertThat(deployed.preheating()).isEmpty();
  }

  /** A deployed point would measure the default level, under the name of the other. */
  @Test
  void pointsWithALevelOfReadsStayOnThisMachine() {
    Definition levels =
        DefinitionFile.parse(
            "x.yaml",
            """
            name: x
            title: X
            points:
              - {workload: retwis, readOnlyLevel: [serializable, snapshot]}
              - {workload: retwis}
            """);
    assertThat(levels.deployed().points())
        .extracting(Point::way)
        .containsExactly(Way.REAL, Way.REAL, Way.DEPLOYED);
    assertThat(levels.deployed().points().subList(0, 2)).isEqualTo(levels.points().subList(0, 2));
  }

  @Test
  void theEstimateIsOfWhatIsLeft() throws Exception {
    double all = TimePlan.seconds(DEPLOYED);
    assertThat(all).isEqualTo(2 * (15 + 5 + 10));
    RecordFolder records = new RecordFolder(folder);
    Step first = DEPLOYED.steps().getFirst();
    records.write(
        first, PointRecord.measured(DEPLOYED, first, SampleReport.of(first.point(), 1, true), 1));
    assertThat(TimePlan.seconds(DEPLOYED, step -> !records.hasMeasured(step))).isEqualTo(all / 2);
    assertThat(TimePlan.seconds(DEPLOYED, step -> false)).isZero();
  }

  @Test
  void aPointThatFailsIsRecordedAndTriedAgainNextTime() throws Exception {
    failAt = 3;
    Outcome outcome = runner(DEFINITION).run(false);
    assertThat(run).hasSize(8);
    assertThat(outcome.measured()).isEqualTo(7);
    assertThat(outcome.failures())
        .containsExactly("occ, retwis, clients 1, round 1: the server is on fire");
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

  /** Others may need less memory, and a second start must not end at the same point. */
  @Test
  void aPointThatRunsOutOfMemoryFailsAlone() throws Exception {
    PointRunner large =
        (point, progress) -> {
          if (point.clients() == 2) {
            throw new OutOfMemoryError("Java heap space");
          }
          if (point.seconds() == DEFINITION.preheatSeconds()) {
            throw new StackOverflowError();
          }
          return SampleReport.of(point, 100, true);
        };
    Outcome outcome =
        new ExperimentRunner(
                DEFINITION, new RecordFolder(folder), Map.of(Way.REAL, large), Progress.NONE)
            .run(false);
    assertThat(outcome.measured()).isEqualTo(4);
    assertThat(outcome.failures())
        .hasSize(4)
        .allMatch(text -> text.contains("Java heap space"))
        .allMatch(text -> text.contains("MORTY_JAVA_OPTS=-Xmx"));
    assertThat(RecordFolder.readAll(folder)).hasSize(8);
  }

  @Test
  void theReasonOfAFailureNamesTheWayOutOfLackingMemory() {
    assertThat(FailureReason.of(new IllegalStateException("the server is on fire")))
        .isEqualTo("the server is on fire");
    assertThat(FailureReason.of(new IllegalStateException()))
        .isEqualTo("java.lang.IllegalStateException");
    assertThat(
            FailureReason.of(
                new IllegalStateException("a client", new OutOfMemoryError("Java heap space"))))
        .contains("Java heap space", "MORTY_JAVA_OPTS=-Xmx");
  }

  @Test
  void aFailedRunLeavesAnEarlierMeasurement() throws Exception {
    violated = true;
    runner(DEFINITION).run(false);
    List<ObjectNode> before = RecordFolder.readAll(folder);
    violated = false;
    run.clear();
    failAt = 3;
    Outcome outcome = runner(DEFINITION).run(true);
    assertThat(outcome.measured()).isEqualTo(7);
    assertThat(outcome.failures())
        .singleElement()
        .asString()
        .startsWith("occ, retwis, clients 1, round 1: the server is on fire")
        .contains("its earlier record is kept: " + folder);
    assertThat(outcome.violations()).as("that of the earlier record").hasSize(1);
    assertThat(RecordFolder.readAll(folder))
        .filteredOn(before::contains)
        .singleElement()
        .satisfies(record -> assertThat(PointRecord.isMeasured(record)).isTrue());
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
    assertThatThrownBy(() -> runner(simulated).run(false))
        .isInstanceOf(MissingRunnerException.class)
        .hasMessageContaining("x has simulated points");
  }

  @Test
  void aWayWithoutOpenPointsNeedsNoRunner() throws Exception {
    runner(DEFINITION).run(false);
    ExperimentRunner without =
        new ExperimentRunner(DEFINITION, new RecordFolder(folder), Map.of(), Progress.NONE);
    assertThat(without.run(false).measured()).isZero();
    assertThatThrownBy(() -> without.run(true))
        .isInstanceOf(MissingRunnerException.class)
        .hasMessageContaining("real points");
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
