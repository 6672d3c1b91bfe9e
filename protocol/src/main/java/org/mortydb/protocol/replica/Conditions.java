package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Decides whether the condition of a vote holds: every version that the execution has read here
 * commits (docs/protocol.md, section 3). Changes nothing.
 */
final class Conditions {

  /** What is known of a condition. */
  enum Verdict {
    /** All versions read have committed. */
    HOLDS,
    /** A version read never commits. */
    FAILS,
    /** A version read is undecided here. */
    OPEN,
    /**
     * A version read is decided, but nothing here shows how: it was a deletion that may have been
     * dropped, or the key had too many versions. The vote may have been counted meanwhile. This
     * replica can neither confirm nor deny it; others can.
     */
    UNKNOWN
  }

  private final ReplicaState state;

  private @Nullable TxnRecord undecided;
  private final ArrayList<VersionedValue> fresh = new ArrayList<>(2);

  Conditions(ReplicaState state) {
    this.state = state;
  }

  /** What is known of the condition of a vote on an execution. */
  Verdict of(TxnRecord txn, ExecutionRecord execution) {
    return of(txn, execution, state.completeTo());
  }

  /**
   * What is known of the condition of a vote on an execution.
   *
   * @param complete everything at or below it that committed is installed here, and nothing that is
   *     not installed ever commits
   */
  Verdict of(TxnRecord txn, ExecutionRecord execution, TxnId complete) {
    undecided = null;
    fresh.clear();
    long freshBytes = 0;
    TxnId reached = ReplicaState.later(complete, state.horizon.watermark());
    boolean unknown = false;
    List<Read> reads = execution.reads();
    for (int i = 0; i < reads.size(); i++) {
      WriteId read = reads.get(i).version();
      KeyState key = execution.readKeys()[i];
      switch (read.isInitial() ? Verdict.HOLDS : of(txn, execution, key, read, complete)) {
        case HOLDS, OPEN -> {}
        case FAILS -> {
          boolean another = fresh.isEmpty() || !fresh.getLast().key().equals(key.key());
          if (another && freshBytes < Limits.MAX_FRESH_BYTES) {
            fresh.add(key.willBeVisibleTo(txn.id(), reached));
            freshBytes += fresh.getLast().roughBytes();
          }
        }
        case UNKNOWN -> unknown = true;
      }
    }
    if (!fresh.isEmpty()) {
      return Verdict.FAILS;
    }
    if (undecided != null) {
      return Verdict.OPEN;
    }
    return unknown ? Verdict.UNKNOWN : Verdict.HOLDS;
  }

  private Verdict of(
      TxnRecord txn, ExecutionRecord execution, KeyState key, WriteId read, TxnId complete) {
    Version version = key.versions().find(read.writer());
    if (version != null && version.isCommitted()) {
      return version.id().valueId() == read.valueId() ? Verdict.HOLDS : Verdict.FAILS;
    }
    TxnRecord writer = state.records.get(read.writer());
    if (writer == null && !state.horizon.isTruncated(read.writer())) {
      writer = state.record(read.writer());
    }
    if (writer == null) {
      // A transaction that has committed here and is not forgotten yet has a record.
      boolean forgotten = !read.writer().isAfter(state.horizon.forgotten());
      return forgotten ? withoutVersion(txn.id(), execution, key, read, complete) : Verdict.FAILS;
    }
    if (!writer.isDecided() || !writer.isInstalled()) {
      if (!writer.id().isAfter(complete)) {
        return withoutVersion(txn.id(), execution, key, read, complete);
      }
      undecided = undecided == null ? writer : undecided;
      return Verdict.OPEN;
    }
    if (!(writer.outcome() instanceof Outcome.Commit(int ignored, List<Integer> participants))
        || !participants.contains(state.self.partition())) {
      return Verdict.FAILS;
    }
    ExecutionRecord committed = writer.latest();
    if (committed == null) {
      return withoutVersion(txn.id(), execution, key, read, complete);
    }
    for (Write write : committed.writes()) {
      if (write.key().equals(key.key()) && write.valueId() == read.valueId()) {
        return Verdict.HOLDS;
      }
    }
    return Verdict.FAILS;
  }

  /**
   * What is known of a read whose version has not committed here, or is gone. If a committed
   * version came between, the reader cannot commit.
   *
   * <p>Otherwise, if all that committed at or below {@code complete} is here, what the key shows
   * there is what a serial execution shows. If the version read had committed, the key would show
   * it, or a newer version, unless that is a deletion that was dropped. So if the key shows an
   * older value, or if a value was read and the key shows none, the version read never commits.
   */
  private Verdict withoutVersion(
      TxnId reader, ExecutionRecord execution, KeyState key, WriteId read, TxnId complete) {
    VersionChain versions = key.versions();
    Version newest = null;
    for (int i = versions.indexBelow(reader); i >= 0 && newest == null; i--) {
      newest = versions.get(i).isCommitted() ? versions.get(i) : null;
    }
    if (newest != null && newest.writer().isAfter(read.writer())) {
      // A merge that was read as well may have taken in the version.
      return execution.hasRead(key.key(), newest.writer()) ? Verdict.UNKNOWN : Verdict.FAILS;
    }
    if (read.writer().isAfter(complete)
        || !reader.isAfter(complete) // then what the reader should see may be gone
        || key.floor().isAfter(complete)) { // the key had too many versions
      return Verdict.UNKNOWN;
    }
    boolean showsValue = newest != null && !newest.isDeletion();
    return showsValue || read.writer().isAfter(state.erasedTo()) || isValue(key, read)
        ? Verdict.FAILS
        : Verdict.UNKNOWN;
  }

  /** Whether the version read is still here, uncommitted, and is no deletion. */
  private static boolean isValue(KeyState key, WriteId read) {
    Version version = key.versions().find(read.writer());
    return version != null && version.id().equals(read) && !version.value().isAbsent();
  }

  /** The first transaction that an open condition waits for. */
  TxnRecord undecided() {
    if (undecided == null) {
      throw new IllegalStateException("the last condition is not open");
    }
    return undecided;
  }

  /** The versions that the execution should have read, where the condition has failed. */
  List<VersionedValue> fresh() {
    return List.copyOf(fresh);
  }
}
