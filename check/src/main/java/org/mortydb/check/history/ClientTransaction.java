package org.mortydb.check.history;

import java.util.List;

/**
 * A transaction on lists or registers, as its application saw it.
 *
 * @param <O> the type of its operations
 * @param name the name in explanations
 * @param session its session, which runs one transaction at a time
 * @param beginMicros its begin, by one clock for all sessions
 * @param endMicros the time at which the client learnt the outcome, by the same clock
 * @param status the outcome
 * @param operations the operations of the committed execution, in program order; if the outcome is
 *     another one, all writes that any execution may have made visible
 */
public record ClientTransaction<O>(
    String name, int session, long beginMicros, long endMicros, Status status, List<O> operations) {
  public ClientTransaction {
    operations = List.copyOf(operations);
  }
}
