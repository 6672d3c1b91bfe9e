package org.mortydb.client.engine;

import org.mortydb.client.LimitExceededException;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;

/** Checks how much a transaction writes. */
final class WriteLimit {
  private WriteLimit() {}

  /**
   * Refuses what goes beyond {@link Limits#MAX_WRITE_SET_BYTES}.
   *
   * @param key the key that is about to be written
   * @param bytes all bytes of keys and values written, with this one
   */
  static void check(Key key, int bytes) {
    if (bytes > Limits.MAX_WRITE_SET_BYTES) {
      throw new LimitExceededException(
          "with key "
              + key
              + " the transaction would have written "
              + bytes
              + " bytes, the limit is "
              + Limits.MAX_WRITE_SET_BYTES);
    }
  }
}
