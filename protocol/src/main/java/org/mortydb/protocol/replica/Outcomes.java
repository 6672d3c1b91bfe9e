package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Fetch;
import org.mortydb.protocol.message.Message.FetchReply;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.NotHeld;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.recovery.Recoveries;

/**
 * Learns the outcomes of transactions, and installs each with the execution that it names
 * (docs/protocol.md, section 4). Fetches an execution that was not seen here from the peers.
 */
final class Outcomes {
  /** With more fetches than that, f peers that lack an execution are enough. */
  private static final int PATIENT_FETCHES = 3;

  /** A committed execution that this replica lacks, and who else does. */
  private static final class Lack {
    final BitSet peers = new BitSet();
    int fetches;
  }

  private final ReplicaState state;
  private final Refusals refusals;
  private final Visibility visibility;
  private final Votes votes;
  private final Recoveries recoveries;
  private final HashMap<TxnId, Lack> lacking = new HashMap<>();
  private long contradictions;

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

  /**
   * A coordinator announces the outcome. It may lie, so this replica takes from it only what the
   * replica can see for itself. Otherwise the announcement is a reason to ask the peers, and to
   * inquire.
   */
  void onClaim(Decide claim, Effects out) {
    TxnRecord txn = state.records.get(claim.txn());
    if (txn == null) {
      if (state.horizon.isTooOld(claim.txn()) || state.isAhead(claim.txn())) {
        return;
      }
    } else if (txn.isDecided() || isSeenHere(txn, claim.outcome())) {
      onDecide(claim, out);
      return;
    } else {
      txn.suspect();
      state.housekeeping.watch(txn, state.elapsedMicros);
    }
    if (claim.outcome() instanceof Outcome.Commit(int ignored, List<Integer> participants)
        && participants.contains(state.self.partition())) {
      sendToPeers(new Inquire(claim.txn()), out);
    }
  }

  /** Whether what this replica knows itself agrees with an outcome that the client announces. */
  private boolean isSeenHere(TxnRecord txn, Outcome outcome) {
    if (txn.isFenced()) {
      RecoverAnswer.Accepted accepted = txn.accepted();
      if (accepted != null && accepted.value().equals(outcome)) {
        return true;
      }
    }
    return switch (outcome) {
      case Outcome.Abort() -> !txn.isFenced();
      case Outcome.Commit(int number, List<Integer> participants) -> {
        ExecutionRecord latest = txn.latest();
        yield participants.contains(state.self.partition())
            ? latest != null
                && latest.number() == number
                && latest.participants().equals(participants)
            : !txn.isFenced();
      }
    };
  }

  /**
   * A replica announces the outcome, or this replica has seen for itself that it is likely. The
   * first announcement is final. Another outcome is ignored, and counted: a client has lied.
   */
  void onDecide(Decide decide, Effects out) {
    TxnRecord txn = state.records.get(decide.txn());
    if (txn == null) {
      boolean aborted = decide.outcome() instanceof Outcome.Abort;
      if (state.horizon.isTruncated(decide.txn()) || (aborted && state.isAhead(decide.txn()))) {
        return; // forgotten after it was decided, or never served here
      }
      txn = state.record(decide.txn());
    }
    if (txn.isDecided()) {
      compare(txn, decide.outcome());
      return;
    }
    out.append(new LogRecord.Decided(txn.id(), decide.outcome()));
    decide(txn, decide.outcome(), out);
    if (decide.outcome() instanceof Outcome.Commit(int number, List<Integer> ignored)
        && txn.misses(number)) {
      fetch(txn, number, out);
    }
  }

  /** Takes an outcome that is in the log, and installs it as far as the execution is known. */
  void decide(TxnRecord txn, Outcome outcome, Effects out) {
    learn(txn, outcome, out);
    switch (outcome) {
      case Outcome.Abort() -> clear(txn, out);
      case Outcome.Commit(int number, List<Integer> participants) -> {
        ExecutionRecord execution = txn.latest();
        if (!participants.contains(state.self.partition())) {
          clear(txn, out); // an earlier execution was here, the committed one was not
        } else if (execution != null && execution.number() == number) {
          installCommit(txn, execution, out);
        } else {
          txn.forgetExecution();
          state.housekeeping.awaitExecution(txn, state.elapsedMicros);
        }
      }
    }
  }

  /** Takes an outcome that is in the log, where copied versions hold all that the commit wrote. */
  void settle(TxnRecord txn, Outcome outcome, Effects out) {
    if (txn.isDecided()) {
      compare(txn, outcome);
    } else {
      learn(txn, outcome, out);
    }
    clear(txn, out);
  }

  private void compare(TxnRecord txn, Outcome heard) {
    if (!heard.equals(txn.outcome())) {
      contradictions++;
    }
  }

  /** How often this replica has heard what cannot be true of a transaction if nobody lies. */
  long contradictions() {
    return contradictions;
  }

  private void learn(TxnRecord txn, Outcome outcome, Effects out) {
    votes.uncount(txn);
    txn.decide(outcome);
    recoveries.decided(txn.id());
    if (out.probing()) {
      out.probe(new Probe.Installed(txn.id(), outcome));
    }
  }

  /** Removes all that the transaction has left uncommitted at this partition. */
  private void clear(TxnRecord txn, Effects out) {
    txn.clear();
    visibility.removeVersions(txn, out);
    votes.wakeDependents(txn, out);
    state.records.installed(txn);
  }

  /** Commits the writes, and counts the reads for good in what others are validated against. */
  void installCommit(TxnRecord txn, ExecutionRecord execution, Effects out) {
    txn.install(execution);
    if (txn.logExecution()) {
      out.append(execution.executed(txn.id()));
    }
    KeyState[] writeKeys = execution.writeKeys();
    for (int i = 0; i < writeKeys.length; i++) {
      Write write = execution.writes().get(i);
      visibility.installWrite(txn, writeKeys[i], write, out);
      if (state.maps.isRecord(write.key())) {
        state.maps.onRecord(write.key(), write.value(), state.horizon, out);
      }
    }
    visibility.removeVersions(txn, out);
    for (int i = 0; i < execution.readKeys().length; i++) {
      KeyState key = execution.readKeys()[i];
      key.committedReads()
          .add(execution.reads().get(i).version().writer(), execution.upTo(i, txn.id()));
      state.housekeeping.prunable(key, state.elapsedMicros);
    }
    state.rangeReads.commit(txn.id(), execution);
    execution.release();
    votes.wakeDependents(txn, out);
    state.records.installed(txn);
  }

  void onFetch(ReplicaId from, Fetch fetch, Effects out) {
    TxnRecord txn = state.records.get(fetch.txn());
    ExecutionRecord execution = txn == null ? null : txn.latest();
    if (execution != null && execution.number() == fetch.execution().number()) {
      out.send(
          from,
          new FetchReply(
              fetch.execution(),
              execution.reads(),
              execution.ranges(),
              execution.writes(),
              execution.participants()));
    } else if (!refusals.sendsBehind(from, fetch.txn(), out)
        && !state.lacksHistoryAbove(fetch.txn())) {
      // Below the end of a copy that a crash has cut off, executions may have been discarded.
      out.send(from, new NotHeld(fetch.execution()));
    }
  }

  /**
   * A peer does not hold an execution that this replica fetches. f+1 replicas hold a committed
   * execution (I2). If f peers do not, nor this replica, then the client has lied: no execution
   * with this number was prepared here, and nothing of it will ever be installed.
   */
  void onNotHeld(ReplicaId from, NotHeld reply, Effects out) {
    TxnRecord txn = state.records.get(reply.txn());
    Lack lack = lacking.get(reply.txn());
    if (txn == null
        || lack == null
        || from.partition() != state.self.partition()
        || !txn.misses(reply.execution().number())) {
      return;
    }
    lack.peers.set(from.index());
    int f = state.maps.f();
    int peers = lack.peers.cardinality();
    if (peers == 2 * f || (peers >= f && lack.fetches > PATIENT_FETCHES)) {
      contradictions++;
      lacking.remove(txn.id());
      Outcome outcome = txn.outcome();
      if (outcome != null) {
        out.append(new LogRecord.Settled(txn.id(), outcome));
      }
      clear(txn, out);
    }
  }

  void onFetchReply(FetchReply reply, Effects out) {
    TxnRecord txn = state.records.get(reply.txn());
    int number = reply.execution().number();
    if (txn == null || !txn.misses(number)) {
      return;
    }
    mark(txn.id(), Branch.EXECUTION_FETCHED, out);
    ExecutionRecord execution =
        state.executionRecord(
            number, reply.reads(), reply.ranges(), reply.writes(), reply.participants());
    installCommit(txn, execution, out);
  }

  /** Fetches again the committed executions that have not arrived. */
  void onTick(Effects out) {
    lacking.keySet().removeIf(this::isHere);
    for (TxnRecord txn : state.housekeeping.missingExecution(state.elapsedMicros)) {
      if (txn.outcome() instanceof Outcome.Commit(int execution, List<Integer> ignored)) {
        fetch(txn, execution, out);
      }
    }
  }

  private boolean isHere(TxnId id) {
    TxnRecord txn = state.records.get(id);
    return txn == null || txn.isInstalled();
  }

  private void fetch(TxnRecord txn, int execution, Effects out) {
    lacking.computeIfAbsent(txn.id(), id -> new Lack()).fetches++;
    sendToPeers(new Fetch(new ExecutionId(txn.id(), execution)), out);
  }

  private void sendToPeers(Message message, Effects out) {
    for (int i = 0; i < state.maps.replicas(); i++) {
      if (i != state.self.index()) {
        out.send(new ReplicaId(state.self.partition(), i), message);
      }
    }
  }
}
