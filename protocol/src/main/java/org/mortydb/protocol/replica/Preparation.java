package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.List;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.Drop;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Vote;

/** The first phase of the commit protocol: Prepare, and Drop, which takes it back (section 3). */
final class Preparation {
  private final ReplicaState state;
  private final Refusals refusals;
  private final Visibility visibility;
  private final Votes votes;
  private final Outcomes outcomes;

  Preparation(
      ReplicaState state,
      Refusals refusals,
      Visibility visibility,
      Votes votes,
      Outcomes outcomes) {
    this.state = state;
    this.refusals = refusals;
    this.visibility = visibility;
    this.votes = votes;
    this.outcomes = outcomes;
  }

  void onPrepare(Endpoint from, Prepare prepare, Effects out) {
    TxnId id = prepare.txn();
    TxnRecord known = state.records.get(id);
    if (known == null && state.horizon.isTooOld(id)) {
      mark(id, Branch.TRUNCATED_REFUSED, out);
      Vote truncated = new Vote.Abandon(false, Vote.Reason.TRUNCATED, List.of());
      reply(from, prepare.execution(), new PrepareAnswer.Voted(truncated), out);
      return;
    }
    if (state.isAhead(id)) {
      mark(id, Branch.CLOCK_REFUSED, out);
      Vote ahead = new Vote.Abandon(false, Vote.Reason.CLOCK_AHEAD, List.of());
      reply(from, prepare.execution(), new PrepareAnswer.Voted(ahead), out);
      return;
    }
    if (refusals.refusesSets(from, prepare, out)) {
      return;
    }
    TxnRecord txn = known == null ? state.record(id) : known;
    txn.coordinator = from;
    int number = prepare.execution().number();
    if (txn.outcome != null) {
      mark(id, Branch.STALE_PREPARE_AFTER_DECISION, out);
      if (!txn.installed
          && txn.outcome instanceof Outcome.Commit(int committed, List<Integer> ignored)
          && committed == number) {
        txn.latest = executionRecord(prepare);
        outcomes.installCommit(txn, txn.latest, out);
      }
      reply(from, prepare.execution(), new PrepareAnswer.Decided(txn.outcome), out);
      return;
    }
    boolean repeated = txn.latest != null && txn.latest.number() == number;
    if (repeated && (txn.vote != null || !txn.isFenced())) {
      if (txn.vote != null) { // sent again: one vote for each execution
        state.holdUntilDurable(out);
        reply(from, prepare.execution(), new PrepareAnswer.Voted(txn.vote), out);
      }
      return;
    }
    if (txn.isFenced()) {
      mark(id, Branch.FENCED, out);
      reply(from, prepare.execution(), new PrepareAnswer.Fenced(txn.promised), out);
      return;
    }
    if (number < txn.execution && state.rules.supersedes()) {
      mark(id, Branch.SUPERSEDED_PREPARE, out);
      reply(from, prepare.execution(), new PrepareAnswer.Superseded(txn.execution), out);
      return;
    }
    votes.moveOn(txn, number, out);
    ExecutionRecord execution = executionRecord(prepare);
    txn.forgetExecution();
    txn.latest = execution;
    txn.vote = null;
    boolean news = visibility.showWriteSet(txn, execution, out);
    votes.vote(txn, execution, out);
    if (news && !txn.isPrepared()) {
      // A vote to commit has told of it already, as settled.
      for (KeyState key : execution.writeKeys()) {
        visibility.tellSubscribers(key, txn.id, out);
      }
    }
  }

  private ExecutionRecord executionRecord(Prepare prepare) {
    return state.executionRecord(
        prepare.execution().number(),
        prepare.reads(),
        prepare.ranges(),
        prepare.writes(),
        prepare.participants());
  }

  void onDrop(Drop drop, Effects out) {
    TxnRecord txn = state.records.get(drop.txn());
    if (txn == null) {
      if (state.horizon.isTooOld(drop.txn()) || state.isAhead(drop.txn())) {
        return;
      }
      txn = state.record(drop.txn());
    }
    int number = drop.execution().number();
    if (txn.isDecided() || txn.isFenced() || number < txn.execution) {
      return;
    }
    if (txn.latest == null || txn.latest.number() < number) {
      mark(txn.id, Branch.DROPPED_BEFORE_PREPARE, out);
    }
    votes.moveOn(txn, number + 1, out);
  }

  private static void reply(Endpoint to, ExecutionId execution, PrepareAnswer answer, Effects out) {
    out.send(to, new PrepareReply(execution, answer));
  }
}
