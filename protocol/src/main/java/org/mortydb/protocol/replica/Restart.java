package org.mortydb.protocol.replica;

import java.util.List;
import java.util.function.Consumer;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** What a replica that starts again is told, and what is copied for that (section 8). */
final class Restart {
  private final ReplicaState state;
  private final Visibility visibility;
  private final Votes votes;
  private final Outcomes outcomes;
  private final Forgetting forgetting;
  private final Joining joining;

  /** What the log tells of a copy, as long as it does not tell that the copy was finished. */
  private final DeferredVersions deferred;

  Restart(
      ReplicaState state,
      Visibility visibility,
      Votes votes,
      Outcomes outcomes,
      Forgetting forgetting,
      Joining joining) {
    this.state = state;
    this.visibility = visibility;
    this.votes = votes;
    this.outcomes = outcomes;
    this.forgetting = forgetting;
    this.joining = joining;
    this.deferred = new DeferredVersions(state, visibility);
  }

  /** Takes one record of the checkpoint or log, in their order. */
  void restore(LogRecord logged) {
    switch (logged) {
      case LogRecord.Prepared(
              ExecutionId id,
              var reads,
              var ranges,
              var writes,
              var participants,
              boolean onCondition) -> {
        TxnRecord txn = restored(id.txn());
        if (txn.isDecided()) {
          restoreExecuted(txn, id.number(), reads, ranges, writes, participants);
        } else if (txn.latest == null || txn.latest.number() < id.number()) {
          votes.unprepare(txn);
          txn.forgetExecution();
          txn.execution = Math.max(txn.execution, id.number());
          txn.loggedExecution = id.number();
          txn.latest = state.executionRecord(id.number(), reads, ranges, writes, participants);
          visibility.showWriteSet(txn, txn.latest, Unheard.INSTANCE);
          Vote vote = onCondition ? Vote.COMMIT_ON_CONDITION : Vote.COMMIT;
          votes.prepared(txn, txn.latest, vote, Unheard.INSTANCE);
        }
      }
      case LogRecord.Dropped(TxnId id, int execution) -> {
        TxnRecord txn = restored(id);
        if (!txn.isDecided()) {
          votes.moveOn(txn, execution, Unheard.INSTANCE);
        }
      }
      case LogRecord.Promised(TxnId id, View view) -> {
        TxnRecord txn = restored(id);
        if (view.isAbove(txn.promised)) {
          txn.promised = view;
        }
        state.housekeeping.watch(txn, state.nowMicros);
      }
      case LogRecord.Accepted(TxnId id, View view, Outcome value) -> {
        TxnRecord txn = restored(id);
        // Whatever was promised by then: a view that this replica had used for a recovery of its
        // own was logged before it promised it, and what came between was accepted all the same.
        if (view.isAbove(txn.promised)) {
          txn.promised = view;
        }
        if (txn.acceptedView == null || !txn.acceptedView.isAbove(view)) {
          txn.acceptedView = view;
          txn.accepted = value;
        }
        state.housekeeping.watch(txn, state.nowMicros);
      }
      case LogRecord.Decided(TxnId id, Outcome outcome) -> {
        TxnRecord txn = restored(id);
        if (!txn.isDecided()) {
          outcomes.decided(txn, outcome, Unheard.INSTANCE);
        }
      }
      case LogRecord.Settled(TxnId id, Outcome outcome) -> {
        TxnRecord txn = restored(id);
        if (!txn.installed) {
          deferred.install(id, id, Unheard.INSTANCE);
          votes.unprepare(txn);
          txn.outcome = outcome;
          outcomes.clearTraces(txn, Unheard.INSTANCE);
        }
      }
      case LogRecord.Executed(
              ExecutionId id,
              var reads,
              var ranges,
              var writes,
              var participants) ->
          restoreExecuted(restored(id.txn()), id.number(), reads, ranges, writes, participants);
      case LogRecord.Fenced(TxnId logFence) -> {
        if (state.rules.remembersFence()) {
          state.horizon.fence(logFence, Unheard.INSTANCE);
        }
      }
      case LogRecord.Truncated(TxnId reached, TxnId before) -> {
        if (state.rules.remembersFence()) {
          deferred.install(TxnId.INITIAL, reached, Unheard.INSTANCE);
          forgetting.dropUndecided(reached, Unheard.INSTANCE);
          state.horizon.restore(reached, before);
        }
      }
      case LogRecord.Locked(List<Long> incarnations) -> {
        joining.restoreLock(incarnations);
      }
      case LogRecord.Serving(boolean serving) -> {
        joining.restoreServing(serving);
      }
      case LogRecord.Version(Key name, WriteId id, Value value) -> {
        if (!deferred.defers(new Message.CopiedVersion(name, id, value, TxnId.INITIAL))) {
          visibility.installCopied(state.key(name), id, value);
        }
      }
      case LogRecord.Floor(Key name, TxnId floor) -> {
        KeyState key = state.key(name);
        if (floor.isAfter(key.floor)) {
          key.raiseFloor(floor, state.cuts);
        }
      }
    }
  }

  private void restoreExecuted(
      TxnRecord txn,
      int number,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants) {
    if (!txn.installed
        && txn.outcome instanceof Outcome.Commit(int committed, List<Integer> ignored)
        && committed == number) {
      txn.loggedExecution = number;
      txn.latest = state.executionRecord(number, reads, ranges, writes, participants);
      outcomes.installCommit(txn, txn.latest, Unheard.INSTANCE);
    }
  }

  private TxnRecord restored(TxnId id) {
    TxnRecord txn = state.record(id);
    txn.coordinator = new ClientId(id.clientId());
    return txn;
  }

  /** See {@link Replica#copyVersions}. */
  int copyVersions(int slot, int limit, Consumer<LogRecord> to) {
    int end = (int) Math.min(state.keys.slots(), (long) slot + limit);
    for (int i = slot; i < end; i++) {
      KeyState key = state.keys.at(i);
      if (key != null) {
        key.copy(to);
      }
    }
    return end < state.keys.slots() ? end : -1;
  }

  /** See {@link Replica#copyOldRecords}. */
  void copyOldRecords(long logMicros, Consumer<LogRecord> to) {
    TxnId cut = new TxnId(Math.max(0, state.nowMicros - logMicros), Long.MAX_VALUE, 0);
    TxnId ahead = new TxnId(state.nowMicros + state.options.allowedSkewMicros(), Long.MAX_VALUE, 0);
    TxnId last = new TxnId(cut.timeMicros() + state.options.allowedSkewMicros(), Long.MAX_VALUE, 0);
    to.accept(new LogRecord.Fenced(state.horizon.fence()));
    to.accept(new LogRecord.Truncated(state.horizon.watermark(), state.horizon.forgotten()));
    state.records.between(TxnId.INITIAL, last).forEach(txn -> txn.copy(to));
    state.records.above(ahead).forEach(txn -> txn.copy(to));
    joining.copy(to);
  }
}
