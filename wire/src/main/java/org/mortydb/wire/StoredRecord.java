package org.mortydb.wire;

import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ReplicaId;

/** A record of a data directory, and the replica that it is of. */
public record StoredRecord(ReplicaId replica, LogRecord logged) {}
