package org.mortydb.baselines.message;

import java.util.List;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/** What a partition's log holds, in the order in which the leader appended it. */
public sealed interface LogEntry {

  /** The transaction that the entry is about. */
  TxnId txn();

  /**
   * The partition has promised to commit the transaction if its coordinator group does.
   *
   * @param prepareMicros a lower bound of the commit timestamp, above that of every earlier entry
   * @param writes what the transaction writes here
   */
  record Prepared(TxnId txn, long prepareMicros, List<Write> writes) implements LogEntry {}

  /**
   * The transaction has committed.
   *
   * @param commitMicros its timestamp
   * @param writes what it writes here, unless an earlier entry has said so
   */
  record Committed(TxnId txn, long commitMicros, List<Write> writes) implements LogEntry {}

  /** The transaction, of which an earlier entry holds the writes, has aborted. */
  record Aborted(TxnId txn) implements LogEntry {}
}
