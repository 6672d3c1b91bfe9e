package org.mortydb.experiments.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.experiments.figure.Samples.Sample;

final class SamplesTest {
  private static Samples rounds(double... values) {
    return new Samples(
        IntStream.range(0, values.length).mapToObj(i -> new Sample(i + 1, values[i])).toList());
  }

  /** Two-sided 95 % quantiles of Student's t from printed tables. */
  @ParameterizedTest
  @CsvSource({"2, 12.706", "3, 4.303", "4, 3.182", "5, 2.776", "10, 2.262", "31, 2.042"})
  void theMarginIsThatOfStudentsT(int count, double quantile) {
    double deviation = 7;
    assertThat(Statistic.margin(deviation, count).orElseThrow())
        .isCloseTo(quantile * deviation / Math.sqrt(count), within(0.001 * deviation));
  }

  @Test
  void anIntervalSurroundsTheAverage() {
    // The sample of "Student" (1908), on additional hours of sleep.
    Statistic sleep = rounds(1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4).statistic();
    assertThat(sleep.mean()).isCloseTo(2.33, within(1e-9));
    assertThat(sleep.low()).isCloseTo(0.898, within(0.001));
    assertThat(sleep.high()).isCloseTo(3.762, within(0.001));
    assertThat(sleep.rounds()).isEqualTo(10);
  }

  @Test
  void aSingleRoundHasNoInterval() {
    Statistic one = Samples.of(5).statistic();
    assertThat(one.margin()).isEmpty();
    assertThat(List.of(one.low(), one.mean(), one.high())).containsOnly(5.0);
    assertThat(rounds(5, 5, 5).statistic().margin()).as("known to be 0").hasValue(0);
    assertThat(Samples.of(6).over(Samples.of(2)).orElseThrow())
        .isEqualTo(Samples.of(3).statistic());
    assertThatThrownBy(() -> new Samples(List.of())).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aDisturbanceOfBothSidesCancelsOutInTheirQuotient() {
    Statistic paired = rounds(100, 200, 300).over(rounds(10, 20, 30)).orElseThrow();
    assertThat(paired.mean()).isEqualTo(10);
    assertThat(paired.margin().orElseThrow()).isCloseTo(0, within(1e-9));
    Statistic crossed = rounds(100, 200, 300).over(rounds(30, 20, 10)).orElseThrow();
    assertThat(crossed.mean()).isEqualTo(10);
    // Residuals of -200, 0, 200 by 20: a deviation of 10, and 4.303 * 10 / sqrt(3).
    assertThat(crossed.margin().orElseThrow()).isCloseTo(24.84, within(0.01));
  }

  @Test
  void aQuotientByAConstantHasTheIntervalOfItsDividend() {
    Statistic dividend = rounds(4, 6, 9).statistic();
    Statistic halved = rounds(4, 6, 9).over(rounds(2, 2, 2)).orElseThrow();
    assertThat(halved.mean()).isEqualTo(dividend.mean() / 2);
    assertThat(halved.margin().orElseThrow())
        .isCloseTo(dividend.margin().orElseThrow() / 2, within(1e-9));
  }

  @Test
  void onlyRoundsOfBothSidesMakeAQuotient() {
    Samples lacking = new Samples(List.of(new Sample(1, 10), new Sample(3, 30)));
    Statistic common = rounds(100, 5, 300).over(lacking).orElseThrow();
    assertThat(common.mean()).isEqualTo(10);
    assertThat(common.rounds()).isEqualTo(2);
    Samples other = new Samples(List.of(new Sample(7, 50)));
    Statistic apart = rounds(100, 200).over(other).orElseThrow();
    assertThat(apart.mean()).isEqualTo(3);
    assertThat(apart.margin()).isEmpty();
    // Two campaigns with a round 1 each are two pairs.
    List<Sample> twice = new ArrayList<>(List.of(new Sample(1, 10), new Sample(1, 20)));
    Statistic pairs = new Samples(twice).over(new Samples(twice)).orElseThrow();
    assertThat(pairs.rounds()).isEqualTo(2);
    assertThat(pairs.mean()).isEqualTo(1);
    assertThat(pairs.margin().orElseThrow()).isCloseTo(0, within(1e-9));
  }

  @Test
  void byZeroAQuotientIsInfiniteOrNothing() {
    Statistic infinite = rounds(1, 2).over(rounds(0, 0)).orElseThrow();
    assertThat(infinite.mean()).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(infinite.margin()).isEmpty();
    assertThat(rounds(0, 0).over(rounds(0, 0))).isEmpty();
  }
}
