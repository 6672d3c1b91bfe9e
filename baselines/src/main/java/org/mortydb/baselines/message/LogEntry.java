package org.mortydb.baselines.message;

import java.util.List;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/** An entry of a partition's log, in the order in which the leader appended it. */
public sealed interface LogEntry {

  /** The entry's transaction. */
  TxnId txn();

  /**
   * The partition promises to commit the transaction if its coordinator group does.
   *
   * @param prepareMicros a lower bound of the commit timestamp, above that of every earlier entry
   * @param writes the transaction's writes at this partition
   */
  record Prepared(TxnId txn, long prepareMicros, List<Write> writes) implements LogEntry {}

  /**
   * The transaction has committed.
   *
   * @param commitMicros its timestamp
   * @param writes its writes at this partition, unless an earlier entry has them
   */
  record Committed(TxnId txn, long commitMicros, List<Write> writes) implements LogEntry {}

  /** The transaction, whose writes an earlier entry has, has aborted. */
  record Aborted(TxnId txn) implements LogEntry {}
}
