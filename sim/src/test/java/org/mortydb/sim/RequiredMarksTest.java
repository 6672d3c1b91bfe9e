package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.sim.host.SimDurability;

/** What a campaign must reach, by mix and number of seeds. */
class RequiredMarksTest {
  private static final List<FaultMix> ALL = List.of(FaultMix.values());
  private static final List<FaultMix> GENERAL = List.of(FaultMix.GENERAL);

  private final Marks reached = new Marks();

  private List<String> missing(List<FaultMix> mixes, long seeds) {
    return missing(mixes, seeds, SeedOptions.DEFAULTS);
  }

  private List<String> missing(List<FaultMix> mixes, long seeds, SeedOptions seed) {
    List<CampaignResult.OfMix> results =
        mixes.stream().map(mix -> new CampaignResult.OfMix(mix, seeds, 0, reached)).toList();
    CampaignOptions options = new CampaignOptions(mixes, 1, seeds, 1, false, 1, seed);
    return RequiredMarks.missing(options, results, reached);
  }

  @Test
  void allMixesTogetherMustReachEverything() {
    reached.add("branch/RETRACTED");
    reached.add("wipe");
    assertThat(missing(ALL, RequiredMarks.SEEDS_OF_ALL_MIXES))
        .contains("branch/FENCED", "decided/commit/SLOW", "rejoin: branch/REJOINED")
        .doesNotContain("branch/RETRACTED", "rejoin: wipe");
    assertThat(missing(ALL, RequiredMarks.SEEDS_OF_ALL_MIXES - 1)).doesNotContain("branch/FENCED");
    assertThat(missing(ALL, 1)).isEmpty();
  }

  @Test
  void eachFocusedMixMustReachWhatItIsMadeFor() {
    for (FaultMix mix : FaultMix.values()) {
      String[] marks =
          mix.marks().stream().map(mark -> mix.label() + ": " + mark).toArray(String[]::new);
      assertThat(missing(List.of(mix), RequiredMarks.SEEDS_OF_ONE_MIX)).containsExactly(marks);
      assertThat(missing(List.of(mix), RequiredMarks.SEEDS_OF_ONE_MIX - 1)).isEmpty();
    }
  }

  @Test
  void theGeneralMixAloneMustReachEverythingAtLast() {
    assertThat(missing(GENERAL, RequiredMarks.GENERAL_SEEDS))
        .contains("general: branch/FENCED", "general: decided/commit/SLOW");
    assertThat(missing(GENERAL, RequiredMarks.GENERAL_SEEDS - 1))
        .doesNotContain("general: branch/FENCED");
    assertThat(missing(GENERAL, Long.MAX_VALUE))
        .containsAll(
            Stream.of(Branch.values()).map(branch -> "general: branch/" + branch).toList());
  }

  @Test
  void nothingIsRequiredOfSeedsThatMayNotDrawEveryFault() {
    SeedOptions all = SeedOptions.DEFAULTS;
    for (SeedOptions less :
        List.of(
            all.withFaults(Set.of(SimFault.LOSS)),
            all.withDurability(SimDurability.SYNC),
            all.withSystem(TransactionSystems.named("tapir")))) {
      assertThat(missing(GENERAL, Long.MAX_VALUE, less)).isEmpty();
    }
  }

  /** An entry for a mark that does not exist would require nothing. */
  @Test
  void rareMarksAreMarks() {
    assertThat(RequiredMarks.required(FaultMix.GENERAL, Long.MAX_VALUE))
        .contains("branch/OLDER_EXECUTION_COMMITTED", "branch/COPIED_AGAIN", "death/client");
  }
}
