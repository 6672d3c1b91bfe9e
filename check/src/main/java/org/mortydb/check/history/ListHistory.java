package org.mortydb.check.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * A history of transactions that append to lists and read them, with nothing of the protocol in it.
 * Not safe for use by several threads.
 */
public final class ListHistory {
  private final List<ListTransaction> transactions = new ArrayList<>();
  private final SequencedMap<String, List<String>> finalReads = new TreeMap<>();

  /** Adds a transaction that ended. */
  public void add(ListTransaction transaction) {
    transactions.add(transaction);
  }

  /** Adds what a list held after every transaction had ended. */
  public void addFinalRead(String key, List<String> elements) {
    finalReads.put(key, List.copyOf(elements));
  }

  /** The transactions in the order in which they were added. */
  public List<ListTransaction> transactions() {
    return Collections.unmodifiableList(transactions);
  }

  /** The lists as they were after every transaction had ended, by key; not all keys need be. */
  public SequencedMap<String, List<String>> finalReads() {
    return Collections.unmodifiableSequencedMap(finalReads);
  }
}
