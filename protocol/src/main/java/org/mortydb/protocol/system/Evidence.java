package org.mortydb.protocol.system;

import java.util.List;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/** What a message of a system proves about a transaction. */
public sealed interface Evidence {

  /**
   * The transaction reads and writes this, among other things.
   *
   * @param writer the id that the versions carry which the transaction writes
   */
  record Sets(TxnId txn, TxnId writer, List<Read> reads, List<Write> writes) implements Evidence {}

  /**
   * The transaction has committed.
   *
   * @param position its place in the serial order, as in {@link
   *     org.mortydb.protocol.machine.Completion.Committed#position}
   */
  record Position(TxnId txn, TxnId position) implements Evidence {}
}
