package org.mortydb.baselines.twophase;

import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;

/** A snapshot read that cannot be answered yet. */
record SnapshotWaiter(Endpoint client, TxnId txn, int request, Key key, long atMicros) {}
