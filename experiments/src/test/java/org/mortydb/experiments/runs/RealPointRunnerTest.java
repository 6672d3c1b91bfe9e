package org.mortydb.experiments.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.report.Report;
import org.mortydb.client.net.ConfiguredSlots;
import org.mortydb.config.ClusterConfig;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.Point;
import org.mortydb.workloads.load.Progress;

/** Real points on clusters that they share. */
final class RealPointRunnerTest {
  private static final Definition DEFINITION =
      DefinitionFile.parse(
          "x.yaml",
          """
          name: x
          title: X
          warmup: 0.2
          seconds: 0.3
          defaults: {system: morty, processes: false}
          points:
            - {label: even, workload: {name: retwis, keys: 600}, rate: 200}
            - {label: uneven, workload: {name: retwis, keys: 600, zipf: 1.2}, clients: 24}
            - {label: even, workload: {name: retwis, keys: 600}, clients: 8}
            - {label: uneven, workload: {name: retwis, keys: 600, zipf: 1.2}, rate: max*0.5}
          """);

  @TempDir Path folder;

  @Test
  void loadsOfSeveralPopularitiesRunOnOneCluster() throws InterruptedException {
    List<Point> points = DEFINITION.points();
    assertThat(points.stream().map(Point::clusterCoordinates).distinct()).hasSize(1);
    List<String> phases = new ArrayList<>();
    Progress progress =
        (name, unit, total) -> {
          phases.add(name);
          return Progress.NONE.begin(name, unit, total);
        };
    List<Report> reports = new RealPointRunner(folder).runAll(points, progress);
    assertThat(phases).as("the records are filled once").containsOnlyOnce("load");
    assertThat(reports)
        .extracting(one -> one.settings().get("zipf"))
        .containsExactly(0.0, 1.2, 0.0, 1.2);
    assertThat(reports)
        .extracting(one -> one.settings().get("label"))
        .containsExactly("even", "uneven", "even", "uneven");
    assertThat(reports)
        .extracting(one -> one.settings().get("loop"))
        .containsExactly("open", "closed", "closed", "open");
    assertThat(reports)
        .extracting(one -> one.settings().get("rate"))
        .containsExactly("200", null, null, "max*0.5");
    assertThat(reports)
        .extracting(one -> one.offered() != null)
        .containsExactly(true, false, false, true);
    assertThat(reports)
        .extracting(one -> one.saturation() != null)
        .containsExactly(false, true, false, true);
    assertThat(Objects.requireNonNull(reports.get(3).offered()).perSecond())
        .isCloseTo(
            Objects.requireNonNull(reports.get(3).saturation()).committedPerSecond() / 2,
            within(0.1));
    assertThat(reports)
        .allSatisfy(
            one -> {
              assertThat(one.committedPerSecond()).isPositive();
              assertThat(one.serializable()).isTrue();
            });
    assertThat(reports.get(1).reexecutionsPerCommit())
        .as("the second workload is more contended")
        .isGreaterThan(reports.get(2).reexecutionsPerCommit());
  }

  @Test
  void clientsHaveTheSlotsAndTheAdmissionOfTheirPoint() {
    Definition definition =
        DefinitionFile.parse(
            "x.yaml",
            """
            name: x
            title: X
            points:
              - {workload: retwis, way: simulated}
              - {workload: retwis, way: simulated, regionSlots: "off", admission: 7}
              - {workload: retwis, way: simulated, regionSlots: 8ms, admission: auto}
            """);
    List<ClusterConfig> configs =
        definition.points().stream()
            .map(one -> RealPointRunner.cluster(one, false, null).config())
            .toList();
    assertThat(configs)
        .extracting(one -> one.regionSlots().adaptive())
        .containsExactly(true, false, false);
    assertThat(configs)
        .extracting(one -> one.regionSlots().lengthMicros())
        .containsExactly(0L, 0L, 8_000L);
    assertThat(configs).extracting(one -> one.admission().most()).containsExactly(0, 7, 0);
    assertThat(configs)
        .extracting(one -> one.admission().adaptive())
        .containsExactly(false, false, true);
    assertThat(definition.points())
        .extracting(one -> one.coordinates().get("regionSlots"))
        .containsExactly(null, "off", "8ms");
  }

  /** Otherwise they would lack two parts, and measure the benefit of neither. */
  @Test
  void variantsOfMortyUseRegionSlotsUnlessTheyStandForAnotherSystem() {
    Definition definition =
        DefinitionFile.parse(
            "x.yaml",
            """
            name: x
            title: X
            defaults: {way: simulated, workload: retwis, delayMillis: 10}
            points:
              - {system: [morty, morty-no-forwarding, morty-no-push, mvtso, occ]}
            """);
    assertThat(definition.points())
        .extracting(
            one ->
                ConfiguredSlots.of(
                        RealPointRunner.cluster(one, false, null).config(), "region-1", 0)
                    .regions())
        .containsExactly(3, 3, 3, 1, 1);
  }
}
