package org.mortydb.protocol.replica;

import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.table.ByteCursor;
import org.mortydb.protocol.table.RowStore;

/**
 * The transactions of a replica that are at rest as rows of bytes, by number: the id, the outcome,
 * the highest execution seen, and until it is forgotten the committed execution.
 */
final class RecordRows {
  private static final int NONE = -1;

  private final RowStore store;
  private final ByteCursor scratch = new ByteCursor();

  RecordRows(int pageBytes) {
    store = new RowStore(pageBytes);
  }

  /**
   * Adds a row for a transaction that {@linkplain TxnRecord#mayRest may rest}.
   *
   * @return its number; -1 if the transaction is too long for a row
   */
  int add(TxnRecord txn) {
    Outcome outcome = txn.outcome();
    ExecutionRecord execution = txn.latest();
    int most =
        Rows.TXN_BYTES
            + Rows.mostBytesOf(outcome)
            + 2 * Rows.COUNT_BYTES
            + (execution == null ? 0 : execution.mostBytes());
    if (most > RowStore.MAX_ROW_BYTES) {
      return NONE;
    }
    scratch.moveTo(0);
    Rows.writeTxn(txn.id(), scratch);
    Rows.writeOutcome(outcome, scratch);
    scratch.writeCount(txn.execution() + 1);
    scratch.writeByte(execution == null ? 0 : 1);
    if (execution != null) {
      execution.save(scratch);
    }
    return store.add(scratch);
  }

  /** What the row tells. It must not be changed, and not be kept: the row may. */
  TxnRecord load(int row) {
    ByteCursor from = store.read(row);
    TxnId id = Rows.readTxn(from);
    Outcome outcome = Rows.readOutcome(from);
    int execution = from.readCount() - 1;
    boolean committed = from.readByte() != 0;
    return new TxnRecord(id, outcome, execution, committed ? () -> execution(row) : null);
  }

  private ExecutionRecord execution(int row) {
    ByteCursor from = store.read(row);
    skipToExecution(from);
    return ExecutionRecord.load(from);
  }

  /** Goes to the byte that says whether there is an execution, and past it. */
  private static boolean skipToExecution(ByteCursor row) {
    Rows.skipTxn(row);
    Rows.skipOutcome(row);
    row.readCount();
    return row.readByte() != 0;
  }

  /** Forgets the execution; the outcome stays. */
  void forgetExecution(int row) {
    ByteCursor from = store.read(row);
    int begin = from.at();
    if (skipToExecution(from)) {
      scratch.moveTo(0);
      scratch.writeBytes(from.bytes(), begin, from.at() - begin - 1);
      scratch.writeByte(0);
      store.replace(row, scratch, true);
    }
  }

  void remove(int row) {
    store.remove(row);
  }

  TxnId id(int row) {
    return Rows.readTxn(store.read(row));
  }

  boolean isAfter(int row, TxnId other) {
    return Rows.skipsTxnAfter(other, store.read(row));
  }
}
