package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.protocol.system.Morty;
import org.mortydb.sim.Violation.Rule;

/** Breaks changes of the map in one way at a time: every rule that is broken must be noticed. */
@Tag("slow")
class WeakenedChangesTest {
  private static final long MAX_SEEDS = 60;

  private static void assertFound(ReplicaRules rules) {
    SeedOptions options =
        SeedOptions.DEFAULTS
            .withMix(FaultMix.CHANGES)
            .withSystem(Morty.withRules(rules, CoordinatorRules.SOUND));
    Set<Rule> found = EnumSet.noneOf(Rule.class);
    for (long seed = 0; seed < MAX_SEEDS && found.isEmpty(); seed++) {
      SeedRun.run(seed, options).violations().forEach(violation -> found.add(violation.rule()));
    }
    assertThat(found)
        .containsAnyOf(
            Rule.ONE_OUTCOME,
            Rule.TIMESTAMP_ORDER,
            Rule.REGISTER,
            Rule.LIST_APPEND,
            Rule.LOST,
            Rule.MEMORY);
  }

  @Test
  void votesAboveASeal() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean seals() {
            return false;
          }
        });
  }

  @Test
  void aNewPartitionThatServesBeforeItHoldsItsKeys() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean servesWhatHasArrived() {
            return false;
          }
        });
  }
}
