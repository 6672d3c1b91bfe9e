package org.mortydb.sim.workload;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The mix of transactions of a run.
 *
 * @param name for the summary
 * @param steps the steps; one that occurs several times is as much more likely
 * @param maxSteps the largest number of steps of a transaction, at least 1
 * @param dependentShare the share of transactions whose steps depend on the values read
 * @param freshShare the share of transactions that write other values in each execution
 * @param abortShare the share of transactions that the application aborts, half of them by an
 *     exception
 * @param directShare the share of transactions in the direct style
 */
public record WorkloadProfile(
    String name,
    List<Step> steps,
    int maxSteps,
    double dependentShare,
    double freshShare,
    double abortShare,
    double directShare) {

  /** Draws a profile: a classical one, or a random mix of all steps. */
  public static WorkloadProfile draw(SplittableRandom random) {
    int maxSteps = random.nextInt(1, 7);
    double dependent = random.nextInt(3) * 0.4;
    double fresh = random.nextInt(3) * 0.5;
    double abort = random.nextInt(3) == 0 ? 0.1 : 0;
    double direct = random.nextInt(3) * 0.5;
    int dice = random.nextInt(10);
    List<Step> steps =
        switch (dice) {
          case 0, 1 -> List.of(Step.APPEND, Step.APPEND, Step.READ_LIST);
          case 2 -> List.of(Step.READ_MODIFY_WRITE, Step.READ_REGISTER, Step.BLIND_WRITE);
          case 3 -> List.of(Step.SKEW_PAIR, Step.SKEW_PAIR, Step.READ_MANY);
          case 4 -> List.of(Step.CHASE_POINTER, Step.CONDITIONAL_WRITES, Step.READ_MODIFY_WRITE);
          case 5 -> List.of(Step.SCAN, Step.TOGGLE, Step.COUNT_AND_ADD);
          default -> mixed(random);
        };
    String name =
        switch (dice) {
          case 0, 1 -> "list-append";
          case 2 -> "register";
          case 3 -> "write-skew";
          case 4 -> "dependent";
          case 5 -> "phantoms";
          default -> "mixed";
        };
    return new WorkloadProfile(name, steps, maxSteps, dependent, fresh, abort, direct);
  }

  /** This profile for systems that cannot scan. They read several keys instead. */
  public WorkloadProfile withoutScans() {
    List<Step> others =
        steps.stream()
            .map(step -> step == Step.SCAN || step == Step.COUNT_AND_ADD ? Step.READ_MANY : step)
            .toList();
    return new WorkloadProfile(
        name, others, maxSteps, dependentShare, freshShare, abortShare, directShare);
  }

  /** This profile with at least as many steps on counters. */
  public WorkloadProfile withMerges(SplittableRandom random) {
    List<Step> more = new ArrayList<>(steps);
    for (int i = steps.size() * random.nextInt(1, 4); i > 0; i--) {
      int dice = random.nextInt(12);
      more.add(dice == 0 ? Step.RESET_COUNTER : dice < 4 ? Step.READ_COUNTER : Step.MERGE);
    }
    return new WorkloadProfile(
        name + " with merges", more, maxSteps, dependentShare, freshShare, abortShare, directShare);
  }

  /** Whether transactions merge into counters. */
  public boolean merges() {
    return steps.contains(Step.MERGE);
  }

  private static List<Step> mixed(SplittableRandom random) {
    List<Step> steps = new ArrayList<>();
    for (Step step : EnumSet.complementOf(EnumSet.copyOf(Step.ON_COUNTERS))) {
      for (int i = random.nextInt(4); i > 0; i--) {
        steps.add(step);
      }
    }
    return steps.isEmpty() ? List.of(Step.APPEND) : List.copyOf(steps);
  }
}
