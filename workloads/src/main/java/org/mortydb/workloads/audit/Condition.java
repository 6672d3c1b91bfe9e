package org.mortydb.workloads.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A condition that must hold for many records. For one thread. */
public final class Condition {
  private static final int EXPLANATIONS = 3;

  private final String name;
  private final List<String> explanations = new ArrayList<>();
  private long checked;
  private long violations;

  Condition(String name) {
    this.name = name;
  }

  /** Records whether two numbers that must be equal are equal in one case. */
  public void checkEqual(long left, long right) {
    check(left == right, () -> left + " and " + right);
  }

  /**
   * Records whether the condition holds in one case.
   *
   * @param explanation describes the violation
   */
  public void check(boolean holds, Supplier<String> explanation) {
    checked++;
    if (!holds) {
      violations++;
      if (explanations.size() < EXPLANATIONS) {
        explanations.add(explanation.get());
      }
    }
  }

  Finding finding() {
    return new Finding(name, checked, violations, List.copyOf(explanations));
  }
}
