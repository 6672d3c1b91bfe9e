package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.List;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Fetch;
import org.mortydb.protocol.message.Message.FetchReply;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.recovery.Recoveries;

/**
 * The outcomes of transactions: learnt, and installed with the execution that they name (section
 * 4), which is fetched from a peer where it has not been seen.
 */
final class Outcomes {
  private final ReplicaState state;
  private final Refusals refusals;
  private final Visibility visibility;
  private final Votes votes;
  private final Recoveries recoveries;

  Outcomes(
      ReplicaState state,
      Refusals refusals,
      Visibility visibility,
      Votes votes,
      Recoveries recoveries) {
    this.state = state;
    this.refusals = refusals;
    this.visibility = visibility;
    this.votes = votes;
    this.recoveries = recoveries;
  }

  void onDecide(Decide decide, Effects out) {
    TxnRecord txn = state.records.get(decide.txn());
    if (txn == null) {
      boolean aborted = decide.outcome() instanceof Outcome.Abort;
      if (state.horizon.isTruncated(decide.txn()) || (aborted && state.isAhead(decide.txn()))) {
        return; // forgotten after it was decided, or never served here
      }
      txn = state.record(decide.txn());
    }
    if (txn.outcome != null) {
      if (!txn.outcome.equals(decide.outcome())) {
        throw new IllegalStateException(
            "I1: " + txn.id + " is " + txn.outcome + " here, told " + decide.outcome());
      }
      return;
    }
    out.append(new LogRecord.Decided(txn.id, decide.outcome()));
    decided(txn, decide.outcome(), out);
    if (txn.outcome instanceof Outcome.Commit(int number, List<Integer> ignored)
        && !txn.installed) {
      fetch(txn, number, out);
    }
  }

  /** Takes an outcome that is in the log, and installs it as far as that can be done. */
  void decided(TxnRecord txn, Outcome outcome, Effects out) {
    learn(txn, outcome, out);
    switch (outcome) {
      case Outcome.Abort() -> clearTraces(txn, out);
      case Outcome.Commit(int number, List<Integer> participants) -> {
        ExecutionRecord execution = txn.latest;
        if (!participants.contains(state.self.partition())) {
          clearTraces(txn, out); // an earlier execution was here, the committed one was not
        } else if (execution != null && execution.number() == number) {
          installCommit(txn, execution, out);
        } else {
          txn.forgetExecution();
          state.housekeeping.awaitExecution(txn, state.nowMicros);
        }
      }
    }
  }

  /** Notes the outcome, and ends whatever was under way for its sake. */
  void learn(TxnRecord txn, Outcome outcome, Effects out) {
    votes.unprepare(txn);
    txn.outcome = outcome;
    recoveries.decided(txn.id);
    txn.waitingFor = null;
    txn.promisee = null;
    txn.coordinator = null;
    txn.unsubscribe();
    if (out.probing()) {
      out.probe(new Probe.Installed(txn.id, outcome));
    }
  }

  /** Nothing of the transaction remains at this partition. */
  void clearTraces(TxnRecord txn, Effects out) {
    txn.installed = true;
    visibility.removeVersions(txn, out);
    txn.forgetExecution();
    votes.wakeDependents(txn, out);
  }

  /** Makes the writes final, and the reads count for good in what others are validated against. */
  void installCommit(TxnRecord txn, ExecutionRecord execution, Effects out) {
    txn.installed = true;
    if (txn.loggedExecution != execution.number()) {
      txn.loggedExecution = execution.number();
      out.append(execution.executed(txn.id));
    }
    KeyState[] writeKeys = execution.writeKeys();
    for (int i = 0; i < writeKeys.length; i++) {
      visibility.installWrite(txn, writeKeys[i], execution.writes().get(i), out);
    }
    visibility.removeVersions(txn, out);
    for (int i = 0; i < execution.readKeys().length; i++) {
      KeyState key = execution.readKeys()[i];
      key.committedReads().add(execution.reads().get(i).version().writer(), txn.id);
      state.housekeeping.prunable(key, state.nowMicros);
    }
    state.rangeReads.committed(txn.id, execution);
    execution.release();
    votes.wakeDependents(txn, out);
  }

  void onFetch(ReplicaId from, Fetch fetch, Effects out) {
    TxnRecord txn = state.records.get(fetch.txn());
    ExecutionRecord execution = txn == null ? null : txn.latest;
    if (execution != null && execution.number() == fetch.execution().number()) {
      out.send(
          from,
          new FetchReply(
              fetch.execution(),
              execution.reads(),
              execution.ranges(),
              execution.writes(),
              execution.participants()));
    } else {
      refusals.tellsBehind(from, fetch.txn(), out);
    }
  }

  void onFetchReply(FetchReply reply, Effects out) {
    TxnRecord txn = state.records.get(reply.txn());
    int number = reply.execution().number();
    if (txn == null
        || txn.installed
        || !(txn.outcome instanceof Outcome.Commit(int committed, List<Integer> ignored))
        || committed != number) {
      return;
    }
    mark(txn.id, Branch.EXECUTION_FETCHED, out);
    txn.latest =
        state.executionRecord(
            number, reply.reads(), reply.ranges(), reply.writes(), reply.participants());
    installCommit(txn, txn.latest, out);
  }

  /** Asks again for committed executions that did not come. */
  void onTick(Effects out) {
    for (TxnRecord txn : state.housekeeping.missingExecution(state.nowMicros)) {
      if (txn.outcome instanceof Outcome.Commit(int execution, List<Integer> ignored)) {
        fetch(txn, execution, out);
      }
    }
  }

  private void fetch(TxnRecord txn, int execution, Effects out) {
    for (int i = 0; i < state.topology.replicas(); i++) {
      if (i != state.self.index()) {
        out.send(
            new ReplicaId(state.self.partition(), i),
            new Fetch(new ExecutionId(txn.id, execution)));
      }
    }
  }
}
