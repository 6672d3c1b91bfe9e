package org.mortydb.workloads.load;

import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.client.Client;

/**
 * A client that runs a load.
 *
 * @param client the client
 * @param aborts listens to the client
 * @param log receives the client's transactions; null to keep no history
 */
public record Target(Client client, AbortCounter aborts, @Nullable HistoryLog log) {}
