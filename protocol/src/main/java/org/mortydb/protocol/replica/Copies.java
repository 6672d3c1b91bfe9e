package org.mortydb.protocol.replica;

import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/**
 * Copies the committed versions and the outcomes of a peer, one peer at a time (docs/protocol.md,
 * section 6).
 */
final class Copies {
  private static final int RESENDS = 3;
  private static final int MOST_DOUBLINGS = 3;

  private final ReplicaState state;
  private final Visibility visibility;
  private final Outcomes outcomes;
  private final Forgetting forgetting;
  private final DeferredVersions deferred;

  /** The current copy; null if there is none. */
  private @Nullable Copying copying;

  /** How many copies have begun; the number of the last one. */
  private int begun;

  /**
   * How many copies in a row have ended because the peer was silent; not more than make a
   * difference.
   */
  private int silent;

  Copies(
      ReplicaState state,
      Visibility visibility,
      Outcomes outcomes,
      Forgetting forgetting,
      DeferredVersions deferred) {
    this.state = state;
    this.visibility = visibility;
    this.outcomes = outcomes;
    this.forgetting = forgetting;
    this.deferred = deferred;
  }

  boolean isUnderWay() {
    return copying != null;
  }

  /**
   * Whether this replica holds no part of an earlier copy: no version, and no fence. Outcomes alone
   * are none: other partitions tell them to replicas that do not serve yet.
   */
  boolean haveLeftNothing() {
    return state.keys.size() == 0
        && deferred.isEmpty()
        && state.horizon.fence().equals(TxnId.INITIAL);
  }

  /**
   * Begins a copy; gives up the current one.
   *
   * @param index the peer to copy
   * @param needed the watermark that the peer must have reached
   */
  void begin(int index, TxnId needed, Copying.Purpose purpose, Effects out) {
    state.cuts.clear(); // a copy lacks the versions that the peer has discarded
    begin(new ReplicaId(state.self.partition(), index), needed, state.completeTo(), purpose, out);
  }

  private void begin(
      ReplicaId peer, TxnId needed, TxnId since, Copying.Purpose purpose, Effects out) {
    // The patience doubles: question and answer may each wait for a slow disk.
    int mostResends = RESENDS << silent;
    copying = new Copying(peer, needed, since, state.completeTo(), ++begun, purpose, mostResends);
    copying.ask(state.elapsedMicros, state.options.inquireMicros(), out);
  }

  /** How much of the copy under way is done, from 0 to 1; negative if there is none. */
  double progress() {
    return copying == null ? -1 : copying.progress();
  }

  void abandon() {
    copying = null;
  }

  void onTick(Effects out) {
    Copying current = copying;
    if (current != null
        && !current.onTick(state.elapsedMicros, state.options.inquireMicros(), out)) {
      silent = Math.min(silent + 1, MOST_DOUBLINGS);
      failed(current, out);
    }
  }

  private void failed(Copying copy, Effects out) {
    copying = null;
    copy.purpose().failed(copy, out);
  }

  void onCopyReply(ReplicaId from, CopyReply reply, Effects out) {
    Copying current = copying;
    if (current == null || !current.expects(from, reply)) {
      return;
    }
    silent = 0;
    if (!current.isGoodEnough(reply) || state.isAhead(current.completeTo(reply))) {
      failed(current, out);
      return;
    }
    if (current.lacksDeletions(reply)) {
      ReplicaState.mark(reply.erased(), Branch.COPIED_AGAIN, out);
      begin(current.peer(), current.needed(), TxnId.INITIAL, current.purpose(), out);
      return;
    }
    state.maps.mayLack(reply.dropped(), out);
    // The versions stay if the copy is given up. Readers below would miss what the peer has
    // dropped.
    state.horizon.fence(current.completeTo(reply), out);
    for (Message.CopiedVersion copied : reply.versions()) {
      KeyState key = state.key(copied.key());
      if (!copied.version().writer().isAfter(reply.watermark())) {
        key.listIn(current.number());
      }
      if (!copied.version().writer().isAfter(state.completeTo())) {
        continue; // it is here, or a deletion that followed it was dropped
      }
      TxnId floor = current.floor(reply, copied);
      if (!floor.equals(TxnId.INITIAL)) {
        // Also below the floor of this replica's own limit, which is not in the log.
        out.append(new LogRecord.Floor(copied.key(), floor));
      }
      if (floor.isAfter(key.floor())) {
        key.raiseFloor(floor, state.cuts);
      }
      out.append(new LogRecord.Version(copied.key(), copied.version(), copied.value()));
      if (!deferred.defers(key, copied)
          && visibility.installCopied(key, copied.version(), copied.value())) {
        visibility.push(key, copied.version().writer(), out);
      }
    }
    current.advance(reply, state.elapsedMicros, state.options.inquireMicros(), out);
  }

  void onCopyOutcomesReply(ReplicaId from, CopyOutcomesReply reply, Effects out) {
    Copying current = copying;
    if (current != null
        && current.onOutcomes(
            from, reply, state.elapsedMicros, state.options.inquireMicros(), out)) {
      copying = null;
      copied(current, out);
    }
  }

  /** All versions and outcomes of the peer are here, so everything at or below its watermark is. */
  private void copied(Copying copy, Effects out) {
    TxnId upTo = copy.watermark();
    ReplicaState.mark(upTo, Branch.COPY_ENDS, out);
    @Nullable LinkedHashSet<Key> unlisted = copy.isOfAllKeys() ? discardUnlisted(copy) : null;
    deferred.install(TxnId.INITIAL, upTo, out);
    state.historyBegins(upTo); // a copy lacks the versions that the peer has discarded
    out.append(new LogRecord.HistoryFrom(upTo));
    forgetting.forgetLike(copy.forgotten(), out);
    for (Standing commit : copy.outcomes()) {
      settle(commit, upTo, out);
    }
    if (unlisted != null) {
      eraseUnlisted(copy, unlisted, out);
    }
    if (upTo.isAfter(state.horizon.watermark())) { // a round of truncation may have been faster
      forgetting.reachByCopy(upTo, out);
    }
    copy.purpose().completed(upTo, out);
  }

  /**
   * Discards versions that an earlier copy has left, of keys that this copy of all keys does not
   * list: they were deleted since.
   *
   * @return the keys
   */
  private LinkedHashSet<Key> discardUnlisted(Copying copy) {
    LinkedHashSet<Key> unlisted = new LinkedHashSet<>();
    deferred.discard(
        copy.erased(),
        key -> {
          boolean discarded = !key.isListedIn(copy.number());
          if (discarded) {
            unlisted.add(key.key());
          }
          return discarded;
        });
    return unlisted;
  }

  /**
   * Keys that the peer has not listed were absent there at the watermark of the copy. If this
   * replica has a value for one, the peer has dropped the deletion that followed it.
   */
  private void eraseUnlisted(Copying copy, LinkedHashSet<Key> unlisted, Effects out) {
    TxnId upTo = copy.erased();
    for (int slot = 0; slot < state.keys.slots(); slot++) {
      KeyState key = state.keys.at(slot);
      if (key != null && !key.isListedIn(copy.number()) && key.hasValueAt(upTo)) {
        KeyState erased = state.key(key.key());
        erased.eraseUpTo(upTo);
        state.housekeeping.prunable(erased, state.elapsedMicros);
        unlisted.add(erased.key());
      }
    }
    List<Key> keys = List.copyOf(unlisted);
    for (int from = 0; from < keys.size(); from += Housekeeping.MOST_ERASED) {
      int to = Math.min(keys.size(), from + Housekeeping.MOST_ERASED);
      out.append(new LogRecord.Erased(upTo, keys.subList(from, to)));
    }
    if (upTo.isAfter(state.erasedTo())) {
      out.append(new LogRecord.Erased(upTo, List.of()));
      state.erased(upTo);
    }
  }

  /** Takes an outcome of the peer; what the commit wrote is among the copied versions. */
  private void settle(Standing commit, TxnId upTo, Effects out) {
    TxnId id = commit.txn();
    Outcome outcome = commit.outcome();
    if (outcome == null
        || !id.isAfter(state.horizon.forgotten())
        || !id.isAfter(state.horizon.watermark())
        || id.isAfter(upTo)) {
      return;
    }
    TxnRecord txn = state.record(id);
    if (txn.isInstalled()) {
      return;
    }
    ExecutionRecord execution = txn.latest();
    if (!txn.isDecided()
        && outcome instanceof Outcome.Commit(int number, List<Integer> participants)
        && participants.contains(state.self.partition())
        && execution != null
        && execution.number() == number) {
      // The committed execution is here. Conditional votes may depend on its versions.
      out.append(new LogRecord.Decided(id, outcome));
      outcomes.decide(txn, outcome, out);
      return;
    }
    out.append(new LogRecord.Settled(id, outcome));
    outcomes.settle(txn, outcome, out);
  }
}
