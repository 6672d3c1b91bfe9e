package org.mortydb.check.anomaly;

import java.util.List;
import java.util.stream.Collectors;

/** The result of a check. */
public sealed interface Verdict {

  /** The extent of the check. */
  Coverage coverage();

  /** Whether the check found no violation. */
  default boolean isSerializable() {
    return this instanceof Serializable;
  }

  /** The check found no violation. */
  record Serializable(Coverage coverage) implements Verdict {
    @Override
    public String toString() {
      return "serializable: %d committed transactions, %d reads checked, %d skipped, %d dependencies"
          .formatted(
              coverage.committed(),
              coverage.readsChecked(),
              coverage.readsSkipped(),
              coverage.edges());
    }
  }

  /**
   * The history is not serializable.
   *
   * @param violations the number of violations
   * @param first the first violations and the first of each kind; at least one
   */
  record Violated(Coverage coverage, long violations, List<Anomaly> first) implements Verdict {
    @Override
    public String toString() {
      return first.stream()
          .map(anomaly -> "\n  " + anomaly)
          .collect(
              Collectors.joining(
                  "", "NOT serializable, violations: " + violations + "; the first:", ""));
    }
  }
}
