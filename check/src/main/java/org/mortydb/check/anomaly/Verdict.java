package org.mortydb.check.anomaly;

import java.util.List;
import java.util.stream.Collectors;

/** What a checker found out about a history. */
public sealed interface Verdict {

  /** How much was looked at. */
  Coverage coverage();

  /** Whether no violation was found. */
  default boolean isSerializable() {
    return this instanceof Serializable;
  }

  /** No violation was found. */
  record Serializable(Coverage coverage) implements Verdict {
    @Override
    public String toString() {
      return "serializable: "
          + coverage.committed()
          + " committed transactions, "
          + coverage.readsChecked()
          + " reads checked, "
          + coverage.readsSkipped()
          + " skipped, "
          + coverage.edges()
          + " dependencies";
    }
  }

  /**
   * The history is not serializable.
   *
   * @param violations how many were found
   * @param first the first of them and the first of each kind, explained; at least one
   */
  record Violated(Coverage coverage, long violations, List<Anomaly> first) implements Verdict {
    @Override
    public String toString() {
      return first.stream()
          .map(anomaly -> "\n  " + anomaly)
          .collect(
              Collectors.joining(
                  "", "NOT serializable, " + violations + " violation(s), the first:", ""));
    }
  }
}
