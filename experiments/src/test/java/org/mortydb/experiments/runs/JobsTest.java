package org.mortydb.experiments.runs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.cli.SimulationOptions;
import org.mortydb.experiments.fixture.SampleReport;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.ExperimentRunner.Outcome;
import org.mortydb.workloads.load.Progress;
import tools.jackson.databind.node.ObjectNode;

/** Several simulated points at a time. */
@Timeout(120)
final class JobsTest {
  private static final Definition BOTH =
      DefinitionFile.parse(
          "x.yaml",
          """
          name: x
          title: X
          points: {way: [real, simulated], workload: retwis, clients: [1, 2, 3, 4]}
          """);

  @TempDir Path folder;

  @Test
  void onlySimulatedPointsRunAtOnceAndAfterTheOthers() throws Exception {
    List<Way> order = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch both = new CountDownLatch(2);
    PointRunner alone =
        (point, progress) -> {
          order.add(point.way());
          assertThat(running.incrementAndGet()).isEqualTo(1);
          running.decrementAndGet();
          return SampleReport.of(point, 1, true);
        };
    PointRunner atOnce =
        (point, progress) -> {
          order.add(point.way());
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          both.countDown();
          assertThat(both.await(60, TimeUnit.SECONDS)).as("two points run at once").isTrue();
          running.decrementAndGet();
          return SampleReport.of(point, 2, true);
        };
    Outcome outcome =
        new ExperimentRunner(
                BOTH,
                new RecordFolder(folder),
                Map.of(Way.REAL, alone, Way.SIMULATED, atOnce),
                Progress.NONE)
            .withJobs(2)
            .run(false);
    assertThat(outcome).isEqualTo(new Outcome(8, 0, List.of(), List.of()));
    assertThat(most).hasValue(2);
    assertThat(order.subList(0, 4)).containsOnly(Way.REAL);
    assertThat(order.subList(4, 8)).containsOnly(Way.SIMULATED);
  }

  @Test
  void aPointThatFailsIsRecordedAndTheOthersRun() throws Exception {
    PointRunner failing =
        (point, progress) -> {
          if (point.clients() == 2) {
            throw new IllegalStateException("out of virtual time");
          }
          if (point.clients() == 3) {
            throw new OutOfMemoryError("out of memory");
          }
          return SampleReport.of(point, 2, true);
        };
    Outcome outcome =
        new ExperimentRunner(
                BOTH,
                new RecordFolder(folder),
                Map.of(Way.REAL, failing, Way.SIMULATED, failing),
                Progress.NONE)
            .withJobs(4)
            .run(false);
    assertThat(outcome.measured()).isEqualTo(4);
    assertThat(outcome.failures())
        .hasSize(4)
        .allMatch(one -> one.contains("out of virtual time") || one.contains("out of memory"));
    assertThat(RecordFolder.readAll(folder)).hasSize(8);
  }

  @Test
  void pointsThatShareASaturatedRateRunOneAfterAnother() throws Exception {
    Definition shares =
        DefinitionFile.parse(
            "x.yaml",
            """
            name: x
            title: X
            points:
              way: simulated
              workload: retwis
              cores: [1, 2]
              rate: [max*0.2, max*0.4, max*0.6]
            """);
    List<Integer> running = Collections.synchronizedList(new ArrayList<>());
    PointRunner counting =
        (point, progress) -> {
          Integer cores = point.cores();
          assertThat(running).doesNotContain(cores);
          running.add(cores);
          Thread.sleep(20);
          running.remove(cores);
          return SampleReport.of(point, 2, true);
        };
    Outcome outcome =
        new ExperimentRunner(
                shares, new RecordFolder(folder), Map.of(Way.SIMULATED, counting), Progress.NONE)
            .withJobs(6)
            .run(false);
    assertThat(outcome.failures()).isEmpty();
    assertThat(outcome.measured()).isEqualTo(6);
  }

  private List<ObjectNode> simulated(String name, int jobs) throws InterruptedException {
    Definition definition =
        DefinitionFile.parse(
            "x.yaml",
            """
            name: x
            title: X
            warmup: 0.05
            seconds: 0.1
            defaults: {way: simulated, workload: {name: retwis, keys: 500, zipf: 0.9}}
            points: {system: [morty, occ, tapir], cores: [1, 2], partitions: 2, clients: 16}
            """);
    Path records = folder.resolve(name);
    Outcome outcome =
        new ExperimentRunner(
                definition,
                new RecordFolder(records),
                Map.of(
                    Way.SIMULATED, new SimulatedPointRunner(new SimulationOptions()::calibration)),
                Progress.NONE)
            .withJobs(jobs)
            .run(false);
    assertThat(outcome).isEqualTo(new Outcome(6, 0, List.of(), List.of()));
    List<ObjectNode> all = RecordFolder.readAll(records);
    for (ObjectNode record : all) {
      record.remove("tookSeconds");
      record.remove("environment");
      ((ObjectNode) record.get("check")).remove("seconds");
    }
    return all;
  }

  @Test
  void figuresDoNotDependOnWhatElseRuns() throws Exception {
    List<ObjectNode> alone = simulated("alone", 1);
    assertThat(alone)
        .extracting(one -> one.get("committedPerSecond").asDouble())
        .doesNotHaveDuplicates();
    assertThat(simulated("atOnce", 3)).isEqualTo(alone);
  }
}
