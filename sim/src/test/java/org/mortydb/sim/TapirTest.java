package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.systems.Tapir;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.sim.Violation.Rule;

/** The baseline TAPIR: clean as built, and noticed when it is weakened. */
class TapirTest {
  private static final long SEEDS = TestSeeds.count(60, 150);
  private static final long MAX_SEEDS = 400;
  private static final SeedOptions TAPIR = SeedOptions.DEFAULTS.withSystem(new Tapir());

  @Test
  void findsNoViolation() throws InterruptedException {
    int threads = Runtime.getRuntime().availableProcessors();
    CampaignResult result =
        SimRunner.run(
            new CampaignOptions(1, SEEDS, threads, false, 1, TAPIR), (done, failures) -> {});
    assertThat(result.failures()).isEmpty();
    assertThat(result.undecided()).isZero();
    Marks marks = result.marks();
    assertThat(marks.count("completed/committed")).isGreaterThan(SEEDS);
    for (String reached :
        new String[] {
          "checked/TIMESTAMP_ORDER",
          "checked/LIST_APPEND",
          "checked/REGISTER",
          "decided/commit/FAST",
          "decided/commit/SLOW",
          "revote",
          "vote/MISSED_WRITE/final",
          "vote/MISSED_WRITE/tentative",
          "vote/WRITE_MISSED/tentative",
          "branch/OUTCOME_INQUIRED",
          "branch/EXECUTION_FETCHED",
          "completed/aborted/CLOCK_AHEAD",
          "completed/aborted/DEADLINE",
          "completed/aborted/TRUNCATED"
        }) {
      assertThat(marks.count(reached)).as(reached).isPositive();
    }
  }

  @Test
  void aSeedDecidesEverything() {
    for (long seed = 1; seed <= 3; seed++) {
      assertThat(SeedRun.run(seed, TAPIR).digest()).isEqualTo(SeedRun.run(seed, TAPIR).digest());
    }
  }

  @Test
  void validationWithoutTheCheckOfReads() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean checksMissedWrites() {
            return false;
          }
        },
        CoordinatorRules.SOUND);
  }

  @Test
  void validationWithoutTheCheckOfWrites() {
    assertFound(
        new ReplicaRules() {
          @Override
          public boolean checksWritesMissed() {
            return false;
          }
        },
        CoordinatorRules.SOUND);
  }

  @Test
  void slowPathWithResultsOfAMinority() {
    assertFound(
        ReplicaRules.SOUND,
        new CoordinatorRules() {
          @Override
          public int slowQuorum(int f) {
            return f;
          }
        });
  }

  /** Runs seeds until each checker of histories has noticed. */
  private static void assertFound(ReplicaRules replica, CoordinatorRules coordinator) {
    Set<Rule> missing = EnumSet.of(Rule.TIMESTAMP_ORDER, Rule.LIST_APPEND, Rule.REGISTER);
    SeedOptions options = TAPIR.withSystem(new Tapir(replica, coordinator));
    for (long seed = 1; seed <= MAX_SEEDS && !missing.isEmpty(); seed++) {
      SeedRun.run(seed, options)
          .violations()
          .forEach(violation -> missing.remove(violation.rule()));
    }
    assertThat(missing).as("rules not seen broken in %d seeds", MAX_SEEDS).isEmpty();
  }
}
