package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.recovery.Recoveries;

/**
 * Restores a replica from its checkpoint and log, and copies checkpoints (docs/protocol.md, section
 * 8).
 */
final class Restart {
  private final ReplicaState state;
  private final Visibility visibility;
  private final Votes votes;
  private final Recoveries recoveries;
  private final Outcomes outcomes;
  private final Forgetting forgetting;
  private final Joining joining;
  private final DeferredVersions deferred;

  Restart(
      ReplicaState state,
      Visibility visibility,
      Votes votes,
      Recoveries recoveries,
      Outcomes outcomes,
      Forgetting forgetting,
      Joining joining,
      DeferredVersions deferred) {
    this.state = state;
    this.visibility = visibility;
    this.votes = votes;
    this.recoveries = recoveries;
    this.outcomes = outcomes;
    this.forgetting = forgetting;
    this.joining = joining;
    this.deferred = deferred;
  }

  /** Restores one record of the checkpoint or log; to be called in their order. */
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
        } else if (isNewer(id.number(), txn)) {
          ExecutionRecord execution =
              state.executionRecord(id.number(), reads, ranges, writes, participants);
          votes.uncount(txn);
          txn.restoreVote(execution, onCondition ? Vote.COMMIT_ON_CONDITION : Vote.COMMIT);
          visibility.showWriteSet(txn, execution, NoEffects.INSTANCE);
          votes.count(txn, execution, NoEffects.INSTANCE);
        }
      }
      case LogRecord.Dropped(TxnId id, int execution) -> {
        TxnRecord txn = restored(id);
        if (!txn.isDecided()) {
          votes.moveOn(txn, execution, NoEffects.INSTANCE);
        }
      }
      case LogRecord.Promised(TxnId id, View view) -> {
        TxnRecord txn = restored(id);
        txn.restorePromise(view);
        state.housekeeping.watch(txn, state.elapsedMicros);
      }
      case LogRecord.Accepted(TxnId id, View view, Outcome value) -> {
        TxnRecord txn = restored(id);
        txn.restoreAcceptance(view, value);
        state.housekeeping.watch(txn, state.elapsedMicros);
      }
      case LogRecord.Decided(TxnId id, Outcome outcome) -> {
        TxnRecord txn = restored(id);
        if (!txn.isDecided()) {
          outcomes.decide(txn, outcome, NoEffects.INSTANCE);
        }
      }
      case LogRecord.Settled(TxnId id, Outcome outcome) -> {
        TxnRecord txn = restored(id);
        if (!txn.isInstalled()) {
          deferred.install(id, id, NoEffects.INSTANCE);
          outcomes.settle(txn, outcome, NoEffects.INSTANCE);
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
          state.horizon.fence(logFence, NoEffects.INSTANCE);
        }
      }
      case LogRecord.Truncated(TxnId reached, TxnId before) -> {
        if (state.rules.remembersFence()) {
          deferred.install(TxnId.INITIAL, reached, NoEffects.INSTANCE);
          forgetting.dropUndecided(reached, NoEffects.INSTANCE);
          state.horizon.restore(reached, before);
        }
      }
      case LogRecord.Hosted ignored -> {} // the server has made this replica because of it
      case LogRecord.MapsKnown known -> state.maps.restore(known, state.horizon);
      case LogRecord.Sealed sealed -> {
        if (state.rules.remembersSeals()) {
          state.maps.restore(sealed);
        }
      }
      case LogRecord.Registering registering -> {
        if (registering.written()) {
          state.writtenVotes.restore(registering);
        } else {
          state.registrations.restore(registering);
        }
      }
      case LogRecord.HistoryFrom(TxnId cut) -> state.historyBegins(cut);
      case LogRecord.Erased(TxnId upTo, List<Key> keys) -> restoreErased(upTo, keys);
      case LogRecord.Locked(List<Long> incarnations, boolean founded) -> {
        joining.restoreLock(incarnations, founded);
      }
      case LogRecord.Serving(boolean serving) -> {
        joining.restoreServing(serving);
      }
      case LogRecord.Version(Key name, WriteId id, Value value) -> {
        KeyState key = state.key(name);
        if (!deferred.defers(key, new Message.CopiedVersion(name, id, value, TxnId.INITIAL))) {
          visibility.installCopied(key, id, value);
        }
      }
      case LogRecord.Floor(Key name, TxnId floor) -> {
        KeyState key = state.key(name);
        if (floor.isAfter(key.floor())) {
          key.raiseFloor(floor, state.cuts);
        }
      }
    }
  }

  private void restoreErased(TxnId upTo, List<Key> keys) {
    if (!keys.isEmpty()) {
      HashSet<Key> deleted = new HashSet<>(keys);
      deferred.discard(upTo, key -> deleted.contains(key.key()));
    }
    for (Key name : keys) {
      KeyState key = state.keys.get(name);
      if (key != null) {
        key.eraseUpTo(upTo);
        state.housekeeping.prunable(key, state.elapsedMicros);
      }
    }
    // A copy ahead of the cut that begins anew discards its keys, and has no fence yet.
    if (keys.isEmpty() || !upTo.isAfter(state.horizon.fence())) {
      state.erased(upTo);
    }
  }

  private void restoreExecuted(
      TxnRecord txn,
      int number,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants) {
    if (txn.misses(number)) {
      ExecutionRecord execution =
          state.executionRecord(number, reads, ranges, writes, participants);
      outcomes.installCommit(txn, execution, NoEffects.INSTANCE);
    }
  }

  private static boolean isNewer(int execution, TxnRecord txn) {
    ExecutionRecord latest = txn.latest();
    return latest == null || latest.number() < execution;
  }

  private TxnRecord restored(TxnId id) {
    TxnRecord txn = state.record(id);
    txn.restored();
    txn.heardFrom(new ClientId(id.clientId()));
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
    if (end < state.keys.slots()) {
      return end;
    }
    to.accept(new LogRecord.HistoryFrom(state.historyButForFloors()));
    to.accept(new LogRecord.Erased(state.erasedTo(), List.of()));
    return -1;
  }

  /** See {@link Replica#copyRecords}. */
  void copyRecords(int mark, Consumer<LogRecord> to) {
    state.maps.copyOrigin(to);
    to.accept(new LogRecord.Fenced(state.horizon.fence()));
    to.accept(new LogRecord.Truncated(state.horizon.watermark(), state.horizon.forgotten()));
    state.maps.copy(to);
    state.registrations.copy(to);
    state.writtenVotes.copy(to);
    state.records.before(mark, txn -> txn.copy(state.erasedTo(), to));
    recoveries.copy(to);
    deferred.copy(state.erasedTo(), to);
    joining.copy(to);
  }

  /** See {@link Replica#memory}. */
  Replica.Memory memory() {
    TxnId future =
        new TxnId(state.nowMicros + state.options.allowedSkewMicros(), Long.MAX_VALUE, 0);
    TxnId fence = state.horizon.fence();
    long latestMicros = Math.max(future.timeMicros(), fence.timeMicros());
    latestMicros = Math.max(latestMicros, state.registrations.bound().timeMicros());
    for (TxnRecord txn : state.records.above(future)) {
      // An accepted commit rests on votes. An abort does not: any client can have one accepted,
      // whatever the time of its transaction. Nor does a commit in which this partition takes no
      // part: a replica without votes believes any client that says so.
      Outcome outcome = txn.outcome();
      boolean commits =
          outcome != null
              ? outcome instanceof Outcome.Commit commit
                  && commit.participants().contains(state.self.partition())
              : txn.accepted() != null && txn.accepted().value() instanceof Outcome.Commit;
      if (txn.isPrepared() || commits) {
        latestMicros = Math.max(latestMicros, txn.id().timeMicros());
      }
    }
    boolean served = joining.hasEverServed() || state.horizon.watermark().isAfter(TxnId.INITIAL);
    return new Replica.Memory(served, state.historyFrom(), state.horizon.watermark(), latestMicros);
  }

  /** See {@link Replica#mapRecords}. */
  List<MapRecordVersion> mapRecords() {
    List<MapRecordVersion> all = new ArrayList<>();
    for (ClusterMap map : state.maps.history().maps()) {
      Key name = MapRecord.key(map.number());
      KeyState key = state.maps.isRecord(name) ? state.keys.look(name) : null;
      for (int i = 0; key != null && i < key.versions().size(); i++) {
        Version version = key.versions().get(i);
        if (version.isCommitted()) {
          Value value = key.versions().valueAt(i, false);
          all.add(new MapRecordVersion(map.number(), version.writer(), value));
        }
      }
    }
    return all;
  }

  /** See {@link Replica#copyStateAt}. */
  void copyStateAt(TxnId cut, TxnId fence, ClusterMap map, Consumer<LogRecord> to) {
    to.accept(new LogRecord.Fenced(fence));
    to.accept(new LogRecord.Truncated(fence, state.horizon.forgotten()));
    to.accept(new LogRecord.HistoryFrom(cut));
    to.accept(new LogRecord.Erased(state.erasedTo(), List.of()));
    for (TxnRecord txn : state.records.between(state.horizon.forgotten(), cut)) {
      if (txn.outcome() instanceof Outcome.Commit commit) {
        to.accept(new LogRecord.Settled(txn.id(), commit));
      }
    }
    for (int slot = 0; slot < state.keys.slots(); slot++) {
      KeyState key = state.keys.at(slot);
      int newest = key == null ? -1 : key.versions().newestCommittedUpTo(cut);
      if (key != null && newest >= 0 && !state.maps.moves(map, key.key())) {
        WriteId version = key.versions().get(newest).id();
        Value value = key.versions().valueAt(newest, false); // the versions below are left out
        to.accept(new LogRecord.Version(key.key(), version, state.maps.goneBack(key.key(), value)));
      }
    }
    state.records.above(fence).forEach(txn -> txn.copy(state.erasedTo(), to));
    to.accept(new LogRecord.Serving(true));
  }
}
