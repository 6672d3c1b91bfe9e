package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;

/**
 * The votes of this replica (docs/protocol.md, section 3): it gives a vote on an execution or waits
 * for a dependency, counts the execution against others, and confirms or takes back the vote.
 */
final class Votes {
  private final ReplicaState state;
  private final Visibility visibility;
  private final Validator validator;
  private final Conditions conditions;

  /** Transactions whose wait has ended in this step, in the order in which it did. */
  private final ArrayDeque<TxnRecord> woken = new ArrayDeque<>();

  private boolean waking;

  Votes(ReplicaState state, Visibility visibility) {
    this.state = state;
    this.visibility = visibility;
    this.validator = new Validator(state);
    this.conditions = new Conditions(state);
  }

  /**
   * Considers an execution that a Prepare asks for: shows its writes to others, and votes on it or
   * leaves it waiting. Its transaction is undecided and not fenced.
   */
  void consider(TxnRecord txn, ExecutionRecord execution, Effects out) {
    moveOn(txn, execution.number(), out);
    txn.ask(execution);
    boolean news = visibility.showWriteSet(txn, execution, out);
    vote(txn, execution, out);
    if (news && !txn.isPrepared()) { // a vote to commit has pushed the writes, as settled ones
      for (KeyState key : execution.writeKeys()) {
        visibility.push(key, txn.id(), out);
      }
    }
  }

  /** Votes on the latest execution as the {@link Validator} finds, or leaves it waiting. */
  private void vote(TxnRecord txn, ExecutionRecord execution, Effects out) {
    Vote vote = validator.validate(txn, execution);
    if (execution.registers()) {
      register(txn, execution, vote, out);
      return;
    }
    if (vote == null) {
      await(txn, validator.undecided(), out);
      return;
    }
    txn.vote(vote);
    if (vote.isCommit()) {
      out.append(execution.prepared(txn.id(), vote.isOnCondition()));
      count(txn, execution, out);
      sendWritten(txn, execution, vote.isOnCondition(), out);
      state.holdUntilDurable(out);
    } else if (isByRegisteredRead(vote)) {
      state.registrations.holdUntilCovered(out);
    }
    send(txn, execution, vote, out);
    if (vote.isOnCondition()) {
      mark(txn.id(), Branch.VOTED_ON_CONDITION, out);
      await(txn, validator.undecided(), out);
    }
    if (vote.isCommit()) {
      wakeDependents(txn, out); // its versions have settled
    }
  }

  /** f+1 such votes are final, so none of them may be replaced by another after a restart. */
  private static boolean isByRegisteredRead(Vote vote) {
    return vote instanceof Vote.Abandon abandon && abandon.reason() == Vote.Reason.REGISTERED_READ;
  }

  /**
   * Votes on a read-only execution. If the vote is to commit, its reads are registered: from now on
   * writers are validated against them. The record has no use any more; whoever asks again gets
   * another vote.
   */
  private void register(
      TxnRecord txn, ExecutionRecord execution, @Nullable Vote vote, Effects out) {
    if (vote == null || (vote.isOnCondition() && state.rules.registersWhenDecided())) {
      await(txn, validator.undecided(), out); // such a vote is never on a condition
      return;
    }
    if (vote instanceof Vote.Abandon abandon) {
      txn.vote(vote);
      send(txn, execution, vote, out);
      suspectUnsettled(abandon.fresh());
      return;
    }
    state.registrations.cover(txn.id(), out);
    mark(txn.id(), Branch.REGISTERED, out);
    send(txn, execution, Vote.COMMIT, out);
    if (state.rules.registersReads()) {
      for (int i = 0; i < execution.readKeys().length; i++) {
        KeyState key = execution.readKeys()[i];
        key.registeredReads()
            .add(
                txn.id(),
                execution.number(),
                execution.reads().get(i).version().writer(),
                execution.upTo(i, txn.id()));
        state.housekeeping.prunable(key, state.elapsedMicros);
      }
      state.rangeReads.register(txn.id(), execution);
    }
    txn.registered();
    if (txn.isIdle()) {
      state.records.remove(txn);
    }
    state.registrations.raiseAhead(txn.id(), out);
  }

  /**
   * A registration was abandoned because of these versions, among others. The reader may never ask
   * this replica to vote on an execution that has read an unsettled one: others, which it asks
   * first, may know that the writer has aborted. So this replica inquires without a vote that
   * waits. Otherwise writes that nobody prepares could keep the reader going to and fro.
   */
  private void suspectUnsettled(List<VersionedValue> fresh) {
    for (int i = 0; i < fresh.size(); i++) {
      VersionedValue seen = fresh.get(i);
      TxnRecord writer = seen.settled() ? null : state.writerRecord(seen.version().writer());
      if (writer != null && !writer.isDecided()) {
        writer.suspect();
        state.housekeeping.watch(writer, state.elapsedMicros);
      }
    }
  }

  private static void send(TxnRecord txn, ExecutionRecord execution, Vote vote, Effects out) {
    ExecutionId id = new ExecutionId(txn.id(), execution.number());
    if (out.probing()) {
      out.probe(new Probe.Voted(id, vote));
    }
    Endpoint coordinator = txn.coordinator();
    if (coordinator != null) {
      out.send(coordinator, new PrepareReply(id, new PrepareAnswer.Voted(vote)));
    }
  }

  /**
   * Says that a vote to commit is written, ahead of the vote. Others count it for the answer to the
   * application alone, so that a restart that forgets it breaks nothing. But a recovery has to know
   * that this replica may have forgotten it: the log must have a bound above it before.
   */
  private void sendWritten(
      TxnRecord txn, ExecutionRecord execution, boolean onCondition, Effects out) {
    Endpoint coordinator = txn.coordinator();
    if (execution.isAsync()
        && coordinator != null
        && (!onCondition || !state.rules.writesWhenDecided())
        && state.writtenVotes.covers(txn.id(), out)) {
      out.holdUntilWritten();
      out.send(
          coordinator,
          new PrepareReply(
              new ExecutionId(txn.id(), execution.number()), new PrepareAnswer.Written()));
    }
  }

  private void await(TxnRecord txn, TxnRecord dependency, Effects out) {
    txn.await(dependency);
    state.housekeeping.watch(dependency, state.elapsedMicros);
    ExecutionRecord latest = txn.latest();
    if (out.probing() && latest != null) {
      out.probe(new Probe.Waiting(new ExecutionId(txn.id(), latest.number()), dependency.id()));
    }
  }

  /** Looks again at the votes that wait for this transaction: it is decided or has voted. */
  void wakeDependents(TxnRecord txn, Effects out) {
    if (!txn.hasDependents()) {
      return;
    }
    List<TxnRecord> dependents = txn.takeDependents();
    for (int i = 0; i < dependents.size(); i++) {
      if (dependents.get(i).stopWaiting(txn)) {
        woken.add(dependents.get(i));
      }
    }
    if (waking) {
      return; // one loop goes through a chain of any length
    }
    waking = true;
    for (TxnRecord next = woken.poll(); next != null; next = woken.poll()) {
      ExecutionRecord execution = next.latest();
      if (execution == null || next.isDecided()) {
        continue;
      }
      if (next.isOnCondition()) {
        decideCondition(next, execution, out);
      } else if (next.vote() == null && !next.isFenced()) {
        vote(next, execution, out);
      }
    }
    waking = false;
  }

  /** Looks at all conditional votes after a restart, when none of them waits yet. */
  void resume(Effects out) {
    for (TxnRecord txn : state.records.above(TxnId.INITIAL)) {
      ExecutionRecord latest = txn.latest();
      if (txn.isOnCondition() && latest != null) {
        decideCondition(txn, latest, out);
      }
    }
  }

  /**
   * Takes back the conditional votes that fail because of a writer in a span of transactions. To be
   * called before this replica forgets what it knows of them: a vote waits for one writer at a
   * time, and would not notice afterwards that another one has aborted.
   *
   * @param from where the span begins; not in it
   * @param upTo where the span ends; all up to there is decided
   */
  void takeBackFailed(TxnId from, TxnId upTo, Effects out) {
    if (state.onCondition.isEmpty()) {
      return;
    }
    for (TxnRecord txn : List.copyOf(state.onCondition)) {
      ExecutionRecord latest = txn.latest();
      if (latest != null
          && latest.hasReadWithin(from, upTo)
          && conditions.of(txn, latest) == Conditions.Verdict.FAILS) {
        failCondition(txn, latest, out);
      }
    }
  }

  /**
   * Takes back the conditional votes that fail because of writers that are undecided here, but that
   * a peer has forgotten: this replica has just copied all that they can have written. To be called
   * before it drops these writers, whose versions tell whether a value was read or a deletion.
   *
   * @param complete everything at or below it that committed is installed here
   */
  void takeBackLost(TxnId complete, Effects out) {
    for (TxnRecord txn : List.copyOf(state.onCondition)) {
      ExecutionRecord latest = txn.latest();
      if (latest != null
          && txn.id().isAfter(complete)
          && conditions.of(txn, latest, complete) == Conditions.Verdict.FAILS) {
        failCondition(txn, latest, out);
      }
    }
  }

  /**
   * Looks again at the conditional votes that wait for nobody, because nothing here could decide
   * them. To be called when this replica has reached a watermark: it may know more now.
   */
  void lookAgain(Effects out) {
    for (TxnRecord txn : List.copyOf(state.onCondition)) {
      ExecutionRecord latest = txn.latest();
      if (latest != null && !txn.isWaiting()) {
        decideCondition(txn, latest, out);
      }
    }
  }

  /** Confirms a conditional vote or takes it back, if its condition is decided. */
  private void decideCondition(TxnRecord txn, ExecutionRecord execution, Effects out) {
    switch (conditions.of(txn, execution)) {
      case OPEN -> await(txn, conditions.undecided(), out);
      case UNKNOWN -> {}
      case HOLDS -> {
        mark(txn.id(), Branch.CONDITION_HELD, out);
        state.onCondition.remove(txn);
        txn.confirm();
        if (!txn.isFenced()) {
          sendWritten(txn, execution, false, out);
        }
        sendDecided(txn, execution, Vote.COMMIT, out);
      }
      case FAILS -> failCondition(txn, execution, out);
    }
  }

  /** Takes back a conditional vote; {@link #conditions} has just found that it fails. */
  private void failCondition(TxnRecord txn, ExecutionRecord execution, Effects out) {
    mark(txn.id(), Branch.CONDITION_FAILED, out);
    Vote.Abandon dirty = new Vote.Abandon(true, Vote.Reason.DIRTY_READ, conditions.fresh());
    out.append(new LogRecord.Dropped(txn.id(), next(execution.number())));
    uncount(txn);
    txn.takeBack(dirty);
    sendDecided(txn, execution, dirty, out);
  }

  /** Answers the coordinator, or the recovery that has fenced it, once a condition is decided. */
  private void sendDecided(TxnRecord txn, ExecutionRecord execution, Vote vote, Effects out) {
    state.holdUntilDurable(out);
    ReplicaId promisee = txn.takePromisee();
    if (!txn.isFenced()) {
      send(txn, execution, vote, out);
    } else if (promisee != null) {
      RecoverAnswer promise = Acceptor.promise(txn, state.writtenVotes);
      out.send(promisee, new RecoverReply(txn.id(), txn.promised(), promise));
    }
  }

  /** The vote to commit stands: from now on others are validated against the execution (rule 7). */
  void count(TxnRecord txn, ExecutionRecord execution, Effects out) {
    if (txn.isOnCondition()) {
      state.onCondition.add(txn);
    }
    for (int i = 0; i < execution.readKeys().length; i++) {
      execution.readKeys()[i].addPreparedRead(
          txn, execution.reads().get(i).version().writer(), execution.upTo(i, txn.id()));
    }
    state.rangeReads.prepare(txn.id(), execution);
    for (KeyState key : execution.writeKeys()) {
      Version version = key.versions().find(txn.id());
      // A restored log can be older than the checkpoint below it, which has the commit already.
      if (version != null && !version.isCommitted()) {
        version.prepare();
        visibility.push(key, txn.id(), out);
      }
    }
    state.housekeeping.watch(txn, state.elapsedMicros);
  }

  /**
   * An execution exists. Any message of a higher execution proves that the coordinator gave the
   * lower one up and never proposes it, so this replica takes its vote on the lower one back.
   */
  void moveOn(TxnRecord txn, int execution, Effects out) {
    if (!txn.raiseExecution(execution)) {
      return;
    }
    ExecutionRecord latest = txn.latest();
    if (latest != null && latest.number() < execution) {
      if (txn.isPrepared()) {
        out.append(new LogRecord.Dropped(txn.id(), execution));
      }
      uncount(txn);
      txn.takeBack(new Vote.Abandon(false, Vote.Reason.DROPPED, List.of()));
    }
  }

  /** The number of the next execution; the highest one has no other. */
  static int next(int execution) {
    return Math.min(execution + 1, Limits.MAX_NUMBER);
  }

  /** The vote stands no more, or the transaction is decided: the opposite of {@link #count}. */
  void uncount(TxnRecord txn) {
    ExecutionRecord execution = txn.latest();
    if (execution == null || !txn.isPrepared()) {
      return;
    }
    if (txn.isOnCondition()) {
      state.onCondition.remove(txn);
    }
    for (KeyState key : execution.readKeys()) {
      key.removePreparedRead(txn);
    }
    state.rangeReads.unprepare(txn.id(), execution);
    for (KeyState key : execution.writeKeys()) {
      Version version = key.versions().find(txn.id());
      if (version != null && !version.isCommitted()) {
        version.unprepare();
      }
    }
  }
}
