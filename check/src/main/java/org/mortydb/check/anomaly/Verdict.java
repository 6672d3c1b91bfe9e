package org.mortydb.check.anomaly;

import java.util.List;
import java.util.stream.Collectors;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.protocol.system.Guarantee;

/** The result of a check. */
public sealed interface Verdict {

  /** The extent of the check. */
  Coverage coverage();

  /** Whether the check found no violation. */
  default boolean isSerializable() {
    return this instanceof Serializable;
  }

  /**
   * Whether all that the check found is within a guarantee. Snapshot isolation permits cycles with
   * two or more anti-dependencies, and nothing else.
   */
  default boolean satisfies(Guarantee guarantee) {
    return switch (this) {
      case Serializable _ -> true;
      case Violated violated ->
          !guarantee.isSerializable()
              && violated.first.stream().allMatch(anomaly -> anomaly.kind() == Kind.G2_ITEM);
    };
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
