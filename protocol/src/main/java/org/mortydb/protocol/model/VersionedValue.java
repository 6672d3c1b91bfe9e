package org.mortydb.protocol.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A version of a key and its value, which a read has seen or should see now.
 *
 * @param key the key
 * @param version the version
 * @param value its value; if the version is a merge, what it makes of the versions below
 * @param settled whether the version is committed, or the replica has voted to commit it, and all
 *     below. Others may change before they commit, so a reader does not ask for votes before
 * @param below if the version is a merge: the versions below that the value is made of, ascending.
 *     The first one is the base, and may be the initial one; the others are merges (section 17)
 */
public record VersionedValue(
    Key key, WriteId version, Value value, boolean settled, List<WriteId> below) {
  /** About how many bytes a message needs for a version. */
  private static final int WRITE_ID_BYTES = 24;

  /** A version whose value is its own. */
  public VersionedValue(Key key, WriteId version, Value value, boolean settled) {
    this(key, version, value, settled, List.of());
  }

  /** About how many bytes a message needs for it. */
  public long roughBytes() {
    return (long) key.size() + value.size() + (long) WRITE_ID_BYTES * below.size();
  }

  /** Whether the value is made of the version of a writer, by itself or in a base above it. */
  public boolean takesIn(TxnId writer) {
    if (!writer.isAfter(lowest().writer()) || writer.equals(version.writer())) {
      return true;
    }
    for (int i = below.size() - 1; i > 0; i--) {
      if (below.get(i).writer().equals(writer)) {
        return true;
      }
    }
    return false;
  }

  /** The lowest of the versions that the value is made of. */
  public WriteId lowest() {
    return below.isEmpty() ? version : below.getFirst();
  }

  /**
   * Whether another one is the same version, with a value that is made of the same versions. One of
   * them may name fewer, because a watermark has passed the others.
   */
  public boolean isLike(VersionedValue other) {
    if (!version.equals(other.version)) {
      return false;
    }
    int same = Math.min(below.size(), other.below.size());
    return (below.isEmpty() && other.below.isEmpty())
        || (value.equals(other.value) && tail(below, same).equals(tail(other.below, same)));
  }

  private static List<WriteId> tail(List<WriteId> versions, int length) {
    return versions.subList(versions.size() - length, versions.size());
  }

  /** The entries of a read set for this version, ascending. */
  public void forEachRead(Consumer<Read> to) {
    for (int i = 0; i < below.size(); i++) {
      to.accept(new Read(key, below.get(i)));
    }
    to.accept(new Read(key, version));
  }

  /** The read set for some versions. */
  public static List<Read> reads(List<VersionedValue> versions) {
    ArrayList<Read> reads = new ArrayList<>(versions.size());
    versions.forEach(version -> version.forEachRead(reads::add));
    return reads;
  }
}
