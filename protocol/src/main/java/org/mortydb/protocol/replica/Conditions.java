package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
     * A version read is decided, but forgotten or overwritten here, and the vote may have been
     * counted meanwhile. This replica can neither confirm nor deny the vote; others can.
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
    undecided = null;
    fresh.clear();
    boolean unknown = false;
    List<Read> reads = execution.reads();
    for (int i = 0; i < reads.size(); i++) {
      WriteId read = reads.get(i).version();
      KeyState key = execution.readKeys()[i];
      switch (read.isInitial() ? Verdict.HOLDS : of(txn, key, read)) {
        case HOLDS, OPEN -> {}
        case FAILS -> fresh.add(state.visible(key, txn.id()));
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

  private Verdict of(TxnRecord txn, KeyState key, WriteId read) {
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
      return forgotten ? withoutVersion(txn.id(), key, read) : Verdict.FAILS;
    }
    if (!writer.isDecided() || !writer.isInstalled()) {
      undecided = undecided == null ? writer : undecided;
      return Verdict.OPEN;
    }
    if (!(writer.outcome() instanceof Outcome.Commit(int ignored, List<Integer> participants))
        || !participants.contains(state.self.partition())) {
      return Verdict.FAILS;
    }
    ExecutionRecord committed = writer.latest();
    if (committed == null) {
      return withoutVersion(txn.id(), key, read);
    }
    for (Write write : committed.writes()) {
      if (write.key().equals(key.key()) && write.valueId() == read.valueId()) {
        return Verdict.HOLDS;
      }
    }
    return Verdict.FAILS;
  }

  /**
   * What is known of a read whose version is gone. If a committed version came between, the reader
   * cannot commit. If there is none, the key had too many versions, or the version read was a
   * deletion.
   */
  private static Verdict withoutVersion(TxnId reader, KeyState key, WriteId read) {
    VersionChain versions = key.versions();
    for (int i = versions.indexBelow(reader); i >= 0; i--) {
      if (versions.get(i).isCommitted()) {
        return versions.get(i).writer().isAfter(read.writer()) ? Verdict.FAILS : Verdict.UNKNOWN;
      }
    }
    return Verdict.UNKNOWN;
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
