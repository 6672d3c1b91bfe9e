package org.mortydb.client;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.TxnId;

/**
 * What a finished transaction cost.
 *
 * @param txn its id; that of the last attempt. In the order of the ids of committed transactions,
 *     which are unique, they are serializable
 * @param attempts how often it was tried under a new id, at least 1
 * @param reexecutions how often a stale read made a part of it run again, over all attempts
 * @param path how the commit was decided, null when it did not commit
 * @param latencyMicros microseconds from the call to the result, with queueing and all attempts
 */
public record TransactionInfo(
    TxnId txn, int attempts, int reexecutions, @Nullable Path path, long latencyMicros) {}
