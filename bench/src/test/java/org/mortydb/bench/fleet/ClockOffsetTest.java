package org.mortydb.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mortydb.bench.fleet.ClockOffset.RoundTrip;

final class ClockOffsetTest {

  /** A round trip to a clock that is ahead, with a delay each way and some time for the answer. */
  private static RoundTrip trip(long ahead, long there, long back) {
    long sent = 1_000_000;
    long received = sent + there + ahead;
    return new RoundTrip(sent, received, received + 40, sent + there + 40 + back);
  }

  @Test
  void anEvenRoundTripShowsTheOffset() {
    assertThat(ClockOffset.of(List.of(trip(700, 50, 50)))).isEqualTo(new ClockOffset(700, 50));
    assertThat(ClockOffset.of(List.of(trip(-700, 50, 50)))).isEqualTo(new ClockOffset(-700, 50));
  }

  @Test
  void anUnevenRoundTripIsWrongByNoMoreThanItsError() {
    for (long there = 0; there <= 200; there += 10) {
      ClockOffset offset = ClockOffset.of(List.of(trip(5_000, there, 200 - there)));
      assertThat(Math.abs(offset.micros() - 5_000)).isLessThanOrEqualTo(offset.errorMicros());
    }
  }

  @Test
  void theShortestRoundTripCounts() {
    assertThat(ClockOffset.of(List.of(trip(9, 4_000, 10), trip(9, 20, 20), trip(9, 10, 900))))
        .isEqualTo(new ClockOffset(9, 20));
  }

  @Test
  void aClockThatWasSetIsNoClock() {
    RoundTrip back = new RoundTrip(1_000, 2_000, 1_500, 1_100);
    RoundTrip longer = new RoundTrip(1_000, 2_000, 2_300, 1_100);
    assertThatIllegalArgumentException().isThrownBy(() -> ClockOffset.of(List.of(back, longer)));
    assertThat(ClockOffset.of(List.of(back, trip(3, 10, 10), longer)).micros()).isEqualTo(3);
  }

  @Test
  void clocksThatAgreeMayAllDifferFromTheControllers() {
    Map<String, ClockOffset> offsets = new LinkedHashMap<>();
    offsets.put("a", new ClockOffset(3_600_000_000L, 100));
    offsets.put("b", new ClockOffset(3_600_002_000L, 100));
    assertThat(ClockOffset.requireAgreement(offsets, 2)).isEqualTo(2_000);
  }

  @Test
  void theClockThatIsOffIsNamed() {
    Map<String, ClockOffset> offsets = new LinkedHashMap<>();
    offsets.put("agent 'a'", new ClockOffset(-50, 100));
    offsets.put("agent 'b'", new ClockOffset(-90_000, 300));
    offsets.put("agent 'c'", new ClockOffset(10, 100));
    assertThatExceptionOfType(AgentFailedException.class)
        .isThrownBy(() -> ClockOffset.requireAgreement(offsets, 20))
        .withMessageContaining("agent 'b' is 90.0 ms behind")
        .withMessageContaining("within 0.3 ms")
        .withMessageContaining("allows 20.0 ms");
  }

  /** A long round trip leaves the difference uncertain; only a certain one is refused. */
  @Test
  void onlyACertainDifferenceIsRefused() {
    Map<String, ClockOffset> offsets = new LinkedHashMap<>();
    offsets.put("near", new ClockOffset(0, 100));
    offsets.put("far", new ClockOffset(24_000, 4_000));
    assertThat(ClockOffset.requireAgreement(offsets, 20)).isEqualTo(24_000);
    offsets.put("far", new ClockOffset(24_200, 4_000));
    assertThatExceptionOfType(AgentFailedException.class)
        .isThrownBy(() -> ClockOffset.requireAgreement(offsets, 20));
  }

  @Test
  void theClockThatHasMovedMostIsNamed() {
    Map<String, ClockOffset> before = new LinkedHashMap<>();
    before.put("agent 'a'", new ClockOffset(3_600_000_000L, 100));
    before.put("agent 'b'", new ClockOffset(3_600_000_000L, 100));
    before.put("agent 'c'", new ClockOffset(3_600_000_000L, 100));
    Map<String, ClockOffset> now = new LinkedHashMap<>();
    now.put("agent 'a'", new ClockOffset(3_600_060_000L, 100));
    now.put("agent 'b'", new ClockOffset(3_599_800_000L, 100));
    now.put("agent 'c'", new ClockOffset(3_600_070_000L, 100));
    assertThatExceptionOfType(AgentFailedException.class)
        .isThrownBy(() -> ClockOffset.requireSteady(before, now))
        .withMessageContaining("the clock of agent 'b' has moved back by 200.0 ms");
  }

  /** Two comparisons with long round trips may differ without a clock that has moved. */
  @Test
  void onlyACertainMovementIsRefused() {
    Map<String, ClockOffset> before = Map.of("agent 'a'", new ClockOffset(0, 3_000));
    ClockOffset.requireSteady(before, Map.of("agent 'a'", new ClockOffset(55_000, 2_000)));
    ClockOffset.requireSteady(before, Map.of("agent 'a'", new ClockOffset(-55_000, 2_000)));
    assertThatExceptionOfType(AgentFailedException.class)
        .isThrownBy(
            () ->
                ClockOffset.requireSteady(
                    before, Map.of("agent 'a'", new ClockOffset(55_001, 2_000))))
        .withMessageContaining("the clock of agent 'a' has moved forward by 55.0 ms");
  }
}
