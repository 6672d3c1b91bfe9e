package org.mortydb.check.anomaly;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Counts anomalies and keeps the first few, and the first of each kind; of very many the others are
 * not even put into words.
 */
final class Anomalies {
  private static final int KEPT = 10;
  private static final int PUT_INTO_WORDS = 10_000;

  private final List<Anomaly> first = new ArrayList<>();
  private final Set<Anomaly.Kind> kinds = EnumSet.noneOf(Anomaly.Kind.class);
  private long count;

  void add(Supplier<Anomaly> anomaly) {
    if (count++ < PUT_INTO_WORDS) {
      Anomaly next = anomaly.get();
      if (kinds.add(next.kind()) || first.size() < KEPT) {
        first.add(next);
      }
    }
  }

  Verdict verdict(Coverage coverage) {
    return count == 0
        ? new Verdict.Serializable(coverage)
        : new Verdict.Violated(coverage, count, List.copyOf(first));
  }
}
