package org.mortydb.client.engine;

import org.mortydb.client.LimitExceededException;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.system.TransactionSystem;

/** Checks one execution of a transaction against the limits and its options. */
public final class TransactionLimits {
  private TransactionLimits() {}

  /**
   * Refuses a write of a transaction that is declared to write nothing.
   *
   * @throws IllegalStateException when the transaction is declared read-only
   */
  public static void checkMayWrite(TransactionOptions options, Key key) {
    if (options.readOnly()) {
      throw new IllegalStateException(
          "the transaction is declared read-only and writes key "
              + key
              + ": remove the write, or run the transaction without TransactionOptions.forReading");
    }
  }

  /**
   * Refuses operations beyond {@link Limits#MAX_OPERATIONS}.
   *
   * @param operations the number of operations so far; every key of a parallel read counts
   * @param more the number of operations to add
   * @throws LimitExceededException when there are too many operations
   */
  public static void checkOperations(int operations, int more) {
    if (operations + more > Limits.MAX_OPERATIONS) {
      throw new LimitExceededException(
          "the transaction would have "
              + (operations + more)
              + " reads and writes, the limit is "
              + Limits.MAX_OPERATIONS
              + ": divide it into several transactions");
    }
  }

  /**
   * Refuses a scan that is out of bounds, or that the system does not support.
   *
   * @param system the system that runs the transactions
   * @param range the range to scan
   * @param limit the most rows, from 1 to {@link Limits#MAX_SCAN_ROWS}
   * @param scans the number of scans so far
   * @throws IllegalArgumentException when the limit is out of bounds
   * @throws LimitExceededException when there are too many scans
   * @throws UnsupportedOperationException when the system has no scans
   */
  public static void checkScan(TransactionSystem system, KeyRange range, int limit, int scans) {
    if (!system.scans()) {
      throw new UnsupportedOperationException(
          "the system "
              + system.name()
              + " has no scans, so "
              + range
              + " cannot be scanned; use a cluster with cluster.system = morty");
    }
    if (limit < 1 || limit > Limits.MAX_SCAN_ROWS) {
      throw new IllegalArgumentException(
          "the scan of "
              + range
              + " is limited to "
              + limit
              + " entries; the limit must be from 1 to "
              + Limits.MAX_SCAN_ROWS
              + ": for more entries, scan again from after the last one");
    }
    if (scans >= Limits.MAX_SCANS) {
      throw new LimitExceededException(
          "the transaction would have more than "
              + Limits.MAX_SCANS
              + " scans, with the scan of "
              + range
              + ": divide it into several transactions");
    }
  }

  /**
   * Refuses merges that may be longer than a value: all merges of a transaction into one key become
   * one write.
   *
   * @param key the key that is about to be merged into
   * @param bytes the bytes of all merges of the transaction, including this one
   * @throws LimitExceededException when there are too many bytes
   */
  public static void checkMerged(Key key, int bytes) {
    if (bytes > Limits.MAX_VALUE_BYTES) {
      throw new LimitExceededException(
          "with key "
              + key
              + " the transaction would have merged "
              + bytes
              + " bytes, the limit is "
              + Limits.MAX_VALUE_BYTES
              + ": put the key, or divide the transaction into several");
    }
  }

  /**
   * Refuses writes beyond {@link Limits#MAX_WRITE_SET_BYTES}.
   *
   * @param key the key that is about to be written
   * @param bytes all bytes of keys and values, including this write; a key that is written twice
   *     counts twice
   * @throws LimitExceededException when there are too many bytes
   */
  public static void checkWritten(Key key, int bytes) {
    if (bytes > Limits.MAX_WRITE_SET_BYTES) {
      throw new LimitExceededException(
          "with key "
              + key
              + " the transaction would have written "
              + bytes
              + " bytes, the limit is "
              + Limits.MAX_WRITE_SET_BYTES
              + ": divide it into several transactions");
    }
  }
}
