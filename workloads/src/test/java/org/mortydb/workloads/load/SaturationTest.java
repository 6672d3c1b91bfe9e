package org.mortydb.workloads.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.mortydb.check.journal.Stamp;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionInfo;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.workloads.load.Saturation.Step;

final class SaturationTest {
  private static final long SECOND = 1_000_000_000L;

  private final List<RunOptions> asked = new ArrayList<>();

  private static RunOptions options(double seconds) {
    return new RunOptions(8, OptionalDouble.empty(), Arrivals.POISSON, 40, seconds, 1);
  }

  /** A cluster whose rate depends on the load. */
  private LoadRunner cluster(ToDoubleFunction<RunOptions> rate) {
    return (options, observer) -> {
      asked.add(options);
      Window window = new Window(0, (long) (options.seconds() * SECOND));
      Meter meter = new Meter(1);
      meter.measure(window);
      long commits = Math.round(rate.applyAsDouble(options) * options.seconds());
      for (long i = 0; i < commits; i++) {
        Trace trace = Trace.of(new Stamp(1, 1)).committing(0);
        meter.ended(
            0,
            0,
            1,
            new Result.Committed<>(trace, new TransactionInfo(TxnId.INITIAL, 1, 0, Path.FAST, 0)),
            0,
            0);
      }
      return new RunResult(
          new Measurement(1, window, List.of(meter), List.of()), window, Optional.empty(), 0);
    };
  }

  @Test
  void theRateIsWhatALongerLoopHoldsAndNotTheBestPeak() throws InterruptedException {
    Saturation saturation =
        Saturation.find(
            cluster(run -> Math.min(run.sessions(), 64) * (run.seconds() > 2 ? 5 : 10)),
            options(30));
    assertThat(saturation.steps())
        .containsExactly(
            new Step(16, 160),
            new Step(32, 320),
            new Step(64, 640),
            new Step(128, 640),
            new Step(256, 640),
            new Step(64, 320));
    assertThat(saturation.committedPerSecond()).isEqualTo(320);
    assertThat(saturation.clients()).isEqualTo(64);
    assertThat(asked.stream().map(RunOptions::seconds))
        .containsExactly(2.0, 2.0, 2.0, 2.0, 2.0, 10.0);
    assertThat(asked.stream().map(RunOptions::warmupSeconds))
        .containsExactly(40.0, 0.5, 0.5, 0.5, 0.5, 0.5);
  }

  @Test
  void theBestLoopCountsThoughItHasHardlyGrown() throws InterruptedException {
    Saturation saturation =
        Saturation.find(
            cluster(run -> run.sessions() == 16 ? 100 : run.sessions() == 32 ? 104 : 102),
            options(30));
    assertThat(saturation.steps()).hasSize(4);
    assertThat(saturation.clients()).isEqualTo(32);
  }

  @Test
  void noLoopIsLongerThanTheMeasuredWindow() throws InterruptedException {
    Saturation.find(cluster(run -> 100), options(1));
    assertThat(asked.stream().map(RunOptions::seconds)).containsOnly(1.0);
  }

  @Test
  void aClusterThatCommitsNothingHasNoRate() {
    assertThatExceptionOfType(LoadFailedException.class)
        .isThrownBy(() -> Saturation.find(cluster(run -> 0), options(1)))
        .withMessageContaining("name a rate in transactions per second");
    assertThat(asked).hasSize(2);
  }

  @Test
  void processesAreWarmAfterTheSearchAndAfterTheFirstLoad() throws InterruptedException {
    LoadRunner cluster = cluster(run -> Math.min(run.sessions(), 64) * 10);
    List<LoadSeries.Load> ran = new ArrayList<>();
    LoadSeries.of(options(1), List.of(Rate.parse("max*0.5"), Rate.parse("100")))
        .run(
            cluster,
            RunObserver.NONE,
            (load, result) -> {
              ran.add(load);
              return result;
            });
    assertThat(asked.getFirst().warmupSeconds()).isEqualTo(40);
    assertThat(ran).extracting(load -> load.options().warmupSeconds()).containsExactly(5.0, 5.0);
    List<RunOptions> loads = asked.subList(asked.size() - 2, asked.size());
    assertThat(loads).extracting(RunOptions::warmupSeconds).containsExactly(5.0, 5.0);
    assertThat(loads)
        .extracting(RunOptions::ratePerSecond)
        .containsExactly(OptionalDouble.of(320), OptionalDouble.of(100));

    asked.clear();
    RunOptions closed = options(1);
    LoadSeries series =
        new LoadSeries(
            List.of(
                new LoadSeries.Load(closed, null),
                new LoadSeries.Load(closed.closed(4, 2, 1), null),
                new LoadSeries.Load(closed.closed(16, 40, 1), null)),
            null);
    assertThat(series.run(cluster, RunObserver.NONE, (load, result) -> result).saturation())
        .isNull();
    assertThat(asked).extracting(RunOptions::warmupSeconds).containsExactly(40.0, 2.0, 5.0);
    assertThat(asked).extracting(RunOptions::sessions).containsExactly(8, 4, 16);
  }

  @Test
  void theFirstLoadOfAnotherWorkloadSettlesForLonger() throws InterruptedException {
    LoadRunner cluster = cluster(run -> Math.min(run.sessions(), 64) * 10);
    LoadSeries closed =
        new LoadSeries(
            List.of(new LoadSeries.Load(options(1), null), new LoadSeries.Load(options(1), null)),
            null);
    var unusedLoads = closed.run(cluster, RunObserver.NONE, (load, result) -> result, true);
    assertThat(asked).extracting(RunOptions::warmupSeconds).containsExactly(10.0, 5.0);

    asked.clear();
    var unusedShares =
        LoadSeries.of(options(1), List.of(Rate.parse("max*0.5")))
            .run(cluster, RunObserver.NONE, (load, result) -> result, true);
    assertThat(asked.getFirst().warmupSeconds()).as("the search").isEqualTo(10);
    assertThat(asked.getLast().warmupSeconds()).isEqualTo(5);
  }
}
