package org.mortydb.protocol.model;

import org.jspecify.annotations.Nullable;

/**
 * The classes into which keys fall, {@link #COUNT} in all. A partition holds whole buckets. The
 * bucket of a key is the hash of its tag: what stands between the first opening brace and the next
 * closing one. A key without a tag, or with an empty one, counts as a whole. So keys with the same
 * tag lie in one partition (docs/protocol.md, section 1).
 */
public final class Bucket {
  /** The number of buckets, a power of two. */
  public static final int COUNT = 1 << 14;

  /** Stands for several buckets. */
  public static final int SEVERAL = -1;

  private static final int SHIFT = Integer.SIZE - 14;

  private Bucket() {}

  /** The bucket of a key, 0 to {@link #COUNT} - 1. */
  public static int of(Key key) {
    byte[] bytes = key.bytes();
    int open = tagFrom(bytes, bytes.length);
    int close = open < 0 ? -1 : tagTo(bytes, open, bytes.length);
    int hash = close > open ? Key.hash(bytes, open, close) : key.hashCode();
    return hash >>> SHIFT;
  }

  /**
   * The bucket of all keys of a range, or {@link #SEVERAL} if they may lie in several. They lie in
   * one if what they have in common contains a tag.
   */
  public static int of(KeyRange range) {
    byte[] bytes = range.from().bytes();
    int common = commonPrefix(bytes, range.to());
    int open = tagFrom(bytes, common);
    int close = open < 0 ? -1 : tagTo(bytes, open, common);
    return close > open ? Key.hash(bytes, open, close) >>> SHIFT : SEVERAL;
  }

  /** The partition, of {@code partitions}, that holds a bucket. */
  static int partition(int bucket, int partitions) {
    return (int) ((long) bucket * partitions / COUNT);
  }

  /** The index after the first opening brace below {@code end}, or -1. */
  private static int tagFrom(byte[] bytes, int end) {
    for (int i = 0; i < end; i++) {
      if (bytes[i] == '{') {
        return i + 1;
      }
    }
    return -1;
  }

  /** The index of the first closing brace from {@code open} to {@code end}, or -1. */
  private static int tagTo(byte[] bytes, int open, int end) {
    for (int i = open; i < end; i++) {
      if (bytes[i] == '}') {
        return i;
      }
    }
    return -1;
  }

  /** How many of the first bytes of a range's lower end all its keys share. */
  private static int commonPrefix(byte[] from, @Nullable Key end) {
    if (end == null) {
      return 0;
    }
    byte[] to = end.bytes();
    int same = 0;
    while (same < Math.min(from.length, to.length) && from[same] == to[same]) {
      same++;
    }
    // The upper end is exclusive: [ab, ac) has only keys that begin with ab.
    boolean next =
        to.length == same + 1 && from.length > same && (to[same] & 0xFF) == (from[same] & 0xFF) + 1;
    return next ? same + 1 : same;
  }
}
