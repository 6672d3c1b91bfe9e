package org.mortydb.workloads.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.check.journal.Stamp;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionInfo;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.TxnId;

/** What several processes have measured is merged as if one had measured it. */
final class MeasurementRecordTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Window WINDOW = new Window(10 * SECOND, 20 * SECOND);

  private static Meter meter(int transactions, int seed) {
    Meter meter = new Meter(2);
    meter.measure(WINDOW);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < transactions; i++) {
      long due = random.nextLong(10 * SECOND, 20 * SECOND);
      long end = due + (long) (1_000_000 / random.nextDouble(1e-4, 1));
      Trace trace = Trace.of(new Stamp(1, 1)).committing(due + (end - due) / 2);
      meter.ended(
          i % 2,
          due,
          end,
          new Result.Committed<>(
              trace, new TransactionInfo(TxnId.INITIAL, 1 + i % 3, i % 2, Path.FAST, 0)),
          0,
          0);
    }
    return meter;
  }

  private static Measurement measured(List<Meter> meters) {
    return new Measurement(2, WINDOW, meters, List.of());
  }

  @Test
  void mergedHistogramsAreThoseOfAllTransactions() {
    List<Meter> meters = List.of(meter(5_000, 1), meter(300, 2), meter(1, 3), meter(0, 4));
    List<MeasurementRecord> records = new ArrayList<>();
    meters.forEach(meter -> records.add(measured(List.of(meter)).toRecord()));
    Measurement merged = Measurement.merged(2, WINDOW, records);
    Measurement one = measured(meters);
    assertThat(LoadFigures.of(merged, 10)).isEqualTo(LoadFigures.of(one, 10));
    for (int type = 0; type < 2; type++) {
      assertThat(merged.type(type).latency()).isEqualTo(one.type(type).latency());
      assertThat(merged.type(type).commitLatency()).isEqualTo(one.type(type).commitLatency());
      assertThat(LoadFigures.of(merged.type(type), 10))
          .isEqualTo(LoadFigures.of(one.type(type), 10));
    }
    assertThat(merged.timeline().figures()).isEqualTo(one.timeline().figures());
  }

  @Test
  void abortsAreAdded() {
    MeasurementRecord empty = measured(List.of()).toRecord();
    MeasurementRecord some =
        new MeasurementRecord(empty.types(), Map.of(AbortReason.DEADLINE, 3L), empty.intervals());
    assertThat(Measurement.merged(2, WINDOW, List.of(some, empty, some)).aborts())
        .isEqualTo(Map.of(AbortReason.DEADLINE, 6L));
  }

  /** What the application has ended is no failed attempt. */
  @Test
  void anAbortOfTheApplicationDoesNotLowerTheCommitRate() {
    MeasurementRecord commits = measured(List.of(meter(3, 1))).toRecord();
    MeasurementRecord aborts =
        new MeasurementRecord(
            measured(List.of()).toRecord().types(),
            Map.of(AbortReason.DEADLINE, 1L, AbortReason.APPLICATION, 100L),
            commits.intervals());
    Measurement merged = Measurement.merged(2, WINDOW, List.of(commits, aborts));
    long committed = merged.total().committed();
    assertThat(committed).isPositive();
    assertThat(LoadFigures.of(merged, 10).commitRate())
        .isEqualTo(Rounded.ratio(committed, committed + 1.0));
  }

  @Test
  void anotherShapeIsRefused() {
    MeasurementRecord record = measured(List.of(meter(10, 1))).toRecord();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Measurement.merged(3, WINDOW, List.of(record)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Measurement.merged(2, new Window(0, 11 * SECOND), List.of(record)));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                Measurement.merged(
                    2,
                    WINDOW,
                    List.of(
                        new MeasurementRecord(
                            record.types(),
                            Map.of(AbortReason.DEADLINE, -1L),
                            record.intervals()))));
  }

  /** A header that asks for much memory, or for none, is refused before anything is allocated. */
  @ParameterizedTest
  @CsvSource({"0", "4", "8", "12", "16", "24", "32"})
  void aDamagedHeaderIsRefused(int place) {
    Histogram histogram = new Histogram(3);
    histogram.recordValue(1_000);
    ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(Histograms.encode(histogram)));
    Histograms.add(Base64.getEncoder().encodeToString(bytes.array()), new Histogram(3));
    bytes.putInt(place, 0x7fff_ffff);
    String damaged = Base64.getEncoder().encodeToString(bytes.array());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Histograms.add(damaged, new Histogram(3)));
  }

  @Test
  void aShortenedHistogramIsRefused() {
    Histogram histogram = new Histogram(3);
    histogram.setAutoResize(true);
    histogram.recordValue(1_000_000);
    byte[] bytes = Base64.getDecoder().decode(Histograms.encode(histogram));
    for (int length = 0; length < bytes.length; length++) {
      String damaged = Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(bytes, length));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Histograms.add(damaged, new Histogram(3)));
    }
  }
}
