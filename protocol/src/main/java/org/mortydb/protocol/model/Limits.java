package org.mortydb.protocol.model;

/**
 * The largest sizes and numbers that the store accepts. A client refuses larger sizes before it
 * sends anything. The types of the model refuse larger numbers, and so do the decoders of messages
 * and of the log: every number that is logged can be read again.
 */
public final class Limits {
  /** The most partitions of a cluster. */
  public static final int MAX_PARTITIONS = 16 * 1024;

  /** The most failures that a partition can tolerate. */
  public static final int MAX_F = 31;

  /** The most maps of a cluster that a process remembers. */
  public static final int MAX_MAPS = 1_024;

  /** The most bytes of all maps of a cluster together: they fit in one message. */
  public static final int MAX_MAPS_BYTES = 8 * 1024 * 1024;

  /** The longest name of a server, in bytes. */
  public static final int MAX_SERVER_NAME_BYTES = 255;

  /** The largest number of an execution, view, value, request or sequence; its successor fits. */
  public static final int MAX_NUMBER = 1 << 30;

  /** The latest time of a transaction: after the year 3000. Sums with it do not overflow. */
  public static final long MAX_TIME_MICROS = 1L << 55;

  /** The most undecided transactions of a replica that are ahead of its clock. */
  public static final int MAX_AHEAD = 4 * 1024;

  /** The longest key, in bytes. */
  public static final int MAX_KEY_BYTES = 4 * 1024;

  /** The longest value, in bytes. */
  public static final int MAX_VALUE_BYTES = 1024 * 1024;

  /** The most items of a list that a merge can ask to keep. */
  public static final int MAX_LIST_ITEMS = 16 * 1024;

  /** The most operations (reads and writes) in one execution of a transaction. */
  public static final int MAX_OPERATIONS = 16 * 1024;

  /** The most scans in one execution of a transaction. */
  public static final int MAX_SCANS = 16;

  /** The most rows that one scan shows. */
  public static final int MAX_SCAN_ROWS = 1_000;

  /** The most bytes of keys and values written by one execution of a transaction. */
  public static final int MAX_WRITE_SET_BYTES = 8 * 1024 * 1024;

  /** About how many bytes of newer versions an abandoned vote carries; one version at least. */
  public static final int MAX_FRESH_BYTES = 1024 * 1024;

  /**
   * How many bytes of keys, versions and values a request for votes may have: each read and write
   * has {@link #ENTRY_BYTES} besides. Its sets then fit in an envelope of any message.
   */
  public static final int MAX_REQUEST_BYTES = 15 * 1024 * 1024;

  /** An upper bound of the bytes of a read or write in a message, besides its key and value. */
  public static final int ENTRY_BYTES = 40;

  /** The longest frame on a connection, in bytes, without its length. */
  public static final int MAX_FRAME_BYTES = 16 * 1024 * 1024;

  private Limits() {}

  /**
   * Checks that a number is in its bounds.
   *
   * @throws IllegalArgumentException if it is not in 0..{@link #MAX_NUMBER}
   */
  static void checkNumber(String name, int number) {
    if (number < 0 || number > MAX_NUMBER) {
      throw new IllegalArgumentException(
          "the number of the " + name + ", " + number + ", is not in 0.." + MAX_NUMBER);
    }
  }
}
