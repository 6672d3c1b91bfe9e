package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.ArrayDeque;
import java.util.List;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Vote;

/** The votes of this replica: given, counted against those of others, taken back (section 3). */
final class Votes {
  private final ReplicaState state;
  private final Visibility visibility;
  private final Validator validator;
  private final Conditions conditions;

  /** Those whose waiting has ended in the step under way, in the order in which it did. */
  private final ArrayDeque<TxnRecord> woken = new ArrayDeque<>();

  private boolean waking;

  Votes(ReplicaState state, Visibility visibility) {
    this.state = state;
    this.visibility = visibility;
    this.validator = new Validator(state);
    this.conditions = new Conditions(state);
  }

  /** Votes on the latest execution, or leaves it waiting for a dependency. */
  void vote(TxnRecord txn, ExecutionRecord execution, Effects out) {
    txn.waitingFor = null;
    if (txn.isFenced()) {
      return; // the coordinator's view ended while the vote was waiting
    }
    Vote vote = validator.validate(txn, execution);
    if (vote == null) {
      await(txn, validator.undecided(), out);
      return;
    }
    if (vote.isCommit()) {
      txn.loggedExecution = execution.number();
      out.append(execution.prepared(txn.id, vote.isOnCondition()));
      prepared(txn, execution, vote, out);
      state.holdUntilDurable(out);
    } else {
      txn.vote = vote;
    }
    tell(txn, execution, vote, out);
    if (vote.isOnCondition()) {
      mark(txn.id, Branch.VOTED_ON_CONDITION, out);
      await(txn, validator.undecided(), out);
    }
    if (vote.isCommit()) {
      wakeDependents(txn, out); // what waited for this to settle
    }
  }

  private static void tell(TxnRecord txn, ExecutionRecord execution, Vote vote, Effects out) {
    ExecutionId id = new ExecutionId(txn.id, execution.number());
    if (out.probing()) {
      out.probe(new Probe.Voted(id, vote));
    }
    if (txn.coordinator != null) {
      out.send(txn.coordinator, new PrepareReply(id, new PrepareAnswer.Voted(vote)));
    }
  }

  private void await(TxnRecord txn, TxnRecord dependency, Effects out) {
    txn.waitingFor = dependency;
    dependency.addDependent(txn);
    state.housekeeping.watch(dependency, state.nowMicros);
    if (out.probing() && txn.latest != null) {
      out.probe(new Probe.Waiting(new ExecutionId(txn.id, txn.latest.number()), dependency.id));
    }
  }

  /** Looks again at what waited for this transaction, which has settled or been decided. */
  void wakeDependents(TxnRecord txn, Effects out) {
    if (!txn.hasDependents()) {
      return;
    }
    List<TxnRecord> dependents = txn.takeDependents();
    for (int i = 0; i < dependents.size(); i++) {
      if (dependents.get(i).waitingFor == txn) {
        dependents.get(i).waitingFor = null;
        woken.add(dependents.get(i));
      }
    }
    if (waking) {
      return; // a chain of any length is gone through in one loop
    }
    waking = true;
    for (TxnRecord next = woken.poll(); next != null; next = woken.poll()) {
      ExecutionRecord execution = next.latest;
      if (execution == null || next.isDecided()) {
        continue;
      }
      if (next.isOnCondition()) {
        decideCondition(next, execution, out);
      } else if (next.vote == null) {
        vote(next, execution, out);
      }
    }
    waking = false;
  }

  /**
   * Looks at the conditions of all votes, whose transactions wait for nothing as yet: after a
   * restart.
   */
  void resume(Effects out) {
    for (TxnRecord txn : state.records.above(TxnId.INITIAL)) {
      if (txn.isOnCondition() && txn.latest != null) {
        decideCondition(txn, txn.latest, out);
      }
    }
  }

  /** Confirms or takes back a vote on condition, if that is decided. */
  private void decideCondition(TxnRecord txn, ExecutionRecord execution, Effects out) {
    switch (conditions.of(txn, execution)) {
      case OPEN -> {
        await(txn, conditions.undecided(), out);
        return;
      }
      case UNKNOWN -> {
        return;
      }
      case HOLDS -> {
        mark(txn.id, Branch.CONDITION_HELD, out);
        txn.vote = Vote.COMMIT;
      }
      case FAILS -> {
        mark(txn.id, Branch.CONDITION_FAILED, out);
        out.append(new LogRecord.Dropped(txn.id, execution.number() + 1));
        unprepare(txn);
        txn.vote = new Vote.Abandon(true, Vote.Reason.DIRTY_READ, conditions.fresh());
      }
    }
    state.holdUntilDurable(out);
    TxnRecord.Promisee promisee = txn.promisee;
    txn.promisee = null;
    if (!txn.isFenced() && txn.vote != null) {
      tell(txn, execution, txn.vote, out);
    } else if (promisee != null && promisee.view().equals(txn.promised)) {
      RecoverAnswer promise = Acceptor.promise(txn);
      out.send(promisee.from(), new RecoverReply(txn.id, promisee.view(), promise));
    }
  }

  /** From now on the execution counts in what others are validated against. */
  void prepared(TxnRecord txn, ExecutionRecord execution, Vote vote, Effects out) {
    txn.vote = vote;
    for (int i = 0; i < execution.readKeys().length; i++) {
      execution.readKeys()[i].addPreparedRead(txn, execution.reads().get(i).version().writer());
    }
    state.rangeReads.prepared(txn.id, execution);
    for (KeyState key : execution.writeKeys()) {
      Version version = key.versions.find(txn.id);
      // A restored log can be older than the checkpoint below it, which has the commit already.
      if (version != null && !version.isCommitted()) {
        version.status(Version.Status.PREPARED);
        visibility.tellSubscribers(key, txn.id, out);
      }
    }
    state.housekeeping.watch(txn, state.nowMicros);
  }

  /**
   * Notes that {@code execution} exists. Any message of a higher execution proves that the
   * coordinator gave the lower one up and will never propose it, so a vote on it is taken back.
   */
  void moveOn(TxnRecord txn, int execution, Effects out) {
    if (execution <= txn.execution) {
      return;
    }
    txn.execution = execution;
    if (txn.latest != null && txn.latest.number() < execution) {
      if (txn.isPrepared()) {
        out.append(new LogRecord.Dropped(txn.id, execution));
      }
      unprepare(txn);
      txn.waitingFor = null;
      txn.vote = new Vote.Abandon(false, Vote.Reason.DROPPED, List.of());
    }
  }

  /** Takes the standing vote's reads and writes out of what others are validated against. */
  void unprepare(TxnRecord txn) {
    ExecutionRecord execution = txn.latest;
    if (execution == null || txn.vote == null || !txn.vote.isCommit()) {
      return;
    }
    for (KeyState key : execution.readKeys()) {
      key.removePreparedRead(txn);
    }
    state.rangeReads.unprepare(txn.id, execution);
    for (KeyState key : execution.writeKeys()) {
      Version version = key.versions.find(txn.id);
      if (version != null && !version.isCommitted()) {
        version.status(Version.Status.EXECUTED);
      }
    }
  }
}
