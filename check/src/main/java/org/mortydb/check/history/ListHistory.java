package org.mortydb.check.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * A history of transactions that append to lists and read them, independent of the protocol. Not
 * thread-safe.
 */
public final class ListHistory {
  private final List<ClientTransaction<ListOperation>> transactions = new ArrayList<>();
  private final SequencedMap<String, List<String>> finalReads = new TreeMap<>();

  /** Adds a transaction that has ended. */
  public void add(ClientTransaction<ListOperation> transaction) {
    transactions.add(transaction);
  }

  /** Adds the content of a list after the end of all transactions. */
  public void addFinalRead(String key, List<String> elements) {
    finalReads.put(key, List.copyOf(elements));
  }

  /** The transactions in the order in which they were added. */
  public List<ClientTransaction<ListOperation>> transactions() {
    return Collections.unmodifiableList(transactions);
  }

  /** The contents of lists after the end of all transactions, for some or all keys. */
  public SequencedMap<String, List<String>> finalReads() {
    return Collections.unmodifiableSequencedMap(finalReads);
  }
}
