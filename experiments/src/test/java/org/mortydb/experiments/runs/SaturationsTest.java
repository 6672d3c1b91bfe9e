package org.mortydb.experiments.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.mortydb.bench.cli.SimulationOptions;
import org.mortydb.bench.report.Report;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.Point;
import org.mortydb.workloads.load.Progress;

/** Points at shares of the saturated rate, in virtual time. */
final class SaturationsTest {
  private static final Definition DEFINITION =
      DefinitionFile.parse(
          "x.yaml",
          """
          name: x
          title: X
          warmup: 0.05
          seconds: 0.2
          points:
            - {way: simulated, system: [morty, occ], workload: {name: retwis, keys: 600},
               rate: [max*0.25, max*0.5, 1000], partitions: 1}
          """);

  @Test
  void pointsThatDifferInTheirShareUseOneSaturatedRate() throws InterruptedException {
    SimulatedPointRunner runner = new SimulatedPointRunner(new SimulationOptions()::calibration);
    List<Report> morty = new ArrayList<>();
    List<Report> occ = new ArrayList<>();
    for (Point point : DEFINITION.points()) {
      Report report = runner.run(point, Progress.NONE);
      (point.system().name().equals("occ") ? occ : morty).add(report);
    }
    double max = saturated(morty.getFirst());
    assertThat(saturated(morty.get(1))).isEqualTo(max);
    assertThat(saturated(occ.getFirst())).isNotEqualTo(max);
    assertThat(offered(morty.getFirst())).isCloseTo(max * 0.25, within(0.1));
    assertThat(offered(morty.get(1))).isCloseTo(max * 0.5, within(0.1));
    assertThat(offered(occ.get(2))).isEqualTo(1_000);
    assertThat(TimePlan.seconds(DEFINITION))
        .as("one search for each system, not for each point")
        .isCloseTo(6 * 2.25 + 2 * 23, within(0.01));
  }

  private static double saturated(Report report) {
    return Objects.requireNonNull(report.saturation()).committedPerSecond();
  }

  private static double offered(Report report) {
    return Objects.requireNonNull(report.offered()).perSecond();
  }
}
