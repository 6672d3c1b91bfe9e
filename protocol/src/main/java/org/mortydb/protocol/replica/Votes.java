package org.mortydb.protocol.replica;

import java.util.List;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Vote;

/** The votes of this replica: given, counted against those of others, taken back (section 3). */
final class Votes {
  private final ReplicaState state;
  private final Visibility visibility;
  private final Validator validator;

  Votes(ReplicaState state, Visibility visibility) {
    this.state = state;
    this.visibility = visibility;
    this.validator = new Validator(state);
  }

  /** Votes on the latest execution, or leaves it waiting for a dependency. */
  void vote(TxnRecord txn, ExecutionRecord execution, Effects out) {
    txn.waitingFor = null;
    if (txn.isFenced()) {
      return; // the coordinator's view ended while the vote was waiting
    }
    Vote vote = validator.validate(txn, execution);
    ExecutionId id = new ExecutionId(txn.id, execution.number());
    if (vote == null) {
      TxnRecord dependency = validator.undecided();
      txn.waitingFor = dependency;
      dependency.addDependent(txn);
      state.housekeeping.watch(dependency, state.nowMicros);
      if (out.probing()) {
        out.probe(new Probe.Waiting(id, dependency.id));
      }
      return;
    }
    if (vote.isCommit()) {
      txn.loggedExecution = execution.number();
      out.append(execution.prepared(txn.id));
      prepared(txn, execution, out);
      state.holdUntilDurable(out);
    } else {
      txn.vote = vote;
    }
    if (out.probing()) {
      out.probe(new Probe.Voted(id, vote));
    }
    if (txn.coordinator != null) {
      out.send(txn.coordinator, new PrepareReply(id, new PrepareAnswer.Voted(vote)));
    }
  }

  /** From now on the execution counts in what others are validated against. */
  void prepared(TxnRecord txn, ExecutionRecord execution, Effects out) {
    txn.vote = Vote.COMMIT;
    for (int i = 0; i < execution.readKeys().length; i++) {
      execution.readKeys()[i].addPreparedRead(txn, execution.reads().get(i).version().writer());
    }
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
    for (KeyState key : execution.writeKeys()) {
      Version version = key.versions.find(txn.id);
      if (version != null && !version.isCommitted()) {
        version.status(Version.Status.EXECUTED);
      }
    }
  }
}
