package org.mortydb.cli.backup;

import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/**
 * A key with its value at the cut.
 *
 * @param writer the transaction that wrote it
 * @param value present
 */
record BackupRow(Key key, Value value, TxnId writer) {}
