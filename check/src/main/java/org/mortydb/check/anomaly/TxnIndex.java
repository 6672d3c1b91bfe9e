package org.mortydb.check.anomaly;

import it.unimi.dsi.fastutil.HashCommon;
import java.util.Arrays;
import org.mortydb.check.history.History;

/** Finds the transactions of a history by their ids, without an object per transaction. */
final class TxnIndex {
  private static final int FREE = -1;

  private final History history;
  private final int[] table;
  private final int mask;

  TxnIndex(History history) {
    this.history = history;
    int capacity = HashCommon.arraySize(Math.max(1, history.size()), 0.5f);
    table = new int[capacity];
    mask = capacity - 1;
    Arrays.fill(table, FREE);
    for (int t = 0; t < history.size(); t++) {
      int slot = slot(history.timeMicros(t), history.clientId(t));
      if (table[slot] == FREE) {
        table[slot] = t;
      }
    }
  }

  /** The first transaction with an id; -1 if there is none. */
  int find(long timeMicros, long clientId) {
    return table[slot(timeMicros, clientId)];
  }

  private int slot(long timeMicros, long clientId) {
    int slot = (int) HashCommon.mix(timeMicros * 31 + clientId) & mask;
    while (table[slot] != FREE
        && (history.timeMicros(table[slot]) != timeMicros
            || history.clientId(table[slot]) != clientId)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}
