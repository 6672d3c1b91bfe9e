package org.mortydb.protocol.replica;

import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/**
 * A committed version of the record of a map (docs/protocol.md, section 15).
 *
 * @param map the number of the map
 * @param writer the transaction that has written it
 * @param value what is stored; {@link org.mortydb.protocol.model.MapRecord#of} reads it
 */
public record MapRecordVersion(int map, TxnId writer, Value value) {}
