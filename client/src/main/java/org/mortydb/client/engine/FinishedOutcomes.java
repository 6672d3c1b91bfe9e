package org.mortydb.client.engine;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Outcome;

/** The outcomes of the last transactions of one client, by timestamp; the oldest are forgotten. */
final class FinishedOutcomes {
  private static final int UNKNOWN = -2;
  private static final int ABORT = -1;

  private final long[] order;
  private final Long2IntOpenHashMap executions;
  private int next;

  /**
   * @param capacity how many are kept, at least 1
   */
  FinishedOutcomes(int capacity) {
    order = new long[capacity];
    executions = new Long2IntOpenHashMap();
    executions.defaultReturnValue(UNKNOWN);
  }

  void remember(long timeMicros, Outcome outcome) {
    int execution =
        switch (outcome) {
          case Outcome.Commit commit -> commit.execution();
          case Outcome.Abort abort -> ABORT;
        };
    if (executions.put(timeMicros, execution) != UNKNOWN) {
      return;
    }
    // Timestamps are positive: 0 is a place that was never used.
    if (order[next] != 0) {
      executions.remove(order[next]);
    }
    order[next] = timeMicros;
    next = next + 1 == order.length ? 0 : next + 1;
  }

  @Nullable Outcome of(long timeMicros) {
    int execution = executions.get(timeMicros);
    return execution == UNKNOWN
        ? null
        : execution == ABORT ? Outcome.ABORT : Outcome.commit(execution);
  }

  int size() {
    return executions.size();
  }
}
