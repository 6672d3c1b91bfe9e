package org.mortydb.check.history;

import java.util.List;

/**
 * A transaction on lists, as its application saw it.
 *
 * @param name for people
 * @param session who ran it: sessions run one transaction after the other
 * @param beginMicros when it began, by a clock that is the same for all sessions
 * @param endMicros when its end was known, by the same clock
 * @param operations of the execution that committed, in program order; if it did not commit, or
 *     perhaps not, all appends that any of its executions may have made visible
 */
public record ListTransaction(
    String name,
    int session,
    long beginMicros,
    long endMicros,
    Status status,
    List<ListOperation> operations) {
  public ListTransaction {
    operations = List.copyOf(operations);
  }
}
