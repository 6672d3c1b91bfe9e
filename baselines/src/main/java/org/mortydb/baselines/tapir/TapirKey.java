package org.mortydb.baselines.tapir;

import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;

/** The state of one key at a replica. */
final class TapirKey {

  /** A committed version. */
  record Version(WriteId id, Value value) {
    TxnId stamp() {
      return id.writer();
    }
  }

  /** The latest committed reader of a version, by stamp. */
  private record CommittedRead(TxnId version, TxnId reader) {}

  /** A read of a prepared transaction. */
  private record PreparedRead(TxnState reader, TxnId version) {}

  final Key key;

  /** Committed versions, ordered by stamp. */
  private final ArrayList<Version> versions = new ArrayList<>(1);

  // Null while empty, because most keys are idle.
  private @Nullable ArrayList<CommittedRead> committedReads;
  private @Nullable ArrayList<PreparedRead> preparedReads;
  private @Nullable ArrayList<TxnState> preparedWrites;

  /** The history at or below this stamp was discarded. */
  private TxnId floor = TxnId.INITIAL;

  /** Whether the key is in the replica's queue for pruning. */
  boolean queuedForPruning;

  TapirKey(Key key) {
    this.key = key;
  }

  // ---- what validation asks -------------------------------------------------------------------

  /** The newest committed version; null before the first. */
  @Nullable Version newest() {
    return versions.isEmpty() ? null : versions.getLast();
  }

  /** Whether there is a committed version above one stamp and at or below another. */
  boolean hasCommittedWithin(TxnId above, TxnId last) {
    for (int i = versions.size() - 1; i >= 0; i--) {
      TxnId stamp = versions.get(i).stamp();
      if (!stamp.isAfter(last)) {
        return stamp.isAfter(above);
      }
    }
    return false;
  }

  /** Whether there is a prepared write above a version and below a stamp. */
  boolean hasPreparedWithin(TxnId above, TxnId below) {
    if (preparedWrites != null) {
      for (int i = 0; i < preparedWrites.size(); i++) {
        TxnId stamp = preparedWrites.get(i).stamp;
        if (stamp.isAfter(above) && stamp.isBefore(below)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * The time of the latest reader, committed or prepared, that is at or after a stamp and has read
   * a version below it. A write at that stamp would come too late for this reader. 0 when there is
   * none.
   *
   * <p>Among committed readers, only those of the newest version below the stamp matter. Committed
   * transactions never miss a committed write, so the readers of an older version are at or below
   * that newer version.
   */
  long readPastMicros(TxnId stamp) {
    long latest = 0;
    if (committedReads != null) {
      int index = committedReads.size() - 1;
      while (index >= 0 && !committedReads.get(index).version.isBefore(stamp)) {
        index--;
      }
      if (index >= 0 && !committedReads.get(index).reader.isBefore(stamp)) {
        latest = committedReads.get(index).reader.timeMicros();
      }
    }
    if (preparedReads != null) {
      for (int i = 0; i < preparedReads.size(); i++) {
        PreparedRead read = preparedReads.get(i);
        if (read.version.isBefore(stamp) && !read.reader.stamp.isBefore(stamp)) {
          latest = Math.max(latest, read.reader.stamp.timeMicros());
        }
      }
    }
    return latest;
  }

  /** Whether another transaction writes, or has written, at exactly this stamp. */
  boolean isWrittenAt(TxnId stamp) {
    if (preparedWrites != null) {
      for (int i = 0; i < preparedWrites.size(); i++) {
        if (preparedWrites.get(i).stamp.equals(stamp)) {
          return true;
        }
      }
    }
    int index = indexAtOrBelow(stamp);
    return index >= 0 && versions.get(index).stamp().equals(stamp);
  }

  /** The stamp at or below which nothing can be validated; initial when everything can. */
  TxnId floor() {
    return floor;
  }

  // ---- prepared and committed transactions ----------------------------------------------------

  void prepareRead(TxnState reader, TxnId version) {
    if (preparedReads == null) {
      preparedReads = new ArrayList<>(2);
    }
    preparedReads.add(new PreparedRead(reader, version));
  }

  void prepareWrite(TxnState writer) {
    if (preparedWrites == null) {
      preparedWrites = new ArrayList<>(2);
    }
    preparedWrites.add(writer);
  }

  /** Removes a transaction's prepared reads and writes. */
  void release(TxnState txn) {
    if (preparedReads != null) {
      preparedReads.removeIf(read -> read.reader == txn);
      if (preparedReads.isEmpty()) {
        preparedReads = null;
      }
    }
    if (preparedWrites != null) {
      preparedWrites.remove(txn);
      if (preparedWrites.isEmpty()) {
        preparedWrites = null;
      }
    }
  }

  /** Installs a committed write. Idempotent. */
  void commitWrite(WriteId id, Value value) {
    TxnId stamp = id.writer();
    if (!stamp.isAfter(floor)) {
      return; // there is a newer version below which nobody looks
    }
    int index = indexAtOrBelow(stamp);
    if (index < 0 || !versions.get(index).stamp().equals(stamp)) {
      versions.add(index + 1, new Version(id, value));
    }
  }

  /** Records a committed read. Idempotent. */
  void commitRead(TxnId version, TxnId reader) {
    if (committedReads == null) {
      committedReads = new ArrayList<>(1);
    }
    int index = committedReads.size() - 1;
    while (index >= 0 && committedReads.get(index).version.isAfter(version)) {
      index--;
    }
    if (index < 0 || !committedReads.get(index).version.equals(version)) {
      committedReads.add(index + 1, new CommittedRead(version, reader));
    } else if (committedReads.get(index).reader.isBefore(reader)) {
      committedReads.set(index, new CommittedRead(version, reader));
    }
  }

  /** The index of the newest version at or below a stamp; -1 when there is none. */
  private int indexAtOrBelow(TxnId stamp) {
    int index = versions.size() - 1;
    while (index >= 0 && versions.get(index).stamp().isAfter(stamp)) {
      index--;
    }
    return index;
  }

  // ---- forgetting -----------------------------------------------------------------------------

  /**
   * Discards the state that matters only to stamps at or below the fence, which are no longer
   * proposed.
   *
   * @return whether the key still has more state than an idle key
   */
  boolean prune(TxnId fence) {
    int newest = indexAtOrBelow(fence);
    if (newest > 0) {
      versions.subList(0, newest).clear();
    }
    if (committedReads != null) {
      committedReads.removeIf(read -> !read.reader.isAfter(fence));
      if (committedReads.isEmpty()) {
        committedReads = null;
      }
    }
    return versions.size() > 1
        || committedReads != null
        || (newest < 0 && !versions.isEmpty())
        || isHeld();
  }

  /**
   * If there are more than {@code limit} versions, discards the oldest until three quarters of the
   * limit are left. So a hot key is not pruned at every commit.
   */
  void pruneTo(int limit) {
    if (versions.size() <= limit) {
      return;
    }
    versions.subList(0, versions.size() - Math.max(1, limit - limit / 4)).clear();
    versions.trimToSize();
    floor = versions.getFirst().stamp();
    if (committedReads != null) {
      // The floor is committed, so no reader above it has read a version below it.
      committedReads.removeIf(read -> read.version.isBefore(floor));
      if (committedReads.isEmpty()) {
        committedReads = null;
      }
    }
  }

  private boolean isHeld() {
    return preparedReads != null || preparedWrites != null;
  }

  /** Whether the state holds nothing that must be kept. */
  boolean isForgettable() {
    return versions.isEmpty() && committedReads == null && !isHeld();
  }

  // ---- checks ---------------------------------------------------------------------------------

  /** Throws if an invariant is broken. */
  void checkInvariants() {
    for (int i = 1; i < versions.size(); i++) {
      require(
          versions.get(i - 1).stamp().isBefore(versions.get(i).stamp()),
          "versions of " + key + " are not in order at " + versions.get(i).id());
    }
    if (preparedReads != null) {
      for (PreparedRead read : preparedReads) {
        require(read.reader.prepared, read.reader.id + " holds " + key + " and is not prepared");
      }
    }
    if (preparedWrites != null) {
      for (TxnState writer : preparedWrites) {
        require(writer.prepared, writer.id + " holds " + key + " and is not prepared");
      }
    }
  }

  private static void require(boolean holds, String broken) {
    if (!holds) {
      throw new IllegalStateException("broken invariant: " + broken);
    }
  }
}
