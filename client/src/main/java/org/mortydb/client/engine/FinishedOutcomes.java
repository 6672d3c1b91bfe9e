package org.mortydb.client.engine;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Outcome;

/** The outcomes of the last transactions of one client, by timestamp; discards the oldest. */
final class FinishedOutcomes {
  private final long[] order;
  private final Long2ObjectOpenHashMap<Outcome> outcomes;
  private int next;

  /**
   * @param capacity how many outcomes are kept, at least 1
   */
  FinishedOutcomes(int capacity) {
    order = new long[capacity];
    outcomes = new Long2ObjectOpenHashMap<>();
  }

  void remember(long timeMicros, Outcome outcome) {
    if (outcomes.put(timeMicros, outcome) != null) {
      return;
    }
    // Timestamps are positive, so 0 marks a place that was never used.
    if (order[next] != 0) {
      outcomes.remove(order[next]);
    }
    order[next] = timeMicros;
    next = next + 1 == order.length ? 0 : next + 1;
  }

  @Nullable Outcome of(long timeMicros) {
    return outcomes.get(timeMicros);
  }

  int size() {
    return outcomes.size();
  }
}
