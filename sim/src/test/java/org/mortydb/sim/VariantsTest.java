package org.mortydb.sim;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.TransactionSystem;
import org.mortydb.protocol.machine.Completion.Path;

/** Morty without one of its parts: just as safe, and really without it. */
class VariantsTest {
  private static final long SEEDS = 40;

  /** What each of them has to do without: a mark that all others reach. */
  private static final Map<TransactionSystem, String> MISSING =
      Map.ofEntries(
          entry(TransactionSystem.MVTSO, "reexecution"),
          entry(TransactionSystem.MORTY_NO_PUSH, "push"),
          entry(TransactionSystem.MORTY_NO_FAST_PATH, "decided/commit/" + Path.FAST),
          entry(TransactionSystem.MORTY_NO_CONDITIONAL_VOTES, "vote/COMMIT/on-condition"));

  @Test
  void allAreSafeAndDecideEverything() throws InterruptedException {
    Marks whole = run(TransactionSystem.MORTY);
    MISSING.values().forEach(mark -> assertThat(whole.count(mark)).as(mark).isPositive());
    for (TransactionSystem variant :
        new TransactionSystem[] {
          TransactionSystem.MVTSO,
          TransactionSystem.MORTY_ONE_REEXECUTION,
          TransactionSystem.MORTY_NO_PUSH,
          TransactionSystem.MORTY_NO_EAGER_WRITES,
          TransactionSystem.MORTY_NO_FAST_PATH,
          TransactionSystem.MORTY_NO_CONDITIONAL_VOTES
        }) {
      Marks marks = run(variant);
      assertThat(marks.count("completed/committed")).as("%s", variant).isGreaterThan(SEEDS);
      MISSING.forEach(
          (without, mark) -> {
            if (variant == without) {
              assertThat(marks.count(mark)).as("%s: %s", variant, mark).isZero();
            } else {
              assertThat(marks.count(mark)).as("%s: %s", variant, mark).isPositive();
            }
          });
    }
  }

  @Test
  void aLimitOfReexecutionsIsKept() throws InterruptedException {
    Marks whole = run(TransactionSystem.MORTY);
    Marks limited = run(TransactionSystem.MORTY_ONE_REEXECUTION);
    assertThat(limited.count("completed/aborted/REEXECUTION_LIMIT"))
        .isGreaterThan(whole.count("completed/aborted/REEXECUTION_LIMIT"));
    assertThat(limited.count("reexecution"))
        .isPositive()
        .isLessThan(whole.count("reexecution"))
        .isLessThanOrEqualTo(limited.count("transactions"));
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
