package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.Invariant.require;

import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.table.ByteCursor;

/** One version of one key at one replica. A transaction has at most one version of a key. */
final class Version {

  /** How far a version has come at this replica. */
  enum Status {
    /** An execution has written it. */
    EXECUTED,
    /** This replica has voted to commit an execution that wrote it. */
    PREPARED,
    /** The committed execution wrote it. */
    COMMITTED
  }

  private WriteId id;
  private Value value;
  private Status status = Status.EXECUTED;

  /** The latest execution that writes this version; a Prepare retracts versions of older ones. */
  private int execution;

  Version(WriteId id, Value value, int execution) {
    this.id = id;
    this.value = value;
    this.execution = execution;
  }

  WriteId id() {
    return id;
  }

  TxnId writer() {
    return id.writer();
  }

  Value value() {
    return value;
  }

  boolean isCommitted() {
    return status == Status.COMMITTED;
  }

  /** Whether it is committed, and deletes the key. */
  boolean isDeletion() {
    return isCommitted() && value.isAbsent();
  }

  int execution() {
    return execution;
  }

  /** Whether it is committed, or this replica has voted to commit it. */
  boolean isSettled() {
    return status != Status.EXECUTED;
  }

  /** The writer has written another value. A committed value never changes. */
  void replace(int valueId, Value newValue) {
    requireUncommitted("is replaced although it is committed");
    id = new WriteId(id.writer(), valueId);
    value = newValue;
  }

  /** An execution writes this version, too. */
  void seenIn(int inExecution) {
    execution = Math.max(execution, inExecution);
  }

  /** This replica has voted to commit an execution that writes this version. */
  void prepare() {
    requireUncommitted("is prepared although it is committed");
    status = Status.PREPARED;
  }

  /** The vote was taken back. */
  void unprepare() {
    requireUncommitted("is taken back although it is committed");
    status = Status.EXECUTED;
  }

  /** See {@link VersionChain#commit}, which counts it. */
  void commit() {
    status = Status.COMMITTED;
  }

  /** Writes this version, which is committed. */
  void save(ByteCursor to) {
    Rows.writeTxn(id.writer(), to);
    to.writeCount(id.valueId());
    to.writeCount(value.isAbsent() ? 0 : value.size() + 1);
    to.writeBytes(value.bytes());
  }

  /** Reads what {@link #save} has written. */
  static Version load(ByteCursor from) {
    WriteId id = new WriteId(Rows.readTxn(from), from.readCount());
    int size = from.readCount() - 1;
    Version version =
        new Version(id, size < 0 ? Value.ABSENT : Value.wrap(from.readBytes(size)), 0);
    version.commit();
    return version;
  }

  private void requireUncommitted(String broken) {
    require(status != Status.COMMITTED, id, broken);
  }
}
