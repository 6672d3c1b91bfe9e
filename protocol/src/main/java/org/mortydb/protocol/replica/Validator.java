package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.model.WriteId;

/**
 * When a replica votes to commit: rules 2 to 7 of docs/protocol.md, section 3, applied to one
 * execution (in the paper: the validation checks of the commit protocol). {@link Preparation} has
 * rule 1. The validation changes nothing.
 *
 * <p>A conflict that is found is answered at once, even while a dependency is undecided: waiting
 * cannot remove the conflict, and the coordinator gains the time. This is sound, because no abandon
 * counts towards a commit, and because a final abandon follows from a committed conflict alone,
 * whatever the dependency becomes.
 */
final class Validator {
  /** So many versions are looked at to see whether a merge fits. */
  private static final int MOST_FOLDED = 64;

  private final ReplicaRules rules;
  private final ReplicaState state;

  // What the current validation has found.
  private @Nullable Reason finalReason;
  private @Nullable Reason tentativeReason;
  private @Nullable TxnRecord undecided;
  private @Nullable TxnRecord unsettled;
  private @Nullable ArrayList<VersionedValue> fresh;
  private long freshBytes;

  /** How many executions with scans were validated. */
  private long validations;

  Validator(ReplicaState state) {
    this.rules = state.rules;
    this.state = state;
  }

  /**
   * Validates an execution.
   *
   * @return the vote; or null if it has to wait for {@link #undecided()}, which is also the first
   *     transaction that a conditional vote depends on
   */
  @Nullable Vote validate(TxnRecord txn, ExecutionRecord execution) {
    finalReason = null;
    tentativeReason = null;
    undecided = null;
    unsettled = null;
    fresh = null;
    freshBytes = 0;
    if (state.horizon.isTooOld(txn.id())) {
      tentative(Reason.TRUNCATED); // rule 2
    }
    if (!state.maps.mayVote(txn.id(), execution) && rules.seals()) {
      tentative(Reason.SEALED); // section 15
    }
    for (int i = 0; i < execution.readKeys().length; i++) { // rules 3 to 5
      WriteId read = execution.reads().get(i).version();
      validateRead(txn, execution.readKeys()[i], read, execution.upTo(i, txn.id()));
    }
    if (!execution.ranges().isEmpty() && rules.checksMissedInserts()) {
      validateRanges(txn, execution); // rule 5
    }
    for (int i = 0; i < execution.writeKeys().length; i++) {
      KeyState key = execution.writeKeys()[i];
      validateWrite(txn, key); // rule 6
      Value value = execution.writes().get(i).value();
      if (value.isMerge()) {
        validateMerge(txn, key, value);
      }
    }
    if (finalReason != null) {
      return new Vote.Abandon(true, finalReason, freshVersions());
    }
    if (tentativeReason != null) {
      return new Vote.Abandon(false, tentativeReason, freshVersions());
    }
    if (undecided == null) {
      return Vote.COMMIT; // rule 7
    }
    boolean settled = unsettled == null; // rule 3: every version read has settled here
    return settled && state.options.votesOnCondition() ? Vote.COMMIT_ON_CONDITION : null;
  }

  /**
   * The dependency that the last validation waits for: one that has not settled here, if there is
   * one; otherwise one that is undecided.
   */
  TxnRecord undecided() {
    TxnRecord dependency = unsettled == null ? undecided : unsettled;
    if (dependency == null) {
      throw new IllegalStateException("the last validation waits for nothing");
    }
    return dependency;
  }

  /**
   * @param upTo the reader, or the writer of the next version that the value read is made of
   */
  private void validateRead(TxnRecord txn, KeyState key, WriteId read, TxnId upTo) {
    if (key.lacksVersionsFor(txn.id())) {
      tentative(Reason.TRUNCATED);
      return;
    }
    boolean stale = false;
    if (rules.checksMissedWrites()) {
      stale = checkMissedWrites(upTo, key, read);
    }
    if (!read.isInitial()) {
      stale |= checkDependency(key, read);
    }
    if (!upTo.equals(txn.id()) && isBase(key, upTo)) {
      // What was in the gap may be a part of the base by now, and gone. The reader should see it.
      tentative(Reason.TRUNCATED);
      stale = true;
    }
    if (stale) {
      if (fresh == null) {
        fresh = new ArrayList<>(2);
      }
      boolean another = fresh.isEmpty() || !fresh.getLast().key().equals(key.key());
      if (another && !isFull()) {
        fresh.add(state.visible(key, txn.id()));
        freshBytes += fresh.getLast().roughBytes();
      }
    }
  }

  /** Whether the version of a writer has committed here, and has a value of its own. */
  private static boolean isBase(KeyState key, TxnId writer) {
    Version version = key.versions().find(writer);
    return version != null && version.isCommitted() && !version.isMerge();
  }

  /**
   * Whether the vote has no room for another version that was missed. A scan may have missed any
   * number of keys, and a longer list would be a malformed message.
   */
  private boolean isFull() {
    return fresh != null
        && (freshBytes >= Limits.MAX_FRESH_BYTES || fresh.size() >= Limits.MAX_OPERATIONS);
  }

  /**
   * Rule 5 for every key of a scanned range that the scan did not list: read as never written. What
   * such a read misses is never final, so once the vote is full, the other keys change nothing. A
   * client may claim to have scanned all keys and found none.
   */
  private void validateRanges(TxnRecord txn, ExecutionRecord execution) {
    long validation = ++validations;
    for (KeyState listed : execution.readKeys()) {
      listed.visit(validation);
    }
    List<KeyRange> ranges = execution.ranges();
    for (int i = 0; i < ranges.size(); i++) {
      for (KeyState key : state.keys.in(ranges.get(i))) {
        if (isFull()) {
          return;
        }
        if (!key.isVisited(validation)
            && !isIn(ranges.subList(0, i), key) // ranges may overlap
            && state.maps.shows(txn.id(), key.key())) {
          validateRead(txn, key, WriteId.INITIAL, txn.id());
        }
      }
    }
  }

  private static boolean isIn(List<KeyRange> ranges, KeyState key) {
    for (int i = 0; i < ranges.size(); i++) {
      if (ranges.get(i).contains(key.key())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Rule 5: no write between the version read and the reader, or the next version of which the
   * value that was read is made. A key that was read as absent may have been deleted: such a read
   * misses no deletion. It misses other writes for certain only if no deletion follows them, which
   * this replica may not have heard of yet.
   */
  private boolean checkMissedWrites(TxnId upTo, KeyState key, WriteId read) {
    VersionChain versions = key.versions();
    boolean missed = false;
    for (int i = versions.indexBelow(upTo); i >= 0; i--) {
      Version version = versions.get(i);
      if (!version.writer().isAfter(read.writer())) {
        break;
      }
      if (version.isCommitted() && read.isInitial()) {
        missed |= !version.isDeletion();
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

  /** Rules 3 and 4: the version read has committed, or its writer is a dependency. */
  private boolean checkDependency(KeyState key, WriteId read) {
    Version version = key.versions().find(read.writer());
    if (version != null && version.isCommitted()) {
      return version.id().valueId() != read.valueId() && dirty();
    }
    TxnRecord writer = state.writerRecord(read.writer());
    if (writer != null && writer.isAborted()) {
      return dirty();
    }
    if (version == null && state.horizon.isTruncated(read.writer())) {
      // The writer is decided. If it committed here, a newer version has replaced this one, or it
      // was a deletion that was dropped. Then the reader should see what is left.
      tentative(Reason.TRUNCATED);
      return true;
    }
    if (writer == null) {
      tentative(Reason.TRUNCATED); // it never arrived here, so nothing can be said
      return false;
    }
    if (writer.isDecided() && writer.isInstalled()) {
      if (version == null && state.horizon.isTooOld(read.writer())) {
        tentative(Reason.TRUNCATED); // a copy brought the outcome, but not what the peer discarded
        return true;
      }
      return dirty();
    }
    if (version != null && version.id().valueId() > read.valueId()) {
      // The writer has shown a later value. The read is valid still if an older execution of the
      // writer commits; that is not worth waiting for.
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
    if (key.isBelowFloor(txn.id())) {
      tentative(Reason.TRUNCATED);
      return;
    }
    if (!rules.checksWritesMissed()) {
      return;
    }
    if (key.isReadPast(txn.id())) {
      conflict(Reason.WRITE_MISSED);
      return;
    }
    if (state.registrations.mayHaveForgotten(txn.id())) {
      tentative(Reason.TRUNCATED);
      return;
    }
    boolean scans = rules.checksInsertsMissed();
    if (key.isReadAsAbsentPast(txn.id())
        || (scans && state.rangeReads.committedPast(txn.id(), key.key()))) {
      // Not final: perhaps the write has committed, and the reader has seen a later deletion.
      tentative(Reason.READ_AS_ABSENT);
      return;
    }
    if (key.isRegisteredPast(txn.id())
        || (scans && state.rangeReads.registeredPast(txn.id(), key.key()))) {
      tentative(Reason.REGISTERED_READ);
      return;
    }
    List<KeyState.PreparedRead> reads = key.preparedReads();
    for (int i = 0; i < reads.size(); i++) {
      KeyState.PreparedRead read = reads.get(i);
      if (read.upTo().isAfter(txn.id()) && read.version().isBefore(txn.id())) {
        tentative(Reason.WRITE_MISSED);
        return;
      }
    }
    if (scans && state.rangeReads.preparedPast(txn.id(), key.key())) {
      tentative(Reason.WRITE_MISSED);
    }
  }

  /**
   * A merge has no conflict with other writes. But what a key can hold is bounded, and so is what a
   * reader can name (section 17). A merge that is known not to fit the value is abandoned, too:
   * that spares readers of the key a failed value, which the merge would give it otherwise.
   */
  private void validateMerge(TxnRecord txn, KeyState key, Value merge) {
    VersionChain versions = key.versions();
    if (versions.find(txn.id()) == null) {
      tentative(Reason.MERGE_LIMIT); // there was no room for it
      return;
    }
    int index = versions.indexBelow(txn.id());
    int base = index;
    while (base >= 0 && versions.get(base).isMerge()) {
      if (index - base >= MOST_FOLDED || !versions.get(base).isCommitted()) {
        return;
      }
      base--;
    }
    if (base >= 0 && !versions.get(base).isCommitted()) {
      return;
    }
    Value below = versions.valueAt(index, false);
    if (!below.isFailed() && Merge.apply(below, merge).isFailed()) {
      tentative(Reason.MERGE_FAILED);
    }
  }

  private boolean dirty() {
    if (rules.checksDirtyReads()) {
      conflict(Reason.DIRTY_READ);
      return true;
    }
    return false;
  }

  /** Finds a final conflict. One that no re-execution can avoid is reported before others. */
  private void conflict(Reason reason) {
    if (finalReason == null || reason == Reason.WRITE_MISSED) {
      finalReason = reason;
    }
  }

  /** Finds a tentative conflict. One that stays whatever others do is reported before others. */
  private void tentative(Reason reason) {
    if (tentativeReason == null || weight(reason) > weight(tentativeReason)) {
      tentativeReason = reason;
    }
  }

  /** Reasons that stay are above others, those that rest on something committed above all. */
  private static int weight(Reason reason) {
    return switch (reason) {
      case SEALED -> 4;
      case TRUNCATED -> 4;
      case MERGE_FAILED, MERGE_LIMIT -> 3;
      case READ_AS_ABSENT -> 2;
      case REGISTERED_READ -> 1;
      default -> 0;
    };
  }

  private List<VersionedValue> freshVersions() {
    return fresh == null ? List.of() : fresh;
  }
}
