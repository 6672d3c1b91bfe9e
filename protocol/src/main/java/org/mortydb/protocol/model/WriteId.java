package org.mortydb.protocol.model;

/**
 * The identity of one written value of one key. A later execution that writes the same value again
 * keeps the id, so that its readers do not become stale.
 *
 * @param writer the writing transaction
 * @param valueId 1 for the first value that the transaction writes to the key, then one more for
 *     each different value; 0 only in {@link #INITIAL}
 */
public record WriteId(TxnId writer, int valueId) {

  /** The version of a key that was never written. */
  public static final WriteId INITIAL = new WriteId(TxnId.INITIAL, 0);

  /** Whether this is the version of a key that was never written. */
  public boolean isInitial() {
    return valueId == 0;
  }

  /** Whether this version is above the other in the serial order, or in its writer's order. */
  public boolean isNewerThan(WriteId other) {
    int byWriter = writer.compareTo(other.writer);
    return byWriter > 0 || (byWriter == 0 && valueId > other.valueId);
  }

  @Override
  public String toString() {
    return isInitial() ? "initial" : writer + "/" + valueId;
  }
}
