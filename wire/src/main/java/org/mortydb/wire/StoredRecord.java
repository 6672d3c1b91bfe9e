package org.mortydb.wire;

import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ReplicaId;

/** A record in a data directory, with the replica that it belongs to. */
public record StoredRecord(ReplicaId replica, LogRecord logged) {}
