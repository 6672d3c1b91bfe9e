package org.mortydb.protocol.replica;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/**
 * Copies the committed versions and the outcomes of a peer, one peer at a time (docs/protocol.md,
 * section 6).
 */
final class Copies {
  private final ReplicaState state;
  private final Visibility visibility;
  private final Outcomes outcomes;
  private final Forgetting forgetting;

  /** The current copy. */
  private @Nullable Copying copying;

  private final DeferredVersions deferred;

  Copies(ReplicaState state, Visibility visibility, Outcomes outcomes, Forgetting forgetting) {
    this.state = state;
    this.visibility = visibility;
    this.outcomes = outcomes;
    this.forgetting = forgetting;
    this.deferred = new DeferredVersions(state, visibility);
  }

  boolean isUnderWay() {
    return copying != null;
  }

  /**
   * Begins a copy; gives up the current one.
   *
   * @param index the peer to copy
   * @param needed the watermark that the peer must have reached
   */
  void begin(int index, TxnId needed, Copying.Purpose purpose, Effects out) {
    deferred.clear();
    state.cuts.clear(); // a copy lacks the versions that the peer has discarded
    ReplicaId peer = new ReplicaId(state.self.partition(), index);
    copying = new Copying(peer, needed, state.completeTo(), purpose);
    copying.ask(state.elapsedMicros, state.options.inquireMicros(), out);
  }

  /** Copies the versions of the copy under way that are not installed yet, for a checkpoint. */
  void copyDeferred(Consumer<LogRecord> to) {
    deferred.copy(to);
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
    if (!current.isGoodEnough(reply) || state.isAhead(current.completeTo(reply))) {
      failed(current, out);
      return;
    }
    for (Message.CopiedVersion copied : reply.versions()) {
      out.append(new LogRecord.Version(copied.key(), copied.version(), copied.value()));
      KeyState key = state.key(copied.key());
      TxnId floor = current.floor(reply, copied);
      if (floor.isAfter(key.floor())) {
        key.raiseFloor(floor, state.cuts);
        out.append(new LogRecord.Floor(copied.key(), floor));
      }
      if (!deferred.defers(copied)
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
    state.horizon.fence(upTo, out);
    deferred.install(TxnId.INITIAL, upTo, out);
    deferred.clear();
    state.historyBegins(upTo); // a copy lacks the versions that the peer has discarded
    out.append(new LogRecord.HistoryFrom(upTo));
    state.horizon.forget(copy.forgotten());
    for (Standing commit : copy.outcomes()) {
      settle(commit, upTo, out);
    }
    if (upTo.isAfter(state.horizon.watermark())) { // a round of truncation may have been faster
      forgetting.reach(upTo, out);
    }
    copy.purpose().completed(upTo, out);
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
