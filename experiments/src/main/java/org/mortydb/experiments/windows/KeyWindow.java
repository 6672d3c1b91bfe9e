package org.mortydb.experiments.windows;

import java.util.List;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.WriteId;

/**
 * The window of an attempt on a key that it read. Times are nanoseconds of virtual time.
 *
 * @param key the key
 * @param txn the attempt
 * @param position the serial position; {@link TxnId#INITIAL} for an aborted attempt
 * @param read the version that the final execution read; for an aborted attempt the last one it
 *     received
 * @param written the number of the written value; 0 if there is none or it aborted
 * @param firstReadNanos the first answer of a replica to a read of the key
 * @param readNanos the first time that a replica chose {@code read} for this reader
 * @param settledNanos the time at which the coordinator of {@code read} knew that it committed, or
 *     {@code readNanos} if that was later
 * @param visibleNanos the time at which {@code written} was first visible to others at any replica;
 *     {@link #NEVER} if it was not
 * @param endNanos the time at which the coordinator was certain of the outcome
 * @param reexecutionNanos the begins of new executions because of this key
 */
record KeyWindow(
    Key key,
    TxnId txn,
    TxnId position,
    WriteId read,
    int written,
    long firstReadNanos,
    long readNanos,
    long settledNanos,
    long visibleNanos,
    long endNanos,
    List<Long> reexecutionNanos) {

  /** The time of an event that did not happen. */
  static final long NEVER = -1;

  KeyWindow {
    reexecutionNanos = List.copyOf(reexecutionNanos);
  }

  /** Whether the transaction committed in this attempt. */
  boolean isCommitted() {
    return position.timeMicros() != 0;
  }

  /** Whether the transaction committed, and both read and wrote the key. */
  boolean isUpdate() {
    return visibleNanos != NEVER;
  }

  /**
   * Whether the serialization window is empty: a write that was visible before the final read did
   * not depend on it.
   */
  boolean isEmpty() {
    return visibleNanos < readNanos;
  }

  /** Whether it wrote a version. Systems name versions by attempt or by position. */
  boolean wrote(WriteId version) {
    return isCommitted()
        && version.valueId() == written
        && (version.writer().equals(txn) || version.writer().equals(position));
  }

  /** The length of the serialization window of an update. */
  long serializationNanos() {
    return isEmpty() ? 0 : visibleNanos - readNanos;
  }

  /** The length of the validity window. */
  long validityNanos() {
    return endNanos - readNanos;
  }

  /** The part of the validity window after the commit of the version read. */
  long commitNanos() {
    return endNanos - settledNanos;
  }
}
