package org.mortydb.workloads.retwis;

import org.mortydb.protocol.model.Key;

/**
 * Numbers every record of the workload from 0, so that tools can keep a record's state in an array,
 * and derives its key. A record's number is its user's number times {@link RecordKind#PER_USER},
 * plus the kind's position.
 */
public final class RecordId {
  private RecordId() {}

  /** The number of a user's record. */
  public static long of(RecordKind kind, int user) {
    return (long) user * RecordKind.PER_USER + kind.ordinal();
  }

  /** The kind of a record. */
  public static RecordKind kind(long record) {
    return RecordKind.at((int) (record % RecordKind.PER_USER));
  }

  /** The user whose record it is. */
  public static int user(long record) {
    return (int) (record / RecordKind.PER_USER);
  }

  /**
   * The key of a record: the kind's letter, and the user's number in decimal digits and braces, so
   * that all records of a user lie in one partition.
   */
  public static Key key(long record) {
    int user = user(record);
    int digits = 1;
    for (int rest = user; rest >= 10; rest /= 10) {
      digits++;
    }
    byte[] bytes = new byte[digits + 3];
    bytes[0] = (byte) kind(record).letter();
    bytes[1] = '{';
    for (int at = digits + 1; at >= 2; at--) {
      bytes[at] = (byte) ('0' + user % 10);
      user /= 10;
    }
    bytes[digits + 2] = '}';
    return Key.wrap(bytes);
  }
}
