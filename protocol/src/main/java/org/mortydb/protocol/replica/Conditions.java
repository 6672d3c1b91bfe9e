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
 * Looks whether the condition of a vote holds: that every version which the execution has read here
 * commits (docs/protocol.md, section 3). Changes nothing.
 */
final class Conditions {

  /** What is known of a condition. */
  enum Standing {
    /** All that was read has committed. */
    HOLDS,
    /** Something that was read never commits. */
    FAILS,
    /** Something that was read is undecided here. */
    OPEN,
    /**
     * What was read is decided, but forgotten or overwritten here, and the vote may have been
     * counted meanwhile: this replica can neither confirm it nor deny it. Others can.
     */
    UNKNOWN
  }

  private final ReplicaState state;

  private @Nullable TxnRecord undecided;
  private final ArrayList<VersionedValue> fresh = new ArrayList<>(2);

  Conditions(ReplicaState state) {
    this.state = state;
  }

  /** Looks at what an execution has read. */
  Standing of(TxnRecord txn, ExecutionRecord execution) {
    undecided = null;
    fresh.clear();
    boolean unknown = false;
    List<Read> reads = execution.reads();
    for (int i = 0; i < reads.size(); i++) {
      WriteId read = reads.get(i).version();
      KeyState key = execution.readKeys()[i];
      switch (read.isInitial() ? Standing.HOLDS : of(txn, key, read)) {
        case HOLDS, OPEN -> {}
        case FAILS -> fresh.add(Validator.visible(key, txn.id));
        case UNKNOWN -> unknown = true;
      }
    }
    if (!fresh.isEmpty()) {
      return Standing.FAILS;
    }
    if (undecided != null) {
      return Standing.OPEN;
    }
    return unknown ? Standing.UNKNOWN : Standing.HOLDS;
  }

  private Standing of(TxnRecord txn, KeyState key, WriteId read) {
    Version version = key.versions.find(read.writer());
    if (version != null && version.isCommitted()) {
      return version.id().valueId() == read.valueId() ? Standing.HOLDS : Standing.FAILS;
    }
    TxnRecord writer = state.records.get(read.writer());
    if (writer == null && !state.horizon.isTruncated(read.writer())) {
      writer = state.record(read.writer());
    }
    if (writer == null) {
      // Of what has committed here and is not forgotten yet there would be a record.
      boolean forgotten = !read.writer().isAfter(state.horizon.forgotten());
      return forgotten ? withoutVersion(txn.id, key) : Standing.FAILS;
    }
    if (!writer.isDecided() || !writer.installed) {
      undecided = undecided == null ? writer : undecided;
      return Standing.OPEN;
    }
    if (!(writer.outcome instanceof Outcome.Commit(int ignored, List<Integer> participants))
        || !participants.contains(state.self.partition())) {
      return Standing.FAILS;
    }
    if (writer.latest == null) {
      return withoutVersion(txn.id, key);
    }
    for (Write write : writer.latest.writes()) {
      if (write.key().equals(key.key) && write.valueId() == read.valueId()) {
        return Standing.HOLDS;
      }
    }
    return Standing.FAILS;
  }

  /**
   * What has become of the version that was read, of which nothing is left here. The reader is not
   * decided, hence above the watermark: unless versions that it might have seen have been dropped
   * because there were too many, another one came between, and so the reader cannot commit.
   */
  private static Standing withoutVersion(TxnId reader, KeyState key) {
    return reader.isBefore(key.floor) ? Standing.UNKNOWN : Standing.FAILS;
  }

  /** The first transaction that an open condition waits for. */
  TxnRecord undecided() {
    if (undecided == null) {
      throw new IllegalStateException("the last condition is not open");
    }
    return undecided;
  }

  /** What should have been read instead, where the condition has failed. */
  List<VersionedValue> fresh() {
    return List.copyOf(fresh);
  }
}
