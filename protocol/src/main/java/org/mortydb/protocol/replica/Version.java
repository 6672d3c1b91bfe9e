package org.mortydb.protocol.replica;

import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;

/** One version of one key at one replica. A transaction has at most one version of a key. */
final class Version {

  /** How sure the replica is of a version. */
  enum Status {
    /** Written by a running execution. */
    EXECUTED,
    /** In the write set of an execution that this replica voted to commit. */
    PREPARED,
    /** In the write set of the committed execution. */
    COMMITTED
  }

  private WriteId id;
  private Value value;
  private Status status = Status.EXECUTED;

  /** The latest execution that this version was seen in: a Prepare's leftovers are found by it. */
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

  Status status() {
    return status;
  }

  boolean isCommitted() {
    return status == Status.COMMITTED;
  }

  int execution() {
    return execution;
  }

  void replace(int valueId, Value newValue) {
    id = new WriteId(id.writer(), valueId);
    value = newValue;
  }

  /** Whether it is committed, or this replica has voted to commit it. */
  boolean isSettled() {
    return status != Status.EXECUTED;
  }

  void status(Status newStatus) {
    status = newStatus;
  }

  void execution(int newExecution) {
    execution = newExecution;
  }
}
