package org.mortydb.sim.check;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Counts anomalies and keeps the first few; the others are not even put into words. */
final class Anomalies {
  private static final int KEPT = 10;

  private final List<Anomaly> first = new ArrayList<>();
  private long count;

  void add(Supplier<Anomaly> anomaly) {
    count++;
    if (first.size() < KEPT) {
      first.add(anomaly.get());
    }
  }

  Verdict verdict(Coverage coverage) {
    return count == 0
        ? new Verdict.Serializable(coverage)
        : new Verdict.Violated(coverage, count, List.copyOf(first));
  }
}
