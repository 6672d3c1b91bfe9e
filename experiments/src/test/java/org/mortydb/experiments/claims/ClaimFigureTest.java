package org.mortydb.experiments.claims;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.experiments.claims.ClaimFigure.Direction;
import org.mortydb.experiments.claims.ClaimFigure.Expectation;

final class ClaimFigureTest {
  private static ClaimFigure figure(
      Expectation expectation, double tolerance, @Nullable Direction direction) {
    return new ClaimFigure(
        "Ratio", 4, expectation, tolerance, direction, "throughput", Map.of(), null, null);
  }

  @ParameterizedTest
  @CsvSource({
    "ABOUT, 3, REPRODUCED",
    "ABOUT, 5, REPRODUCED",
    "ABOUT, 2.999, DIRECTION_ONLY",
    "ABOUT, 5.001, DIRECTION_ONLY",
    "ABOUT, 1.001, DIRECTION_ONLY",
    "ABOUT, 1, REFUTED",
    "ABOUT, 0.5, REFUTED",
    "ABOUT, Infinity, DIRECTION_ONLY",
    "AT_LEAST, 3, REPRODUCED",
    "AT_LEAST, Infinity, REPRODUCED",
    "AT_LEAST, 2.999, DIRECTION_ONLY",
    "AT_LEAST, 1, REFUTED",
    "AT_MOST, 5, REPRODUCED",
    "AT_MOST, -10, REPRODUCED",
    "AT_MOST, 5.001, DIRECTION_ONLY",
  })
  void theVerdictFollowsFromToleranceAndDirection(
      Expectation expectation, double here, Verdict verdict) {
    assertThat(figure(expectation, 0.25, new Direction(true, 1)).judge(here)).isEqualTo(verdict);
  }

  @Test
  void withoutADirectionThereIsNothingInBetween() {
    assertThat(figure(Expectation.ABOUT, 0.25, null).judge(5.1)).isEqualTo(Verdict.REFUTED);
    Direction below = new Direction(false, 8);
    assertThat(figure(Expectation.AT_MOST, 0.25, below).judge(7.9))
        .isEqualTo(Verdict.DIRECTION_ONLY);
    assertThat(figure(Expectation.AT_MOST, 0.25, below).judge(8)).isEqualTo(Verdict.REFUTED);
  }

  @Test
  void roundingDecidesNothing() {
    ClaimFigure exact =
        new ClaimFigure("R", 0.3, Expectation.ABOUT, 0, null, "throughput", Map.of(), null, null);
    assertThat(exact.judge(0.1 + 0.2)).isEqualTo(Verdict.REPRODUCED);
    assertThat(exact.judge(0.3001)).isEqualTo(Verdict.REFUTED);
  }

  @Test
  void saysWhatItExpects() {
    assertThat(figure(Expectation.ABOUT, 0.25, null).expected()).isEqualTo("3 to 5");
    assertThat(figure(Expectation.AT_LEAST, 0.25, null).expected()).isEqualTo("at least 3");
    assertThat(figure(Expectation.AT_MOST, 0.3, null).expected()).isEqualTo("at most 5.2");
    assertThat(List.of(35_300.0, 123.4, 12.34, 1.2345, 0.0))
        .extracting(ClaimFigure::number)
        .containsExactly("35,300", "123", "12.3", "1.235", "0");
  }

  @Test
  void aMachineMustHaveWhatAClaimNeeds() {
    Needs needs = new Needs(4, 8, 3, List.of("a.json"));
    long memory = 8L << 30;
    long heap = 3L << 30;
    assertThat(needs.lacking(new Machine(4, memory, heap, file -> true))).isEmpty();
    assertThat(needs.lacking(new Machine(4, memory - (memory >> 4), heap, file -> true))).isEmpty();
    assertThat(needs.lacking(new Machine(3, memory, heap, file -> true)))
        .contains("needs 4 cores, this machine has 3");
    assertThat(needs.lacking(new Machine(4, memory / 2, heap, file -> true)))
        .contains("needs 8 GiB of memory, this machine has 4");
    assertThat(needs.lacking(new Machine(4, memory, heap, file -> false)))
        .contains("needs the file a.json, which this checkout lacks");
    Machine alike = new Machine(4, memory, heap - (heap >> 4), file -> true);
    Machine small = new Machine(4, memory, heap / 2, file -> true);
    assertThat(needs.lackingToRun(alike)).isEmpty();
    assertThat(needs.lackingToRun(small))
        .contains("needs a heap of 3 GiB, this process has 1.5; set MORTY_JAVA_OPTS=-Xmx3g");
    assertThat(needs.lacking(small)).as("other processes may have more").isEmpty();
    assertThat(new Needs(4, 8, 0, List.of()).lackingToRun(small)).isEmpty();
    assertThat(Machine.here(file -> true).heapBytes()).isEqualTo(Runtime.getRuntime().maxMemory());
  }
}
