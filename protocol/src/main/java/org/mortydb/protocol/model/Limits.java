package org.mortydb.protocol.model;

/**
 * The largest sizes that the store accepts. A client refuses larger ones before it sends anything.
 */
public final class Limits {
  /** The longest key, in bytes. */
  public static final int MAX_KEY_BYTES = 4 * 1024;

  /** The longest value, in bytes. */
  public static final int MAX_VALUE_BYTES = 1024 * 1024;

  /** The most operations (reads and writes) in one execution of a transaction. */
  public static final int MAX_OPERATIONS = 16 * 1024;

  /** The most scans in one execution of a transaction. */
  public static final int MAX_SCANS = 16;

  /** The most rows that one scan shows. */
  public static final int MAX_SCAN_ROWS = 1_000;

  /** The most bytes of keys and values written by one execution of a transaction. */
  public static final int MAX_WRITE_SET_BYTES = 8 * 1024 * 1024;

  /** The longest frame on a connection, in bytes, without its length. */
  public static final int MAX_FRAME_BYTES = 16 * 1024 * 1024;

  private Limits() {}
}
