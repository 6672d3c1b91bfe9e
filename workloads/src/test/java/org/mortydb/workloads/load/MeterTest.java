package org.mortydb.workloads.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.check.journal.Stamp;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionInfo;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.workloads.load.Meter.TypeMeter;

final class MeterTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MICRO = 1_000L;

  private static final Window WINDOW = new Window(10 * SECOND, 20 * SECOND);

  private final Meter meter = new Meter(2);

  MeterTest() {
    meter.measure(WINDOW);
  }

  private void committed(int type, long due, long end, int attempts, int reexecutions, Path path) {
    Trace trace = Trace.of(new Stamp(1, 1)).committing(end - 100 * MICRO);
    meter.ended(
        type,
        due,
        end,
        new Result.Committed<>(
            trace, new TransactionInfo(TxnId.INITIAL, attempts, reexecutions, path, 0)),
        0,
        0);
  }

  private TypeMeter figures(int type) {
    return new Measurement(2, WINDOW, List.of(meter), List.of()).type(type);
  }

  @Test
  void sharesAndRatesFollowFromWhatEndedWithinTheWindow() {
    committed(0, 9 * SECOND, 9 * SECOND + 5, 1, 0, Path.FAST); // before the window
    committed(0, 11 * SECOND, 11 * SECOND + 5, 1, 0, Path.FAST);
    committed(0, 12 * SECOND, 12 * SECOND + 5, 3, 4, Path.SLOW);
    committed(1, 12 * SECOND, 12 * SECOND + 5, 1, 0, Path.LEARNT);
    committed(0, 19 * SECOND, 21 * SECOND, 1, 0, Path.FAST); // after it
    meter.ended(
        0,
        13 * SECOND,
        14 * SECOND,
        new Result.AbortedByConflict<>(
            AbortReason.DEADLINE, new TransactionInfo(TxnId.INITIAL, 6, 0, null, 0)),
        0,
        0);
    LoadFigures first = LoadFigures.of(figures(0), 10);
    assertThat(first.committed()).isEqualTo(2);
    assertThat(first.committedPerSecond()).isEqualTo(0.2);
    assertThat(first.commitRate()).isEqualTo(0.2);
    assertThat(first.reexecutionsPerCommit()).isEqualTo(2.0);
    assertThat(first.fastPathShare()).isEqualTo(0.5);
    assertThat(first.slowPathShare()).isEqualTo(0.5);
    assertThat(first.givenUp()).isEqualTo(1);
    assertThat(LoadFigures.of(figures(1), 10).learntShare()).isEqualTo(1.0);
  }

  @Test
  void latencyIsThatOfWhatWasDueWithinTheWindow() {
    committed(0, 9 * SECOND, 12 * SECOND, 1, 0, Path.FAST);
    committed(0, 19 * SECOND, 29 * SECOND, 1, 0, Path.FAST);
    LoadFigures figures = LoadFigures.of(figures(0), 10);
    assertThat(figures.latencyMicros().max()).isCloseTo(10_000_000L, within(10_000L));
    assertThat(figures.latencyMicros().p50()).isEqualTo(figures.latencyMicros().max());
    assertThat(figures.commitLatencyMicros().p50()).isEqualTo(100);
  }

  @Test
  void percentilesAreThoseOfTheLatencies() {
    for (int i = 1; i <= 1_000; i++) {
      committed(0, 11 * SECOND, 11 * SECOND + i * MICRO, 1, 0, Path.FAST);
    }
    LoadFigures figures = LoadFigures.of(figures(0), 10);
    assertThat(figures.latencyMicros().p50()).isEqualTo(500);
    assertThat(figures.latencyMicros().p90()).isEqualTo(900);
    assertThat(figures.latencyMicros().p99()).isEqualTo(990);
    assertThat(figures.latencyMicros().p999()).isEqualTo(999);
    assertThat(figures.latencyMicros().max()).isEqualTo(1_000);
    assertThat(figures.latencyMicros().mean()).isEqualTo(500.5);
  }

  @Test
  void latenciesOverTimeAreThoseOfWhatWasDueInEachInterval() {
    long interval = SECOND / 20;
    committed(0, 9 * SECOND, 12 * SECOND, 1, 0, Path.FAST); // due before the window
    committed(0, 10 * SECOND, 10 * SECOND + 30 * MICRO, 1, 0, Path.FAST);
    committed(1, 10 * SECOND + interval - 1, 12 * SECOND, 1, 0, Path.FAST);
    committed(0, 20 * SECOND - 1, 20 * SECOND + 40 * MICRO, 1, 0, Path.FAST);
    Timeline.Figures figures =
        new Measurement(2, WINDOW, List.of(meter, meter), List.of()).timeline().figures();
    assertThat(figures.intervalMillis()).isEqualTo(50);
    assertThat(figures.committed()).hasSize(200);
    assertThat(figures.committed().getFirst()).isEqualTo(4);
    assertThat(figures.committed().subList(1, 199)).containsOnly(0L);
    assertThat(figures.committed().getLast()).isEqualTo(2);
    assertThat(figures.p50Micros().getFirst()).isEqualTo(30);
    assertThat(figures.maxMicros().getFirst()).isCloseTo(1_950_000L, within(20_000L));
    assertThat(figures.maxMicros().getLast()).isEqualTo(40);
  }

  @Test
  void aLongWindowHasLongerIntervals() {
    Timeline.Figures hour = new Timeline(new Window(0, 3_600 * SECOND)).figures();
    assertThat(hour.intervalMillis()).isEqualTo(6_000);
    assertThat(hour.committed()).hasSize(600);
  }

  @Test
  void anIntervalIsTakenOnce() {
    committed(0, 1, 2, 2, 0, Path.FAST);
    Meter.Interval interval = new Meter.Interval();
    meter.takeInterval(interval);
    meter.takeInterval(interval);
    assertThat(interval.committed).isEqualTo(1);
    assertThat(interval.attempts).isEqualTo(2);
    assertThat(interval.latency.getTotalCount()).isEqualTo(1);
  }

  /** In the window, in the figures of all types, and in an interval. */
  @Test
  void everyKindOfEndIsCounted() {
    long within = 15 * SECOND;
    for (int type = 0; type < 2; type++) {
      for (Path path : Path.values()) {
        committed(type, within, within + 5, 2, 3, path);
      }
      TransactionInfo info = new TransactionInfo(TxnId.INITIAL, 4, 5, null, 0);
      meter.ended(type, within, within, new Result.AbortedByApplication<>(null, info), 10, 20);
      for (int i = 0; i < 2; i++) {
        meter.ended(
            type,
            within,
            within,
            new Result.AbortedByConflict<>(AbortReason.CONFLICT, info),
            10,
            20);
      }
      for (int i = 0; i < 3; i++) {
        meter.ended(type, within, within, new Result.OutcomeUnknown<>(info), 10, 20);
      }
    }
    int paths = Path.values().length;
    Measurement measured = new Measurement(2, WINDOW, List.of(meter), List.of());
    Measurement merged = Measurement.merged(2, WINDOW, List.of(measured.toRecord()));
    for (Measurement each : List.of(measured, merged)) {
      assertCounts(each.type(0), 1);
      assertCounts(each.type(1), 1);
      assertCounts(each.total(), 2);
    }
    LoadFigures figures = LoadFigures.of(measured.type(0), 10);
    assertThat(figures.readOnlyShare()).isEqualTo(Rounded.to(4, 3.0 / paths));
    assertThat(figures.fastPathShare()).isEqualTo(Rounded.to(4, 1.0 / (paths - 3)));
    assertThat(figures.slowPathShare()).isEqualTo(figures.fastPathShare());
    assertThat(figures.learntShare()).isEqualTo(figures.fastPathShare());
    Meter.Interval interval = new Meter.Interval();
    meter.takeInterval(interval);
    assertThat(interval.committed).isEqualTo(2L * paths);
    assertThat(interval.attempts).isEqualTo(2 * (2L * paths + 13 + 5 * 14));
  }

  /** A rollback that the application asked for is no failed attempt. */
  private static void assertCounts(TypeMeter counts, int times) {
    int paths = Path.values().length;
    assertThat(counts.committed()).isEqualTo((long) times * paths);
    assertThat(counts.rolledBack()).isEqualTo(times);
    assertThat(counts.givenUp()).isEqualTo(2L * times);
    assertThat(counts.unknown()).isEqualTo(3L * times);
    assertThat(counts.attempts()).isEqualTo(times * (2L * paths + 13 + 5 * 14));
    assertThat(counts.reexecutions()).isEqualTo(times * (3L * paths + 6 * 25));
    for (Path path : Path.values()) {
      assertThat(counts.committedBy(path)).isEqualTo(times);
    }
    assertThat(counts.latency().getTotalCount()).isEqualTo((long) times * paths);
    assertThat(counts.commitLatency().getTotalCount()).isEqualTo((long) times * paths);
  }
}
