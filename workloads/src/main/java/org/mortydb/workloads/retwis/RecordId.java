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

  /** The key of a record: the kind's letter and the user's number in decimal digits. */
  public static Key key(long record) {
    int user = user(record);
    int length = 1;
    for (int rest = user; rest >= 10; rest /= 10) {
      length++;
    }
    byte[] bytes = new byte[length + 1];
    bytes[0] = (byte) kind(record).letter();
    for (int at = length; at >= 1; at--) {
      bytes[at] = (byte) ('0' + user % 10);
      user /= 10;
    }
    return Key.wrap(bytes);
  }
}
