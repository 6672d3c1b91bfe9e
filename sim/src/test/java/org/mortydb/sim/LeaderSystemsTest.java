package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.sim.conformance.SystemConformance;

/** The baselines with leaders, under the faults that they tolerate. */
class LeaderSystemsTest {
  private static final long SEEDS = TestSeeds.count(50, 120);

  @ParameterizedTest
  @ValueSource(strings = {"spanner", "occ"})
  void findsNoViolation(String system) throws InterruptedException {
    findsNoViolation(system, "checked/TIMESTAMP_ORDER");
  }

  @ParameterizedTest
  @ValueSource(strings = {"spanner", "occ"})
  void mergesFindNoViolation(String system) throws InterruptedException {
    SystemConformance.of(TransactionSystems.named(system)).withSeeds(SEEDS).check();
  }

  @ParameterizedTest
  @ValueSource(strings = {"si", "si-wait", "ssi", "ssi-wait"})
  void snapshotsKeepTheirGuarantee(String system) throws InterruptedException {
    Marks marks = findsNoViolation(system, "checked/VERSION_ORDER");
    long skews = marks.count("permitted/G2_ITEM");
    if (system.startsWith("ssi")) {
      assertThat(skews).isZero();
    } else {
      assertThat(skews).isPositive();
    }
  }

  private static Marks findsNoViolation(String system, String order) throws InterruptedException {
    CampaignResult result =
        SimRunner.run(
            new CampaignOptions(
                1,
                SEEDS,
                Runtime.getRuntime().availableProcessors(),
                false,
                1,
                SeedOptions.DEFAULTS.withSystem(TransactionSystems.named(system))),
            (done, failures) -> {});
    assertThat(result.failures()).isEmpty();
    assertThat(result.undecided()).isZero();
    Marks marks = result.marks();
    assertThat(marks.count("completed/committed")).isGreaterThan(SEEDS);
    for (String reached :
        new String[] {
          order,
          "checked/LIST_APPEND",
          "checked/REGISTER",
          "completed/aborted/CONFLICT",
          "completed/aborted/CLOCK_AHEAD",
          "completed/aborted/DEADLINE",
          "completed/aborted/TRUNCATED",
          "completed/unknown"
        }) {
      assertThat(marks.count(reached)).as(reached).isPositive();
    }
    return marks;
  }

  @ParameterizedTest
  @ValueSource(strings = {"spanner", "occ", "si", "ssi", "si-wait", "ssi-wait"})
  void aSeedDecidesEverything(String system) {
    SeedOptions options = SeedOptions.DEFAULTS.withSystem(TransactionSystems.named(system));
    for (long seed = 1; seed <= 3; seed++) {
      assertThat(SeedRun.run(seed, options).digest())
          .isEqualTo(SeedRun.run(seed, options).digest());
    }
  }
}
