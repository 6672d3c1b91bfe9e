package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.Invariant.require;

import org.jspecify.annotations.Nullable;
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

  /** Null while the value is only in the row that the version was loaded from. */
  private @Nullable Value value;

  /** The row that the version was loaded from, and the place of the value in it. */
  private @Nullable SavedRow row;

  private int valueAt;
  private int sizeAndForm;

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
    if (value == null) {
      value = row == null ? Value.ABSENT : Rows.readValue(sizeAndForm, row.at(valueAt));
      row = null;
    }
    return value;
  }

  /** The size of the value in bytes. */
  int valueBytes() {
    return value == null ? Rows.sizeOf(sizeAndForm) : value.size();
  }

  boolean isCommitted() {
    return status == Status.COMMITTED;
  }

  /** Whether it is committed, and deletes the key. */
  boolean isDeletion() {
    return isCommitted() && value != null && value.isAbsent();
  }

  /** Whether its value is made of the versions below. */
  boolean isMerge() {
    return value == null ? !Rows.isPlain(sizeAndForm) && value().isMerge() : value.isMerge();
  }

  /**
   * From now on a committed merge has the value that it makes of the versions below, which may be
   * dropped.
   */
  void fold(Value made) {
    require(isCommitted() && !made.isMerge(), id, "is folded although it is not committed");
    value = made;
    row = null;
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
    row = null;
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
    to.writeCount(value == null ? sizeAndForm : Rows.sizeAndForm(value));
    if (value != null) {
      to.writeBytes(value.bytes());
    } else if (row != null) {
      row.at(valueAt).copy(Rows.sizeOf(sizeAndForm), to);
    }
  }

  /**
   * Reads what {@link #save} has written. Most values are not asked for before the key rests again,
   * so the value stays in the row.
   */
  static Version load(ByteCursor from, SavedRow row) {
    WriteId id = new WriteId(Rows.readTxn(from), from.readCount());
    int sizeAndForm = from.readCount();
    Version version = new Version(id, Value.ABSENT, 0);
    if (sizeAndForm > 0) {
      version.value = null;
      version.row = row;
      version.valueAt = row.place(from);
      version.sizeAndForm = sizeAndForm;
      from.moveTo(from.at() + Rows.sizeOf(sizeAndForm));
    }
    version.commit();
    return version;
  }

  /**
   * Goes past what {@link #save} has written.
   *
   * @return whether it has a plain value: it is no deletion and no merge
   */
  static boolean skipsValue(ByteCursor from) {
    from.readCount();
    int sizeAndForm = from.readCount();
    from.moveTo(from.at() + Rows.sizeOf(sizeAndForm));
    return Rows.isPlain(sizeAndForm);
  }

  private void requireUncommitted(String broken) {
    require(status != Status.COMMITTED, id, broken);
  }
}
