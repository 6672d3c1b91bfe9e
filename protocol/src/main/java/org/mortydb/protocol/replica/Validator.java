package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.model.WriteId;

/**
 * The validation of one execution against what a replica holds: rules 2 to 6 of docs/protocol.md,
 * section 3 (in the paper: the commit protocol's validation checks). Changes nothing.
 *
 * <p>A conflict that is found is answered at once, even when a dependency is still open: waiting
 * could not mend it, and the coordinator gains the time. That is sound, because an abandoned vote
 * is never counted towards a commit, and because a final one follows from a committed conflict
 * alone, whatever becomes of the dependency.
 */
final class Validator {
  private final ReplicaRules rules;
  private final ReplicaState state;

  // The findings of the validation under way.
  private @Nullable Reason finalReason;
  private @Nullable Reason tentativeReason;
  private @Nullable TxnRecord undecided;
  private @Nullable TxnRecord unsettled;
  private @Nullable ArrayList<VersionedValue> fresh;

  Validator(ReplicaState state) {
    this.rules = state.rules;
    this.state = state;
  }

  /**
   * Validates an execution.
   *
   * @return the vote, or null when it has to wait for {@link #undecided()}; if it is on condition,
   *     that is the transaction to wait for first
   */
  @Nullable Vote validate(TxnRecord txn, ExecutionRecord execution) {
    finalReason = null;
    tentativeReason = state.horizon.isTooOld(txn.id) ? Reason.TRUNCATED : null;
    undecided = null;
    unsettled = null;
    fresh = null;
    for (int i = 0; i < execution.readKeys().length; i++) {
      validateRead(txn, execution.readKeys()[i], execution.reads().get(i).version());
    }
    if (!execution.ranges().isEmpty() && rules.checksMissedInserts()) {
      validateRanges(txn, execution);
    }
    for (KeyState key : execution.writeKeys()) {
      validateWrite(txn, key);
    }
    if (finalReason != null) {
      return new Vote.Abandon(true, finalReason, freshVersions());
    }
    if (tentativeReason != null) {
      return new Vote.Abandon(false, tentativeReason, freshVersions());
    }
    if (undecided == null) {
      return Vote.COMMIT;
    }
    return unsettled == null && state.options.votesOnCondition() ? Vote.COMMIT_ON_CONDITION : null;
  }

  /**
   * The dependency that the last validation has to wait for: one that has not settled here, if
   * there is such a one.
   */
  TxnRecord undecided() {
    TxnRecord dependency = unsettled == null ? undecided : unsettled;
    if (dependency == null) {
      throw new IllegalStateException("the last validation waits for nothing");
    }
    return dependency;
  }

  private void validateRead(TxnRecord txn, KeyState key, WriteId read) {
    if (txn.id.isBefore(key.floor)) {
      tentative(Reason.TRUNCATED);
      return;
    }
    boolean stale = false;
    if (rules.checksMissedWrites()) {
      stale = checkMissedWrites(txn, key, read);
    }
    if (!read.isInitial()) {
      stale |= checkDependency(key, read);
    }
    if (stale) {
      if (fresh == null) {
        fresh = new ArrayList<>(2);
      }
      fresh.add(visible(key, txn.id));
    }
  }

  /**
   * Rule 5 for every key of a range that was read as never written: nobody has, below the reader.
   */
  private void validateRanges(TxnRecord txn, ExecutionRecord execution) {
    long validation = ++state.validations;
    for (KeyState listed : execution.readKeys()) {
      listed.listedIn = validation;
    }
    for (KeyRange range : execution.ranges()) {
      for (KeyState key : state.keys.in(range)) {
        if (key.listedIn != validation) {
          key.listedIn = validation; // ranges may overlap
          validateRead(txn, key, WriteId.INITIAL);
        }
      }
    }
  }

  /** Rule 5: no write between the version read and the reader. */
  private boolean checkMissedWrites(TxnRecord txn, KeyState key, WriteId read) {
    VersionChain versions = key.versions;
    boolean missed = false;
    for (int i = versions.indexBelow(txn.id); i >= 0; i--) {
      Version version = versions.get(i);
      if (!version.writer().isAfter(read.writer())) {
        break;
      }
      missed = true;
      if (version.isCommitted()) {
        conflict(Reason.MISSED_WRITE);
        return true;
      }
    }
    if (missed) {
      tentative(Reason.MISSED_WRITE);
    }
    return missed;
  }

  /** Rules 3 and 4: the version read is decided, committed, and still the one that was read. */
  private boolean checkDependency(KeyState key, WriteId read) {
    Version version = key.versions.find(read.writer());
    if (version != null && version.isCommitted()) {
      return version.id().valueId() != read.valueId() && dirty();
    }
    TxnRecord writer = state.writerRecord(read.writer());
    if (writer == null) {
      // Decided and dropped. If it committed here, a newer version made this one superfluous, and
      // rule 5 has said so. If it never arrived here, this replica cannot vouch for it.
      tentative(Reason.TRUNCATED);
      return false;
    }
    if (writer.isAborted() || (writer.isDecided() && writer.installed)) {
      return dirty();
    }
    if (version != null && version.id().valueId() > read.valueId()) {
      // The writer has moved on. Valid still if its older execution is the one that commits, which
      // is not worth waiting for.
      if (rules.checksDirtyReads()) {
        tentative(Reason.DIRTY_READ);
        return true;
      }
    }
    if (rules.waitsForDependencies()) {
      undecided = undecided == null ? writer : undecided;
      boolean settled =
          version != null && version.id().valueId() == read.valueId() && version.isSettled();
      if (!settled && unsettled == null) {
        unsettled = writer;
      }
    }
    return false;
  }

  /** Rule 6: no later reader read past the write. */
  private void validateWrite(TxnRecord txn, KeyState key) {
    if (txn.id.isBefore(key.floor)) {
      tentative(Reason.TRUNCATED);
      return;
    }
    if (!rules.checksWritesMissed()) {
      return;
    }
    boolean scans = rules.checksInsertsMissed();
    if (key.readerPast(txn.id) != null
        || (scans && state.rangeReads.committedPast(txn.id, key.key))) {
      conflict(Reason.WRITE_MISSED);
      return;
    }
    List<KeyState.PreparedRead> reads = key.preparedReads();
    for (int i = 0; i < reads.size(); i++) {
      KeyState.PreparedRead read = reads.get(i);
      if (read.reader().id.isAfter(txn.id) && read.version().isBefore(txn.id)) {
        tentative(Reason.WRITE_MISSED);
        return;
      }
    }
    if (scans && state.rangeReads.preparedPast(txn.id, key.key)) {
      tentative(Reason.WRITE_MISSED);
    }
  }

  private boolean dirty() {
    if (rules.checksDirtyReads()) {
      conflict(Reason.DIRTY_READ);
      return true;
    }
    return false;
  }

  /** A final finding. One that no re-execution mends is reported before one that is mended. */
  private void conflict(Reason reason) {
    if (finalReason == null || reason == Reason.WRITE_MISSED) {
      finalReason = reason;
    }
  }

  private void tentative(Reason reason) {
    if (tentativeReason == null || reason == Reason.TRUNCATED) {
      tentativeReason = reason;
    }
  }

  private List<VersionedValue> freshVersions() {
    return fresh == null ? List.of() : fresh;
  }

  /**
   * What {@code reader} sees of {@code key} here: the newest version below it, committed or not.
   */
  static VersionedValue visible(KeyState key, TxnId reader) {
    Version version = key.versions.newestBelow(reader);
    return version == null
        ? new VersionedValue(key.key, WriteId.INITIAL, Value.ABSENT, true)
        : new VersionedValue(key.key, version.id(), version.value(), version.isSettled());
  }
}
