package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.sim.host.SimDurability;

class SeedRunTest {
  private static final long SEEDS = TestSeeds.count(60, 150);

  @Test
  void findsNoViolation() throws InterruptedException {
    CampaignResult result = campaign(1, SEEDS, "all");
    assertThat(result.failures()).isEmpty();
    assertThat(result.marks().count("completed/committed")).isGreaterThan(SEEDS);
    assertThat(result.marks().count("checked/LIST_APPEND")).isGreaterThan(SEEDS);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "GENERAL")
  void findsNoViolationInAFocusedMix(FaultMix mix) throws InterruptedException {
    long seeds =
        switch (mix) {
          // A run with changes of the map takes more than ten times as long as others.
          case CHANGES -> TestSeeds.count(6, 12);
          // Few runs merge into one key often enough to reach the limit.
          case MERGES -> TestSeeds.count(60, 120);
          default -> TestSeeds.count(15, 30);
        };
    CampaignResult result = campaign(1, seeds, SeedOptions.DEFAULTS.withMix(mix));
    assertThat(result.failures()).isEmpty();
    assertThat(result.marks().count(mix.marks().getFirst())).isPositive();
  }

  @Test
  void withoutFaultsEverythingIsDecided() throws InterruptedException {
    CampaignResult result = campaign(1, TestSeeds.count(12, 30), "none");
    assertThat(result.failures()).isEmpty();
    assertThat(result.undecided()).isZero();
  }

  /** In seed 5041 a transaction of the year 3111 was the fence of a cluster that went back. */
  @Test
  void aClientThatMayOnlyReadHarmsNobody() throws InterruptedException {
    CampaignResult result = campaign(5_020, 40, "hostile,loss,reorder,crash");
    assertThat(result.failures()).isEmpty();
    assertThat(result.marks().count("fault/hostile")).isGreaterThan(10);
    assertThat(result.undecided()).isZero();
  }

  /**
   * In these seeds a server should have come back without its memory and with a wrong clock, but
   * kept its memory and voted. Then it lost the memory in a later episode.
   */
  @ParameterizedTest
  @ValueSource(longs = {30_024_250, 30_030_212})
  void aServerThatLosesItsMemoryHasNotVotedByAWrongClock(long seed) {
    assertThat(SeedRun.run(seed, SeedOptions.DEFAULTS).violations()).isEmpty();
  }

  @Test
  void serversThatKeepNothingRejoinAfterACrash() {
    SeedOptions options = SeedOptions.DEFAULTS.withDurability(SimDurability.MEMORY);
    Marks marks = new Marks();
    for (long seed = 1; seed <= TestSeeds.count(15, 40); seed++) {
      SeedResult result = SeedRun.run(seed, options);
      assertThat(result.violations()).isEmpty();
      marks.addAll(result.marks());
    }
    assertThat(marks.count("crash")).isPositive();
    assertThat(marks.count("wipe")).isEqualTo(marks.count("crash"));
    assertThat(marks.count("restart")).isZero();
    assertThat(marks.count("branch/REJOINED")).isPositive();
  }

  @Test
  void aSeedDecidesEverything() {
    for (long seed = 1; seed <= 5; seed++) {
      SeedResult first = SeedRun.run(seed, SeedOptions.DEFAULTS);
      SeedResult second = SeedRun.run(seed, SeedOptions.DEFAULTS);
      assertThat(second.digest()).isEqualTo(first.digest());
      assertThat(second.events()).isEqualTo(first.events());
      assertThat(second.marks().counts()).isEqualTo(first.marks().counts());
      assertThat(SeedRun.run(seed + 100, SeedOptions.DEFAULTS).digest())
          .isNotEqualTo(first.digest());
    }
  }

  @Test
  void theTraceSaysWhatHappenedAndChangesNothing(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("trace.txt");
    SeedResult traced = SeedRun.run(3, SeedOptions.DEFAULTS.withTrace(file));
    assertThat(traced.digest()).isEqualTo(SeedRun.run(3, SeedOptions.DEFAULTS).digest());
    List<String> lines = Files.readAllLines(file);
    assertThat(lines.getFirst()).contains("seed 3", traced.plan());
    assertThat(lines).anyMatch(line -> line.contains("Prepare[")).hasSizeGreaterThan(500);
  }

  private static CampaignResult campaign(long first, long seeds, String faults)
      throws InterruptedException {
    return campaign(first, seeds, SeedOptions.DEFAULTS.withFaults(SimFault.parse(faults)));
  }

  private static CampaignResult campaign(long first, long seeds, SeedOptions options)
      throws InterruptedException {
    int threads = Runtime.getRuntime().availableProcessors();
    return SimRunner.run(
        new CampaignOptions(first, seeds, threads, false, 1, options), (done, failures) -> {});
  }
}
