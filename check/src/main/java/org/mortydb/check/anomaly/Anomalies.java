package org.mortydb.check.anomaly;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.mortydb.check.anomaly.Anomaly.Kind;

/**
 * Counts anomalies, and keeps the first few and the first of each kind. It explains only a limited
 * number of them.
 */
final class Anomalies {
  private static final int KEPT = 10;
  private static final int EXPLAINED = 10_000;

  private final List<Anomaly> first = new ArrayList<>();
  private final Set<Kind> kinds = EnumSet.noneOf(Kind.class);
  private long count;

  void add(Kind kind, List<String> transactions, Supplier<String> explanation) {
    add(() -> new Anomaly(kind, transactions, explanation.get()));
  }

  void add(Supplier<Anomaly> anomaly) {
    if (count++ < EXPLAINED) {
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
