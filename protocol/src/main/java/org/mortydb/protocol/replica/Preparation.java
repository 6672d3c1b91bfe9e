package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.Drop;
import org.mortydb.protocol.message.Message.FromClient;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.Register;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Vote;

/**
 * The first phase of the commit protocol (docs/protocol.md, section 3): Prepare, which asks for a
 * vote, Register, which asks for one on a read-only execution, and Drop, which gives an execution
 * up.
 *
 * <p>A Prepare or Register is answered by rule 1 or 2, which are here, or by a vote: {@link
 * Votes#consider}.
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
    if (!refusals.refusesSets(from, prepare, out)
        && !isAnswered(from, prepare, prepare.execution(), out)) {
      consider(from, prepare.txn(), state.executionRecord(prepare), out);
    }
  }

  /** Asks for a vote on a read-only execution, and for the registration of its reads. */
  void onRegister(Endpoint from, Register register, Effects out) {
    if (!refusals.refusesReads(from, register, out)
        && !isAnswered(from, register, register.execution(), out)) {
      consider(from, register.txn(), state.executionRecord(register), out);
    }
  }

  private void consider(Endpoint from, TxnId id, ExecutionRecord execution, Effects out) {
    TxnRecord txn = state.record(id);
    txn.heardFrom(from);
    votes.consider(txn, execution, out);
  }

  /** Whether rule 1 or 2 has answered a request, or the vote that it asks for will follow. */
  private boolean isAnswered(
      Endpoint from, FromClient request, ExecutionId execution, Effects out) {
    TxnRecord txn = state.records.get(execution.txn());
    PrepareAnswer answer = tooOldOrAhead(txn, execution.txn(), out);
    if (answer == null && txn != null) {
      txn.heardFrom(from);
      if (isWaiting(txn, execution.number())) {
        return true; // sent again: the vote follows when the wait ends
      }
      answer = known(txn, request, execution.number(), out);
    }
    if (answer != null) {
      out.send(from, new PrepareReply(execution, answer));
    }
    return answer != null;
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

  /** Rule 1: what this replica knows of the transaction may answer the request; otherwise null. */
  private @Nullable PrepareAnswer known(
      TxnRecord txn, FromClient request, int number, Effects out) {
    Vote given = txn.vote();
    if (txn.outcome() != null) {
      mark(txn.id(), Branch.STALE_PREPARE_AFTER_DECISION, out);
      if (txn.misses(number) && request instanceof Prepare prepare) {
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
    takeBackReads(drop, out);
    TxnRecord txn = state.records.get(drop.txn());
    if (txn == null) {
      if (!drop.keys().isEmpty()
          || state.horizon.isTooOld(drop.txn())
          || state.isAhead(drop.txn())) {
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

  /**
   * Takes back the registered reads of an execution that its coordinator has given up. A key at
   * rest has none that can be taken back.
   */
  private void takeBackReads(Drop drop, Effects out) {
    ExecutionId execution = drop.execution();
    state.rangeReads.takeBack(execution);
    List<Key> keys = drop.keys();
    if (!keys.isEmpty()) {
      mark(drop.txn(), Branch.READS_TAKEN_BACK, out);
    }
    for (int i = 0; i < keys.size(); i++) {
      KeyState key = state.keys.awake(keys.get(i));
      if (key != null) {
        key.takeBackRegistered(execution.txn(), execution.number());
      }
    }
  }
}
