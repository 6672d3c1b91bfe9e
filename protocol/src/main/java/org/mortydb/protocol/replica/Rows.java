package org.mortydb.protocol.replica;

import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.table.ByteCursor;

/** How the rows of a replica hold what the model is made of. */
final class Rows {
  /** The most bytes of a number that {@link ByteCursor#writeCount} writes. */
  static final int COUNT_BYTES = 5;

  /** The most bytes of a transaction's id. */
  static final int TXN_BYTES = 2 * Long.BYTES + COUNT_BYTES;

  private Rows() {}

  static void writeTxn(TxnId txn, ByteCursor to) {
    if (txn.equals(TxnId.INITIAL)) {
      to.writeCount(0);
      return;
    }
    to.writeCount(txn.home() + 1);
    to.writeLong(txn.timeMicros());
    to.writeLong(txn.clientId());
  }

  /** Goes past the id of a transaction. */
  static void skipTxn(ByteCursor from) {
    if (from.readCount() > 0) {
      from.moveTo(from.at() + 2 * Long.BYTES);
    }
  }

  /** Goes past the id of a transaction, and says whether it is after another one. */
  static boolean skipsTxnAfter(TxnId other, ByteCursor from) {
    if (from.readCount() == 0) {
      return false; // the initial one
    }
    long timeMicros = from.readLong();
    long clientId = from.readLong();
    return timeMicros > other.timeMicros()
        || (timeMicros == other.timeMicros() && clientId > other.clientId());
  }

  static TxnId readTxn(ByteCursor from) {
    int home = from.readCount() - 1;
    return home < 0 ? TxnId.INITIAL : new TxnId(from.readLong(), from.readLong(), home);
  }
}
