package org.mortydb.client;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.TxnId;

/**
 * The id of a finished transaction, and the work and time that it took.
 *
 * @param txn the id of the last attempt, or its place if it has read the past. Committed
 *     transactions are serializable in this order
 * @param attempts how many attempts there were, each under an id of its own; at least 1
 * @param reexecutions how often a stale read made a part of the transaction run again, over all
 *     attempts; 0 or more
 * @param path how the commit was decided; null when the transaction did not commit
 * @param latencyMicros microseconds from the call to the result, with queueing and all attempts
 * @param place the place of the past that was read: the state after all transactions at or below
 *     it. Null for the levels {@code serializable}, {@code strict} and {@code local}
 * @param ageMicros how old that state was when the last attempt began, in microseconds by the
 *     client's clock, 0 or more; 0 without a place
 */
public record TransactionInfo(
    TxnId txn,
    int attempts,
    int reexecutions,
    @Nullable Path path,
    long latencyMicros,
    @Nullable TxnId place,
    long ageMicros) {

  /** A transaction that has not read the past. */
  public TransactionInfo(
      TxnId txn, int attempts, int reexecutions, @Nullable Path path, long latencyMicros) {
    this(txn, attempts, reexecutions, path, latencyMicros, null, 0);
  }
}
