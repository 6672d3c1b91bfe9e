package org.mortydb.experiments.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.simulated.ClusterObserver;
import org.mortydb.bench.simulated.SimulatedExperiment;
import org.mortydb.bench.simulated.SimulatedHosts;
import org.mortydb.experiments.chain.ChainRecord.PartRow;
import org.mortydb.experiments.chain.ChainRecord.StepRow;
import org.mortydb.experiments.windows.NominalCosts;
import org.mortydb.protocol.model.Key;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.LoadFailedException;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.retwis.Retwis;
import tools.jackson.databind.json.JsonMapper;

/** One short run on a few hot keys, with 2 ms between regions. */
final class ChainStudyTest {
  private static final double SECONDS = 0.5;
  private static final int DETAILED = 5;
  private static final List<String> REGIONS = ClusterSettings.regionNames(3);
  private static final Progress SILENT =
      (name, unit, total) ->
          new Progress.Phase() {
            @Override
            public void update(long done, String message) {}

            @Override
            public void close() {}
          };

  private static ChainRecord record = run(SECONDS, null);

  private static ClusterSettings cluster() {
    return new ClusterSettings(
        1,
        1,
        OptionalLong.of(2_000),
        false,
        "memory",
        null,
        false,
        0,
        List.of(),
        3,
        1,
        Map.of("client.region-slots", "\"off\""));
  }

  private static RunOptions load(double seconds) {
    return new RunOptions(24, OptionalDouble.empty(), Arrivals.POISSON, 0.1, seconds, 1);
  }

  private static ChainRecord run(double seconds, @Nullable Key key) {
    try {
      return new ChainStudy(
              new Retwis(60, 0.9),
              cluster(),
              SimulatedHosts.apart(2),
              load(seconds),
              NominalCosts.of("retwis"),
              key,
              DETAILED,
              Map.of("seed", 1))
          .execute(SILENT);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @BeforeAll
  static void thereIsAChain() {
    assertThat(record.serializable()).isTrue();
    assertThat(record.all().count()).isGreaterThan(50);
  }

  @Test
  void thePartsAddUpToTheSteps() {
    assertThat(record.parts().stream().mapToDouble(PartRow::share).sum())
        .isCloseTo(1, within(0.01));
    assertThat(record.parts().stream().mapToDouble(PartRow::mean).sum())
        .isCloseTo(record.all().mean(), within(0.01 * record.all().mean()));
    for (StepRow step : record.steps()) {
      assertThat(step.parts().values().stream().mapToDouble(Double::doubleValue).sum())
          .isCloseTo(step.micros(), within(1.0));
    }
    for (PartRow part : record.parts()) {
      assertThat(part.media().values().stream().mapToDouble(Double::doubleValue).sum())
          .isCloseTo(part.mean(), within(1.0));
    }
  }

  @Test
  void theStepsCoverTheTimeAndLittleIsUnexplained() {
    assertThat(record.covered()).isBetween(0.8, 1.0);
    assertThat(record.parts().getLast().part()).isEqualTo("rest");
    assertThat(record.parts().getLast().share()).isLessThan(0.1);
    assertThat(record.crossingShare()).isBetween(0.4, 0.9);
    assertThat(record.updatesPerSecond()).isLessThan(record.bounds().perSecond());
    assertThat(record.crossing().p50()).isGreaterThan(2_000);
  }

  /** Each region has one client, which forwards versions within it. */
  @Test
  void everyStepCrossesOrIsShownByAReplicaOrIsForwarded() {
    assertThat(record.crossing().count() + record.within().count() + record.forwarded().count())
        .isEqualTo(record.all().count());
    assertThat(record.forwarded().count()).isPositive();
    assertThat(record.forwarded().p50()).isLessThan(record.within().p50());
  }

  @Test
  void theTablesAndThePictureShowTheSteps() {
    String text = ChainTable.text(record, true, REGIONS);
    assertThat(text)
        .contains("crossing", "re-vote", "aborted neighbour", "rest", "bound: ", "forwarded");
    assertThat(text.lines().filter(line -> line.startsWith("step at"))).hasSize(DETAILED);
    assertThat(ChainTable.text(record, false, REGIONS)).doesNotContain("step at");
    String svg = ChainPicture.svg(record, REGIONS);
    assertThat(svg).startsWith("<svg ").endsWith("</svg>\n").contains("<circle", "region-3");
  }

  @Test
  void aRecordIsReadAsItWasWritten() {
    JsonMapper mapper = new JsonMapper();
    assertThat(mapper.readValue(mapper.writeValueAsString(record), ChainRecord.class))
        .isEqualTo(record);
  }

  @Test
  void theInstrumentDoesNotChangeTheRun() throws InterruptedException {
    Report without = experiment().execute(SILENT);
    ChainCollector collector = new ChainCollector();
    Report with = experiment().execute(SILENT, (ClusterObserver) collector);
    assertThat(collector.observed().handlings()).isNotEmpty();
    assertThat(with.committedPerSecond()).isEqualTo(without.committedPerSecond());
    assertThat(with.aborts()).isEqualTo(without.aborts());
    assertThat(with.transactions()).isEqualTo(without.transactions());
    assertThat(with.latencyMicros()).isEqualTo(without.latencyMicros());
    assertThat(with.utilisation()).isEqualTo(without.utilisation());
  }

  private static SimulatedExperiment experiment() {
    ClusterSettings cluster = cluster();
    return new SimulatedExperiment(
        new Retwis(60, 0.9),
        cluster,
        SimulatedHosts.apart(2),
        load(0.2),
        RetryDefaults.of(cluster),
        NominalCosts.of("retwis"),
        false,
        Map.of());
  }

  @Test
  void aKeyWithoutUpdatesHasNoChain() {
    assertThatThrownBy(() -> run(0.1, Key.of("nothing")))
        .isInstanceOf(LoadFailedException.class)
        .hasMessageContaining("nothing")
        .hasMessageContaining("--key");
    assertThatThrownBy(() -> run(0.000_001, null))
        .isInstanceOf(LoadFailedException.class)
        .hasMessageContaining("--seconds");
  }
}
