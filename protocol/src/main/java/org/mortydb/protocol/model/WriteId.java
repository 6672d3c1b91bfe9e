package org.mortydb.protocol.model;

/**
 * The identity of one written value of one key. A later execution that writes the same value again
 * keeps the id, so that readers of it do not become stale.
 *
 * @param writer the writing transaction
 * @param valueId grows with every different value that the transaction writes to the key; from 1,
 *     and 0 only in {@link #INITIAL}
 */
public record WriteId(TxnId writer, int valueId) {

  /** The version of a key that nobody has written yet. */
  public static final WriteId INITIAL = new WriteId(TxnId.INITIAL, 0);

  /** True for the version of a key that nobody has written yet. */
  public boolean isInitial() {
    return valueId == 0;
  }

  @Override
  public String toString() {
    return isInitial() ? "initial" : writer + "/" + valueId;
  }
}
