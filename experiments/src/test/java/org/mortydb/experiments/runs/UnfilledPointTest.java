package org.mortydb.experiments.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.bench.cli.SimulationOptions;
import org.mortydb.bench.report.Report;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.InvalidDefinitionException;
import org.mortydb.experiments.plan.Point;
import org.mortydb.workloads.load.Progress;

/** Simulated points whose records are absent at first. */
@Tag("long")
final class UnfilledPointTest {
  private static final PointRunner RUNNER =
      new SimulatedPointRunner(new SimulationOptions()::calibration);

  private static Definition definition(String system, int keys, double zipf, boolean filled) {
    return DefinitionFile.parse(
        "x.yaml",
        """
        name: x
        title: X
        warmup: 0.3
        seconds: 1
        points:
          way: simulated
          system: %s
          workload: {name: retwis, keys: %d, popularity: key, zipf: %s}
          delays: regional
          cores: 2
          partitions: 2
          clients: 96
          filled: %s
        """
            .formatted(system, keys, zipf, filled));
  }

  private static Report run(String system, int keys, double zipf, boolean filled)
      throws InterruptedException {
    return RUNNER.run(definition(system, keys, zipf, filled).points().getFirst(), Progress.NONE);
  }

  /** With more contention, long back-off makes runs of TAPIR and of OCC differ by chance. */
  @ParameterizedTest
  @CsvSource({"morty, 0.9", "spanner, 0.9", "tapir, 0", "occ, 0.3"})
  void absentRecordsMakeNoDifferenceToTheFigures(String system, double zipf) throws Exception {
    Report filled = run(system, 20_000, zipf, true);
    Report unfilled = run(system, 20_000, zipf, false);
    assertThat(unfilled.serializable()).isTrue();
    assertThat(unfilled.committedPerSecond())
        .isCloseTo(filled.committedPerSecond(), withinPercentage(5));
    assertThat(unfilled.commitRate()).isCloseTo(filled.commitRate(), within(0.02));
    assertThat((double) unfilled.latencyMicros().p50())
        .isCloseTo(filled.latencyMicros().p50(), withinPercentage(5));
    assertThat(unfilled.cpuMicrosPerCommit())
        .isCloseTo(filled.cpuMicrosPerCommit(), withinPercentage(5));
  }

  @Test
  void tenMillionKeysNeedNoMoreThanThoseInUse() throws Exception {
    Report report = run("morty", 10_000_000, 0.9, false);
    assertThat(report.serializable()).isTrue();
    assertThat(report.check().transactions()).isBetween(1_000L, 1_000_000L);
    assertThat(report.settings()).containsEntry("filled", false).containsEntry("keys", 10_000_000);
  }

  @Test
  void aFilledPointHasTheCoordinatesItHadBefore() {
    Point filled = definition("morty", 1_000, 0, true).points().getFirst();
    assertThat(filled.coordinates()).doesNotContainKey("filled");
    assertThat(definition("morty", 1_000, 0, false).points().getFirst().coordinates())
        .containsEntry("filled", false);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "way: real, workload: {name: retwis, popularity: key} | way is simulated",
        "way: simulated, workload: {name: retwis, popularity: user} | popularity=key",
        "way: simulated, workload: tpcc | need filled records",
      })
  void otherPointsAreFilled(String keys, String problem) {
    assertThatThrownBy(
            () ->
                DefinitionFile.parse(
                    "x.yaml", "name: x\ntitle: X\npoints: {%s, filled: false}\n".formatted(keys)))
        .isInstanceOf(InvalidDefinitionException.class)
        .hasMessageContaining("points.filled")
        .hasMessageContaining(problem);
  }
}
