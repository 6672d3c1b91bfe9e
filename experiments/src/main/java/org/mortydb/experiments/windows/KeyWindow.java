package org.mortydb.experiments.windows;

import java.util.List;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.WriteId;

/**
 * What one attempt at a transaction had to do with one key that it read. Times are nanoseconds of
 * virtual time.
 *
 * @param key the key
 * @param txn the attempt
 * @param position the place in the serial order; {@link TxnId#INITIAL} for an aborted attempt
 * @param read the version that the final execution read; for an aborted attempt the last one that
 *     it was given
 * @param written the number of the value that it wrote; 0 if none, or aborted
 * @param firstReadNanos when a replica first answered a read of the key
 * @param readNanos when a replica first chose {@code read} for this reader
 * @param settledNanos when {@code read} was known to be committed at the coordinator that committed
 *     it, or {@code readNanos} if that was later
 * @param visibleNanos when {@code written} was first visible to others at any replica; {@link
 *     #NEVER} if nothing was written, or it was not seen before the run ended
 * @param endNanos when the coordinator was certain of the outcome
 * @param reexecutionNanos when the coordinator began new executions because of this key
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

  /** A moment that did not come. */
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
   * Whether the window has a length: a write that was visible before the final read did not depend
   * on it, and keeps nobody waiting.
   */
  boolean isEmpty() {
    return visibleNanos < readNanos;
  }

  /** Whether it wrote that version: systems name versions by attempt or by position. */
  boolean wrote(WriteId version) {
    return isCommitted()
        && version.valueId() == written
        && (version.writer().equals(txn) || version.writer().equals(position));
  }

  /** Length of the serialization window of an update. */
  long serializationNanos() {
    return isEmpty() ? 0 : visibleNanos - readNanos;
  }

  /** Length of the validity window. */
  long validityNanos() {
    return endNanos - readNanos;
  }

  /** The part of it after what was read was committed. */
  long commitNanos() {
    return endNanos - settledNanos;
  }
}
