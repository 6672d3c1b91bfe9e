package org.mortydb.client.engine;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.TxnId;

/** The decisions of the last transactions of one client, by timestamp; discards the oldest. */
final class FinishedOutcomes {
  private final long[] order;
  private final Long2ObjectOpenHashMap<Message.Decide> decisions;
  private int next;

  /**
   * @param capacity how many decisions are kept, at least 1
   */
  FinishedOutcomes(int capacity) {
    order = new long[capacity];
    decisions = new Long2ObjectOpenHashMap<>();
  }

  void remember(Message.Decide decision) {
    long timeMicros = decision.txn().timeMicros();
    if (decisions.put(timeMicros, decision) != null) {
      return;
    }
    // Timestamps are positive, so 0 marks a place that was never used.
    if (order[next] != 0) {
      decisions.remove(order[next]);
    }
    order[next] = timeMicros;
    next = next + 1 == order.length ? 0 : next + 1;
  }

  /**
   * The decision on a transaction; null if there is none, also if this client has used the time in
   * a transaction with another home: that is another transaction, of which it knows nothing.
   */
  Message.@Nullable Decide of(TxnId txn) {
    Message.Decide decision = decisions.get(txn.timeMicros());
    return decision != null && decision.txn().equals(txn) ? decision : null;
  }

  int size() {
    return decisions.size();
  }
}
