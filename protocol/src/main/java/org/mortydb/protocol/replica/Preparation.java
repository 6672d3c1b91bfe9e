package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.Drop;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Vote;

/**
 * The first phase of the commit protocol (docs/protocol.md, section 3): Prepare, which asks for a
 * vote, and Drop, which gives an execution up.
 *
 * <p>A Prepare is answered by rule 1 or 2, which are here, or by a vote: {@link Votes#consider}.
 */
final class Preparation {
  private final ReplicaState state;
  private final Refusals refusals;
  private final Votes votes;
  private final Outcomes outcomes;

  Preparation(ReplicaState state, Refusals refusals, Votes votes, Outcomes outcomes) {
    this.state = state;
    this.refusals = refusals;
    this.votes = votes;
    this.outcomes = outcomes;
  }

  void onPrepare(Endpoint from, Prepare prepare, Effects out) {
    if (refusals.refusesSets(from, prepare, out)) {
      return;
    }
    TxnRecord txn = state.records.get(prepare.txn());
    PrepareAnswer answer = tooOldOrAhead(txn, prepare.txn(), out);
    if (answer == null && txn != null) {
      txn.heardFrom(from);
      if (isWaiting(txn, prepare.execution().number())) {
        return; // sent again: the vote follows when the wait ends
      }
      answer = known(txn, prepare, out);
    }
    if (answer != null) {
      out.send(from, new PrepareReply(prepare.execution(), answer));
    } else {
      TxnRecord open = txn == null ? state.record(prepare.txn()) : txn;
      open.heardFrom(from);
      votes.consider(open, state.executionRecord(prepare), out);
    }
  }

  /**
   * Rule 2: a transaction may be below the fence or too far ahead of the clock; otherwise null. The
   * clock comes before rule 1, so that a clock that was set back refuses known transactions, too.
   * The {@link Validator} applies the fence to known transactions.
   */
  private @Nullable PrepareAnswer tooOldOrAhead(@Nullable TxnRecord txn, TxnId id, Effects out) {
    if (txn == null && state.horizon.isTooOld(id)) {
      mark(id, Branch.TRUNCATED_REFUSED, out);
      return new PrepareAnswer.Voted(new Vote.Abandon(false, Vote.Reason.TRUNCATED, List.of()));
    }
    if (state.isAhead(id)) {
      mark(id, Branch.CLOCK_REFUSED, out);
      return new PrepareAnswer.Voted(new Vote.Abandon(false, Vote.Reason.CLOCK_AHEAD, List.of()));
    }
    return null;
  }

  private static boolean isWaiting(TxnRecord txn, int number) {
    return txn.isLatest(number) && txn.vote() == null && !txn.isFenced() && !txn.isDecided();
  }

  /** Rule 1: what this replica knows of the transaction may answer the Prepare; otherwise null. */
  private @Nullable PrepareAnswer known(TxnRecord txn, Prepare prepare, Effects out) {
    int number = prepare.execution().number();
    Vote given = txn.vote();
    if (txn.outcome() != null) {
      mark(txn.id(), Branch.STALE_PREPARE_AFTER_DECISION, out);
      if (txn.misses(number)) {
        outcomes.installCommit(txn, state.executionRecord(prepare), out);
      }
      return new PrepareAnswer.Decided(txn.outcome());
    }
    if (txn.isLatest(number) && given != null) {
      state.holdUntilDurable(out);
      return new PrepareAnswer.Voted(given); // sent again: one vote for each execution
    }
    if (txn.isFenced()) {
      mark(txn.id(), Branch.FENCED, out);
      return new PrepareAnswer.Fenced(txn.promised());
    }
    if (number < txn.execution() && state.rules.supersedes()) {
      mark(txn.id(), Branch.SUPERSEDED_PREPARE, out);
      return new PrepareAnswer.Superseded(txn.execution());
    }
    return null;
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
    if (txn.isDecided() || txn.isFenced() || number < txn.execution()) {
      return;
    }
    ExecutionRecord latest = txn.latest();
    if (latest == null || latest.number() < number) {
      mark(txn.id(), Branch.DROPPED_BEFORE_PREPARE, out);
    }
    votes.moveOn(txn, Votes.next(number), out);
  }
}
