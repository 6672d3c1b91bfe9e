package org.mortydb.sim;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.systems.MortyVariants;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;

/** Morty without one of its parts: just as safe, and really without it. */
class VariantsTest {
  private static final long SEEDS = TestSeeds.count(12, 24);
  private static final String FORWARDED = "forwarded";

  private static final TransactionSystem MVTSO = new MortyVariants.Mvtso();
  private static final TransactionSystem ONE_REEXECUTION = new MortyVariants.OneReexecution();
  private static final TransactionSystem NO_PUSH = new MortyVariants.NoPush();
  private static final TransactionSystem NO_EAGER_WRITES = new MortyVariants.NoEagerWrites();
  private static final TransactionSystem NO_FORWARDING = new MortyVariants.NoForwarding();
  private static final TransactionSystem NO_FAST_PATH = new MortyVariants.NoFastPath();
  private static final TransactionSystem DECIDED_READS = new MortyVariants.DecidedReads();
  private static final TransactionSystem NO_CONDITIONAL_VOTES =
      new MortyVariants.NoConditionalVotes();

  /** What each of them has to do without: a mark that all others reach. */
  private static final Map<TransactionSystem, String> MISSING =
      Map.ofEntries(
          entry(MVTSO, "reexecution"),
          entry(NO_PUSH, "push"),
          entry(NO_FAST_PATH, "decided/commit/" + Path.FAST),
          entry(DECIDED_READS, "decided/commit/" + Path.READ_ONLY),
          entry(NO_CONDITIONAL_VOTES, "vote/COMMIT/on-condition"));

  private static Marks whole = new Marks();
  private static Marks limited = new Marks();

  @BeforeAll
  static void runBothThatTwoTestsNeed() throws InterruptedException {
    whole = run(Morty.SYSTEM);
    limited = run(ONE_REEXECUTION);
  }

  @Test
  void allAreSafeAndDecideEverything() throws InterruptedException {
    MISSING.values().forEach(mark -> assertThat(whole.count(mark)).as(mark).isPositive());
    assertThat(whole.count(FORWARDED)).isPositive();
    for (TransactionSystem variant :
        List.of(
            MVTSO,
            ONE_REEXECUTION,
            NO_PUSH,
            NO_EAGER_WRITES,
            NO_FORWARDING,
            NO_FAST_PATH,
            DECIDED_READS,
            NO_CONDITIONAL_VOTES)) {
      Marks marks = variant.equals(ONE_REEXECUTION) ? limited : run(variant);
      if (variant.equals(NO_FORWARDING)) {
        assertThat(marks.count(FORWARDED)).isZero();
      }
      assertThat(marks.count("completed/committed")).as("%s", variant).isGreaterThan(SEEDS);
      MISSING.forEach(
          (without, mark) -> {
            if (variant.equals(without)) {
              assertThat(marks.count(mark)).as("%s: %s", variant, mark).isZero();
            } else {
              assertThat(marks.count(mark)).as("%s: %s", variant, mark).isPositive();
            }
          });
    }
  }

  @Test
  void aLimitOfReexecutionsIsKept() {
    assertThat(limited.count("completed/aborted/REEXECUTION_LIMIT"))
        .isGreaterThan(whole.count("completed/aborted/REEXECUTION_LIMIT"));
    assertThat(limited.count("reexecution"))
        .isPositive()
        .isLessThanOrEqualTo(limited.count("transactions"));
    // Those that reach the limit begin again, so there are more transactions with fewer each.
    assertThat(reexecutionsEach(limited)).isLessThan(reexecutionsEach(whole));
  }

  private static double reexecutionsEach(Marks marks) {
    return (double) marks.count("reexecution") / marks.count("transactions");
  }

  private static Marks run(TransactionSystem system) throws InterruptedException {
    CampaignResult result =
        SimRunner.run(
            new CampaignOptions(
                1,
                SEEDS,
                Runtime.getRuntime().availableProcessors(),
                false,
                1,
                SeedOptions.DEFAULTS.withSystem(system)),
            (done, failures) -> {});
    assertThat(result.failures()).as("%s", system).isEmpty();
    assertThat(result.undecided()).as("%s", system).isZero();
    return result.marks();
  }
}
