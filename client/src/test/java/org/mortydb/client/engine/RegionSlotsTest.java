package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/protocol.md, section 12. */
class RegionSlotsTest {
  private static final long NOW = 1_795_000_000_000_000L;
  private static final long LENGTH = 8_000;
  private static final long SKEW = 500_000;

  private static RegionSlots slots(int region, int regions) {
    return new RegionSlots(region, regions, 0, SKEW, false);
  }

  @ParameterizedTest
  @CsvSource({"3, 8000", "3, 7", "5, 1000", "2, 64000", "1, 10"})
  void idsAscendWithTheClockAndStayNearIt(int regions, long length) {
    for (int region = 0; region < regions; region++) {
      RegionSlots slots = slots(region, regions);
      long last = Long.MIN_VALUE;
      for (long now = NOW; now < NOW + 4L * regions * length; now += 1 + length / 97) {
        long time = slots.place(now, length);
        assertThat(time).isGreaterThanOrEqualTo(last);
        assertThat(Math.abs(time - now)).isLessThanOrEqualTo((regions - 1) * length / 2 + 1);
        last = time;
      }
    }
  }

  @Test
  void everySlotHoldsTheIdsOfOneRegion() {
    TreeMap<Long, Integer> regions = new TreeMap<>();
    for (int region = 0; region < 3; region++) {
      for (long now = NOW; now < NOW + 9 * LENGTH; now += 50) {
        regions.put(slots(region, 3).place(now, LENGTH), region);
      }
    }
    int changes = 0;
    Integer before = null;
    for (int region : regions.values()) {
      changes += before != null && before != region ? 1 : 0;
      before = region;
    }
    assertThat(changes).as("nine slots, and two cycles that are cut").isLessThanOrEqualTo(14);
  }

  @Test
  void slotsThatWouldLeadTooFarAheadAreMovedBackInAllRegionsAlike() {
    long length = 400_000;
    for (int region = 0; region < 3; region++) {
      RegionSlots near = new RegionSlots(region, 3, 0, 300_000, false);
      RegionSlots far = new RegionSlots(region, 3, 0, 10_000_000, false);
      for (long now = NOW; now < NOW + 4 * length; now += 9_973) {
        assertThat(near.place(now, length) - now).isLessThanOrEqualTo(300_000);
        assertThat(far.place(now, length) - near.place(now, length)).isEqualTo(100_000);
      }
    }
  }

  @Test
  void noIdIsBeforeTheClockIfCommitsWait() {
    for (int region = 0; region < 3; region++) {
      RegionSlots slots = new RegionSlots(region, 3, 0, SKEW, true);
      for (long now = NOW; now < NOW + 9 * LENGTH; now += 31) {
        assertThat(slots.place(now, LENGTH)).isBetween(now, now + 2 * LENGTH);
      }
      assertThat(2 * slots.lengthFor(1_000_000)).as("two slots ahead").isLessThanOrEqualTo(SKEW);
    }
  }

  @Test
  void lengthsAreFewSoThatRegionsChooseTheSame() {
    RegionSlots slots = slots(0, 3);
    assertThat(slots.lengthFor(0)).isZero();
    assertThat(slots.lengthFor(900)).as("one machine: slots are of no use").isZero();
    assertThat(slots.lengthFor(7_600)).isEqualTo(8_000);
    assertThat(
            List.of(slots.lengthFor(124_000), slots.lengthFor(132_000), slots.lengthFor(136_000)))
        .containsOnly(128_000L);
    assertThat(slots.lengthFor(Long.MAX_VALUE / 2)).isLessThanOrEqualTo(1_000_000);
    assertThat(slots(0, 1).lengthFor(16_000)).as("one region").isZero();
  }

  @Test
  void refusesARegionThatDoesNotExist() {
    assertThatThrownBy(() -> new RegionSlots(3, 3, 0, 0, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("region 3 of 3");
  }

  @Test
  void aChainThatTakesPartInTurnsCrossesSeldom() {
    SplittableRandom random = new SplittableRandom(1);
    List<Id> plain = new ArrayList<>();
    List<Id> together = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      int region = random.nextInt(3);
      long now = NOW + random.nextLong(60 * LENGTH);
      plain.add(new Id(now, region));
      together.add(new Id(slots(region, 3).place(now, LENGTH), region));
    }
    assertThat(crossings(plain)).isGreaterThan(1_800);
    assertThat(crossings(together)).isLessThan(70);
  }

  private static int crossings(List<Id> ids) {
    ids.sort(Comparator.comparingLong(Id::time));
    int crossings = 0;
    for (int i = 1; i < ids.size(); i++) {
      crossings += ids.get(i).region == ids.get(i - 1).region ? 0 : 1;
    }
    return crossings;
  }

  private record Id(long time, int region) {}
}
