package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.List;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message.Finalize;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.recovery.Recoveries;

/**
 * This replica as an acceptor of outcomes: it promises views to recoveries, and accepts outcomes
 * that coordinators propose in them (docs/protocol.md, sections 4 and 5).
 */
final class Acceptor {
  private final ReplicaState state;
  private final Refusals refusals;
  private final Recoveries recoveries;

  Acceptor(ReplicaState state, Refusals refusals, Recoveries recoveries) {
    this.state = state;
    this.refusals = refusals;
    this.recoveries = recoveries;
  }

  void onFinalize(Endpoint from, Finalize finalize, Effects out) {
    TxnRecord txn = state.records.get(finalize.txn());
    if (txn == null) {
      if (answersWithoutRecord(from, finalize, out)) {
        return;
      }
      txn = state.record(finalize.txn());
    }
    if (txn.coordinator() == null && from instanceof ClientId) {
      txn.heardFrom(from);
    }
    FinalizeAnswer answer;
    if (txn.outcome() != null) {
      answer = new FinalizeAnswer.Decided(txn.outcome());
    } else if (txn.promised().isAbove(finalize.view())) {
      mark(txn.id(), Branch.FENCED, out);
      answer = new FinalizeAnswer.Fenced(txn.promised());
    } else {
      if (txn.accept(finalize.view(), finalize.value())) {
        out.append(new LogRecord.Accepted(txn.id(), finalize.view(), finalize.value()));
        promised(txn, finalize.view(), out);
      }
      state.holdUntilDurable(out);
      answer = new FinalizeAnswer.Accepted();
    }
    out.send(from, new FinalizeReply(txn.id(), finalize.view(), answer));
  }

  /** Answers a proposal about a transaction that must not get a record; false if it may get one. */
  private boolean answersWithoutRecord(Endpoint from, Finalize finalize, Effects out) {
    if (state.horizon.isTruncated(finalize.txn())) {
      if (state.isForgottenAbort(finalize.txn(), out)) {
        FinalizeAnswer aborted = new FinalizeAnswer.Decided(Outcome.ABORT);
        out.send(from, new FinalizeReply(finalize.txn(), finalize.view(), aborted));
      } else if (!refusals.sendsBehind(from, finalize.txn(), out)) {
        refusals.refuse(from, finalize.txn(), Refusal.TRUNCATED, out);
      }
      return true;
    }
    // An abort is accepted whatever the clocks say: a client that is ahead must be able to end.
    if (state.isAhead(finalize.txn()) && finalize.value() instanceof Outcome.Commit) {
      refusals.refuse(from, finalize.txn(), Refusal.CLOCK_AHEAD, out);
      return true;
    }
    if (state.hasTooManyAhead(finalize.txn())) {
      refusals.refuse(from, finalize.txn(), Refusal.CLOCK_AHEAD, out);
      return true;
    }
    return false;
  }

  /** Promises the view of a recovery, whether or not the transaction is known here. */
  void onRecover(ReplicaId from, Recover recover, Effects out) {
    TxnRecord txn = state.records.get(recover.txn());
    if (txn == null) {
      // Ahead of the clock, too: a replica whose clock was ahead may have voted, and waits.
      if (state.hasTooManyAhead(recover.txn())) {
        return;
      }
      if (state.horizon.isTruncated(recover.txn())) {
        onRecoverForgotten(from, recover, out);
        return;
      }
      txn = state.record(recover.txn());
    }
    RecoverAnswer answer;
    if (txn.outcome() != null) {
      answer = new RecoverAnswer.Decided(txn.outcome());
    } else if (txn.promised().isAbove(recover.view())) {
      answer = new RecoverAnswer.Fenced(txn.promised());
    } else {
      if (txn.promise(recover.view())) {
        out.append(new LogRecord.Promised(txn.id(), recover.view()));
        promised(txn, recover.view(), out);
      }
      if (txn.isOnCondition() && txn.accepted() == null && state.rules.promisesWhenDecided()) {
        // The coordinator may know already that the condition holds, and count the vote.
        mark(txn.id(), Branch.PROMISE_AWAITS_CONDITION, out);
        txn.oweAnswer(from);
        return;
      }
      state.holdUntilDurable(out);
      answer = promise(txn, state.writtenVotes);
      if (answer instanceof RecoverAnswer.Promised promised && promised.vague()) {
        mark(txn.id(), Branch.PROMISE_VAGUE, out);
      }
    }
    out.send(from, new RecoverReply(txn.id(), recover.view(), answer));
  }

  private void promised(TxnRecord txn, View view, Effects out) {
    state.housekeeping.watch(txn, state.elapsedMicros);
    recoveries.promised(txn.id(), view, txn.hinders(), state.elapsedMicros, out);
  }

  private void onRecoverForgotten(ReplicaId from, Recover recover, Effects out) {
    RecoverAnswer answer;
    if (state.isForgottenAbort(recover.txn(), out)) {
      answer = new RecoverAnswer.Decided(Outcome.ABORT);
    } else if (state.horizon.neverCommittedHere(recover.txn())
        && recover.txn().home() != state.self.partition()) {
      // Below the watermark there is no vote and never will be: this promise needs no record. But
      // it rests on that of the watermark, without which a restart would begin below it again.
      state.holdUntilDurable(out);
      answer = new RecoverAnswer.Promised(null, RecoverAnswer.NO_EXECUTION, false, List.of());
    } else {
      refusals.sendsBehind(from, recover.txn(), out);
      return;
    }
    out.send(from, new RecoverReply(recover.txn(), recover.view(), answer));
  }

  /** The promise of a view, with all that the recovery has to know. */
  static RecoverAnswer promise(TxnRecord txn, WrittenVotes writtenVotes) {
    RecoverAnswer.Accepted accepted = txn.accepted();
    ExecutionRecord latest = txn.latest();
    boolean voted =
        latest != null && txn.isPrepared() && (accepted == null || !txn.isOnCondition());
    boolean vague = accepted == null && writtenVotes.mayHaveForgotten(txn.id());
    return latest == null
        ? new RecoverAnswer.Promised(accepted, RecoverAnswer.NO_EXECUTION, false, List.of(), vague)
        : new RecoverAnswer.Promised(
            accepted, latest.number(), voted, latest.participants(), vague);
  }
}
