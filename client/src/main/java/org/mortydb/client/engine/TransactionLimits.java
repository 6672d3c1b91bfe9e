package org.mortydb.client.engine;

import org.mortydb.baselines.TransactionSystem;
import org.mortydb.client.LimitExceededException;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;

/** Checks how much one execution of a transaction does. */
public final class TransactionLimits {
  private TransactionLimits() {}

  /**
   * Refuses a write of a transaction that is declared to write nothing.
   *
   * @throws IllegalStateException when it is
   */
  public static void checkMayWrite(TransactionOptions options, Key key) {
    if (options.readOnly()) {
      throw new IllegalStateException(
          "the transaction is declared read-only and writes key "
              + key
              + ": leave the declaration out of its TransactionOptions, or the write");
    }
  }

  /**
   * Refuses operations beyond {@link Limits#MAX_OPERATIONS}.
   *
   * @param operations how many there were so far; every key of a parallel read counts
   * @param more how many there would be besides
   */
  public static void checkOperations(int operations, int more) {
    if (operations + more > Limits.MAX_OPERATIONS) {
      throw new LimitExceededException(
          "the transaction would have "
              + (operations + more)
              + " reads and writes, the limit is "
              + Limits.MAX_OPERATIONS);
    }
  }

  /**
   * Refuses a scan that is out of bounds, or that the system does not know.
   *
   * @param system what runs the transactions
   * @param range what is to be scanned
   * @param limit how many rows at most
   * @param scans how many there were so far
   * @throws IllegalArgumentException when the limit is
   * @throws LimitExceededException when there are too many scans
   * @throws UnsupportedOperationException when the system has no scans
   */
  public static void checkScan(TransactionSystem system, KeyRange range, int limit, int scans) {
    if (!system.scans()) {
      throw new UnsupportedOperationException(
          "the system "
              + system
              + " has no scans, and "
              + range
              + " was to be scanned; use a cluster with cluster.system = morty");
    }
    if (limit < 1 || limit > Limits.MAX_SCAN_ROWS) {
      throw new IllegalArgumentException(
          "the scan of "
              + range
              + " is limited to "
              + limit
              + " entries; it must be from 1 to "
              + Limits.MAX_SCAN_ROWS
              + ", go on with a scan that begins after the last entry");
    }
    if (scans >= Limits.MAX_SCANS) {
      throw new LimitExceededException(
          "the transaction would have more than "
              + Limits.MAX_SCANS
              + " scans, with that of "
              + range);
    }
  }

  /**
   * Refuses what goes beyond {@link Limits#MAX_WRITE_SET_BYTES}.
   *
   * @param key the key that is about to be written
   * @param bytes all bytes of keys and values written so far, and with this one; a key that is
   *     written twice counts twice
   */
  public static void checkWritten(Key key, int bytes) {
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
