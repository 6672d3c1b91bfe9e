package org.mortydb.client;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.TxnId;

/**
 * The id of a finished transaction, and the work and time that it took.
 *
 * @param txn the id of the last attempt. Ids are unique, and committed transactions are
 *     serializable in the order of their ids
 * @param attempts how many attempts there were, each under an id of its own; at least 1
 * @param reexecutions how often a stale read made a part of the transaction run again, over all
 *     attempts; 0 or more
 * @param path how the commit was decided; null when the transaction did not commit
 * @param latencyMicros microseconds from the call to the result, with queueing and all attempts
 */
public record TransactionInfo(
    TxnId txn, int attempts, int reexecutions, @Nullable Path path, long latencyMicros) {}
