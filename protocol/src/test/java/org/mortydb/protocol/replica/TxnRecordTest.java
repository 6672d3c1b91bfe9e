package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mortydb.protocol.testing.Make.client;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.value;

import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.RecoverAnswer.Accepted;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** Each transition of a record: what it changes, and when it is refused as a broken invariant. */
class TxnRecordTest {
  private static final View ONE = new View(1, 7);
  private static final View TWO = new View(2, 7);
  private static final Vote.Abandon DROPPED =
      new Vote.Abandon(false, Vote.Reason.DROPPED, List.of());

  private final KeyState a = new KeyState(key("a"));
  private final TxnRecord twenty = new TxnRecord(txn(20));
  private final TxnRecord thirty = new TxnRecord(txn(30));

  private static void assertRefused(ThrowingCallable transition, String why) {
    assertThatThrownBy(transition)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("broken invariant: ")
        .hasMessageContaining(why);
  }

  /** An execution that reads and writes one key. */
  private ExecutionRecord execution(int number) {
    return new ExecutionRecord(
        number,
        List.of(new Read(a.key(), WriteId.INITIAL)),
        List.of(),
        List.of(new Write(a.key(), 1, value("x"))),
        List.of(0),
        false,
        false,
        -1,
        new KeyState[] {a},
        new KeyState[] {a});
  }

  private ExecutionRecord ask(int number) {
    ExecutionRecord execution = execution(number);
    thirty.raiseExecution(number);
    thirty.ask(execution);
    return execution;
  }

  private List<LogRecord> copied() {
    List<LogRecord> copied = new ArrayList<>();
    thirty.copy(TxnId.INITIAL, copied::add);
    return copied;
  }

  // ---- coordinator --------------------------------------------------------------------------

  @Test
  void aCoordinatorIsKnownUntilTheDecision() {
    thirty.heardFrom(client(30));
    assertThat(thirty.coordinator()).isEqualTo(client(30));
    thirty.decide(Outcome.ABORT);
    assertThat(thirty.coordinator()).isNull();
    thirty.heardFrom(client(30));
    assertThat(thirty.coordinator()).isNull();
  }

  // ---- executions ---------------------------------------------------------------------------

  @Test
  void executionsOnlyRise() {
    assertThat(thirty.execution()).isEqualTo(-1);
    assertThat(thirty.raiseExecution(2)).isTrue();
    assertThat(thirty.raiseExecution(2)).isFalse();
    assertThat(thirty.raiseExecution(1)).isFalse();
    assertThat(thirty.execution()).isEqualTo(2);
  }

  @Test
  void refusesAnExecutionAfterTheDecision() {
    thirty.decide(Outcome.ABORT);
    assertRefused(() -> thirty.raiseExecution(1), "outcome is known");
  }

  @Test
  void asksForAVote() {
    ExecutionRecord execution = ask(0);
    assertThat(thirty.latest()).isSameAs(execution);
    assertThat(thirty.isLatest(0)).isTrue();
    assertThat(thirty.isLatest(1)).isFalse();
    assertThat(thirty.vote()).isNull();
  }

  @Test
  void asksForAVoteOnTheNextExecutionInsteadOfTheLast() {
    ExecutionRecord first = ask(0);
    thirty.vote(DROPPED);
    ExecutionRecord second = ask(1);
    assertThat(thirty.latest()).isSameAs(second);
    assertThat(thirty.vote()).isNull();
    assertThat(first.readKeys()).isEmpty();
    assertThat(second.readKeys()).containsExactly(a);
  }

  @Test
  void refusesToBeAskedForAnExecutionThatIsUnknown() {
    assertRefused(() -> thirty.ask(execution(0)), "is unknown");
  }

  @Test
  void refusesToBeAskedOnceFenced() {
    thirty.raiseExecution(0);
    thirty.promise(ONE);
    assertRefused(() -> thirty.ask(execution(0)), "after it was fenced");
  }

  @Test
  void refusesToBeAskedOnceDecided() {
    thirty.raiseExecution(0);
    thirty.decide(Outcome.ABORT);
    assertRefused(() -> thirty.ask(execution(0)), "outcome is known");
  }

  // ---- votes --------------------------------------------------------------------------------

  @Test
  void votesToCommit() {
    ask(0);
    thirty.vote(Vote.COMMIT);
    assertThat(thirty.isPrepared()).isTrue();
    assertThat(thirty.isOnCondition()).isFalse();
    assertThat(thirty.logExecution()).as("a vote to commit is in the log").isFalse();
  }

  @Test
  void votesToAbandon() {
    ask(0);
    thirty.vote(DROPPED);
    assertThat(thirty.vote()).isEqualTo(DROPPED);
    assertThat(thirty.isPrepared()).isFalse();
    assertThat(thirty.logExecution()).as("an abandoned execution is not in the log").isTrue();
  }

  @Test
  void refusesTwoVotesOnOneExecution() {
    ask(0);
    thirty.vote(Vote.COMMIT);
    assertRefused(() -> thirty.vote(Vote.COMMIT), "votes twice");
  }

  @Test
  void refusesAVoteOnNoExecution() {
    assertRefused(() -> thirty.vote(Vote.COMMIT), "votes on no execution");
  }

  @Test
  void refusesAVoteAfterAPromise() {
    ask(0);
    thirty.promise(ONE);
    assertRefused(() -> thirty.vote(Vote.COMMIT), "votes after it was fenced");
  }

  @Test
  void refusesAVoteAfterAnAcceptance() {
    ask(0);
    thirty.accept(View.CLIENT, Outcome.ABORT);
    assertRefused(() -> thirty.vote(Vote.COMMIT), "votes after it was fenced");
  }

  @Test
  void refusesAVoteAfterTheDecision() {
    ask(0);
    thirty.decide(Outcome.ABORT);
    assertRefused(() -> thirty.vote(Vote.COMMIT), "outcome is known");
  }

  @Test
  void takesAVoteBack() {
    ask(0);
    thirty.vote(Vote.COMMIT);
    thirty.takeBack(DROPPED);
    assertThat(thirty.vote()).isEqualTo(DROPPED);
    assertThat(thirty.isPrepared()).isFalse();
  }

  @Test
  void takesAVoteBackThatWaits() {
    ask(0);
    thirty.await(twenty);
    thirty.takeBack(DROPPED);
    assertThat(thirty.stopWaiting(twenty)).isFalse();
  }

  @Test
  void refusesToTakeBackAVoteOnNoExecution() {
    assertRefused(() -> thirty.takeBack(DROPPED), "takes back a vote on no execution");
  }

  @Test
  void refusesToTakeAVoteBackAfterTheDecision() {
    ask(0);
    thirty.vote(Vote.COMMIT);
    thirty.decide(Outcome.ABORT);
    assertRefused(() -> thirty.takeBack(DROPPED), "outcome is known");
  }

  // ---- waiting, and votes on condition ------------------------------------------------------

  @Test
  void waitsForADependency() {
    ask(0);
    thirty.await(twenty);
    assertThat(twenty.hasDependents()).isTrue();
    assertThat(twenty.takeDependents()).containsExactly(thirty);
    assertThat(twenty.hasDependents()).isFalse();
    assertThat(twenty.takeDependents()).isEmpty();
    assertThat(thirty.stopWaiting(twenty)).isTrue();
    assertThat(thirty.stopWaiting(twenty)).isFalse();
  }

  @Test
  void waitsForTheLastDependencyOnly() {
    TxnRecord ten = new TxnRecord(txn(10));
    ask(0);
    thirty.await(twenty);
    thirty.await(ten);
    assertThat(thirty.stopWaiting(twenty)).isFalse();
    assertThat(thirty.stopWaiting(ten)).isTrue();
  }

  @Test
  void aVoteOnConditionWaitsForTheCondition() {
    ask(0);
    thirty.vote(Vote.COMMIT_ON_CONDITION);
    assertThat(thirty.isPrepared()).isTrue();
    assertThat(thirty.isOnCondition()).isTrue();
    thirty.await(twenty);
    assertThat(twenty.takeDependents()).containsExactly(thirty);
  }

  @Test
  void refusesToWaitAfterTheVote() {
    ask(0);
    thirty.vote(Vote.COMMIT);
    assertRefused(() -> thirty.await(twenty), "waits although it has voted");
    assertThat(twenty.hasDependents()).isFalse();
  }

  @Test
  void refusesToWaitForAVoteOnNoExecution() {
    assertRefused(() -> thirty.await(twenty), "waits for a vote on no execution");
  }

  @Test
  void refusesToWaitAfterTheDecision() {
    ask(0);
    thirty.decide(Outcome.ABORT);
    assertRefused(() -> thirty.await(twenty), "outcome is known");
  }

  @Test
  void confirmsAVoteOnCondition() {
    ask(0);
    thirty.vote(Vote.COMMIT_ON_CONDITION);
    thirty.await(twenty);
    thirty.confirm();
    assertThat(thirty.vote()).isEqualTo(Vote.COMMIT);
    assertThat(thirty.stopWaiting(twenty)).isFalse();
  }

  @Test
  void refusesToConfirmAVoteThatIsOnNoCondition() {
    ask(0);
    assertRefused(thirty::confirm, "is on no condition");
    thirty.vote(Vote.COMMIT);
    assertRefused(thirty::confirm, "is on no condition");
  }

  @Test
  void refusesToConfirmAfterTheDecision() {
    ask(0);
    thirty.vote(Vote.COMMIT_ON_CONDITION);
    thirty.decide(Outcome.ABORT);
    assertRefused(thirty::confirm, "is on no condition");
  }

  // ---- promises -----------------------------------------------------------------------------

  @Test
  void promisesOnlyRise() {
    assertThat(thirty.promised()).isEqualTo(View.CLIENT);
    assertThat(thirty.isFenced()).isFalse();
    assertThat(thirty.promise(ONE)).isTrue();
    assertThat(thirty.promise(ONE)).isFalse();
    assertThat(thirty.isFenced()).isTrue();
    assertThat(thirty.promise(TWO)).isTrue();
    assertThat(thirty.promised()).isEqualTo(TWO);
    assertRefused(() -> thirty.promise(ONE), "below the one promised");
  }

  @Test
  void aPromiseEndsTheWaitForAVote() {
    ask(0);
    thirty.await(twenty);
    thirty.promise(ONE);
    assertThat(thirty.stopWaiting(twenty)).isFalse();
  }

  @Test
  void aPromiseKeepsTheWaitForACondition() {
    ask(0);
    thirty.vote(Vote.COMMIT_ON_CONDITION);
    thirty.await(twenty);
    thirty.promise(ONE);
    assertThat(thirty.stopWaiting(twenty)).isTrue();
    assertThat(thirty.isPrepared()).isTrue();
  }

  @Test
  void refusesAPromiseAfterTheDecision() {
    thirty.decide(Outcome.ABORT);
    assertRefused(() -> thirty.promise(ONE), "outcome is known");
  }

  private void voteOnConditionAndOweAnAnswer() {
    ask(0);
    thirty.vote(Vote.COMMIT_ON_CONDITION);
    thirty.promise(ONE);
    thirty.oweAnswer(replica(1));
  }

  @Test
  void owesAnAnswerOnce() {
    voteOnConditionAndOweAnAnswer();
    assertThat(thirty.takePromisee()).isEqualTo(replica(1));
    assertThat(thirty.takePromisee()).isNull();
  }

  @Test
  void owesNoAnswerInAViewThatIsOutranked() {
    voteOnConditionAndOweAnAnswer();
    thirty.promise(TWO);
    assertThat(thirty.takePromisee()).isNull();
  }

  @Test
  void owesTheAnswerStillWhenTheSameViewProposes() {
    voteOnConditionAndOweAnAnswer();
    thirty.accept(ONE, Outcome.ABORT);
    assertThat(thirty.takePromisee()).isEqualTo(replica(1));
  }

  @Test
  void owesNoAnswerOnceDecided() {
    voteOnConditionAndOweAnAnswer();
    thirty.decide(Outcome.ABORT);
    assertThat(thirty.takePromisee()).isNull();
  }

  @Test
  void refusesToOweAnAnswerWithoutACondition() {
    ask(0);
    thirty.vote(Vote.COMMIT);
    thirty.promise(ONE);
    assertRefused(() -> thirty.oweAnswer(replica(1)), "no condition is open");
  }

  // ---- acceptances --------------------------------------------------------------------------

  @Test
  void acceptsInTheCoordinatorsView() {
    assertThat(thirty.accept(View.CLIENT, committing(0, 0))).isTrue();
    assertThat(thirty.accepted()).isEqualTo(new Accepted(View.CLIENT, committing(0, 0)));
    assertThat(thirty.isFenced()).isTrue();
    assertThat(thirty.accept(View.CLIENT, committing(0, 0))).as("repeated").isFalse();
  }

  @Test
  void acceptedViewsOnlyRiseAndArePromised() {
    thirty.accept(View.CLIENT, committing(0, 0));
    assertThat(thirty.accept(TWO, Outcome.ABORT)).isTrue();
    assertThat(thirty.accepted()).isEqualTo(new Accepted(TWO, Outcome.ABORT));
    assertThat(thirty.promised()).isEqualTo(TWO);
    assertRefused(() -> thirty.accept(ONE, Outcome.ABORT), "below the one promised");
    assertRefused(() -> thirty.promise(ONE), "below the one promised");
  }

  @Test
  void refusesToAcceptBelowAPromise() {
    thirty.promise(ONE);
    assertRefused(() -> thirty.accept(View.CLIENT, Outcome.ABORT), "below the one promised");
    assertThat(thirty.accepted()).isNull();
  }

  @Test
  void refusesToAcceptAfterTheDecision() {
    thirty.decide(Outcome.ABORT);
    assertRefused(() -> thirty.accept(View.CLIENT, Outcome.ABORT), "outcome is known");
  }

  // ---- outcomes -----------------------------------------------------------------------------

  @Test
  void aDecisionEndsWhatWasUnderWay() {
    ask(0);
    thirty.await(twenty);
    thirty.accept(View.CLIENT, Outcome.ABORT);
    a.subscribe(thirty, 0);
    new RangeSubscriptions().add(thirty, KeyRange.ALL, 1);
    thirty.retract(a.key(), 1);
    thirty.decide(Outcome.ABORT);
    assertThat(thirty.outcome()).isEqualTo(Outcome.ABORT);
    assertThat(thirty.isDecided()).isTrue();
    assertThat(thirty.isAborted()).isTrue();
    assertThat(thirty.isInstalled()).isFalse();
    assertThat(thirty.vote()).isNull();
    assertThat(thirty.accepted()).isNull();
    assertThat(thirty.stopWaiting(twenty)).isFalse();
    assertThat(a.subscriptions()).isEmpty();
    assertThat(thirty.hasScanned(1)).isFalse();
    assertThat(thirty.isRetracted(a.key(), 0)).isFalse();
  }

  @Test
  void refusesAnotherOutcome() {
    thirty.decide(Outcome.ABORT);
    assertRefused(() -> thirty.decide(committing(0, 0)), "outcome is known");
    assertThat(thirty.outcome()).isEqualTo(Outcome.ABORT);
  }

  @Test
  void installsTheLatestExecution() {
    ExecutionRecord execution = ask(0);
    thirty.vote(Vote.COMMIT);
    thirty.decide(committing(0, 0));
    assertThat(thirty.misses(0)).isTrue();
    thirty.install(execution);
    assertThat(thirty.isInstalled()).isTrue();
    assertThat(thirty.misses(0)).isFalse();
    assertThat(thirty.logExecution()).isFalse();
    assertThat(execution.writeKeys()).containsExactly(a);
  }

  @Test
  void installsAnExecutionThatWasNeverSeen() {
    ExecutionRecord older = ask(0);
    thirty.decide(committing(3, 0));
    thirty.install(execution(3));
    assertThat(thirty.isLatest(3)).isTrue();
    assertThat(thirty.execution()).isEqualTo(3);
    assertThat(older.writeKeys()).isEmpty();
    assertThat(thirty.logExecution()).isTrue();
    assertThat(thirty.logExecution()).isFalse();
  }

  @Test
  void refusesToInstallWithoutACommit() {
    ExecutionRecord execution = ask(0);
    assertRefused(() -> thirty.install(execution), "not missing");
    thirty.decide(Outcome.ABORT);
    assertRefused(() -> thirty.install(execution), "not missing");
  }

  @Test
  void refusesToInstallAnotherExecutionThanTheCommittedOne() {
    ExecutionRecord execution = ask(0);
    thirty.decide(committing(1, 0));
    assertRefused(() -> thirty.install(execution), "not missing");
  }

  @Test
  void refusesToInstallTwice() {
    ExecutionRecord execution = ask(0);
    thirty.decide(committing(0, 0));
    thirty.install(execution);
    assertRefused(() -> thirty.install(execution), "not missing");
    assertRefused(thirty::clear, "installed twice");
  }

  @Test
  void refusesToLogNoExecution() {
    assertRefused(thirty::logExecution, "logs an unknown execution");
  }

  @Test
  void clearsWhatRemains() {
    ExecutionRecord execution = ask(0);
    thirty.decide(Outcome.ABORT);
    thirty.clear();
    assertThat(thirty.isInstalled()).isTrue();
    assertThat(thirty.latest()).isNull();
    assertThat(execution.readKeys()).isEmpty();
  }

  @Test
  void refusesToClearBeforeTheDecision() {
    assertRefused(thirty::clear, "is installed but not decided");
  }

  @Test
  void discardsWhatIsUndecided() {
    ask(0);
    thirty.vote(Vote.COMMIT_ON_CONDITION);
    thirty.await(twenty);
    a.subscribe(thirty, 0);
    thirty.discard();
    assertThat(thirty.isPrepared()).isFalse();
    assertThat(thirty.latest()).isNull();
    assertThat(thirty.stopWaiting(twenty)).isFalse();
    assertThat(a.isForgettable()).isTrue();
  }

  @Test
  void discardsACommitThatIsNotInstalled() {
    thirty.decide(committing(0, 0));
    thirty.discard();
    assertThat(thirty.isInstalled()).isFalse();
  }

  @Test
  void refusesToDiscardWhatIsInstalled() {
    thirty.decide(Outcome.ABORT);
    thirty.clear();
    assertRefused(thirty::discard, "cannot be discarded");
  }

  // ---- restoring ----------------------------------------------------------------------------

  @Test
  void restoresAVoteThatTheCheckpointHasFenced() {
    thirty.restorePromise(ONE);
    thirty.restoreVote(execution(2), Vote.COMMIT);
    assertThat(thirty.isPrepared()).isTrue();
    assertThat(thirty.execution()).isEqualTo(2);
    assertThat(thirty.logExecution()).isFalse();
  }

  @Test
  void refusesToRestoreALowerVote() {
    thirty.restoreVote(execution(2), Vote.COMMIT);
    assertRefused(() -> thirty.restoreVote(execution(1), Vote.COMMIT), "a lower execution");
  }

  @Test
  void refusesToRestoreAVoteAfterTheDecision() {
    thirty.decide(Outcome.ABORT);
    assertRefused(() -> thirty.restoreVote(execution(0), Vote.COMMIT), "outcome is known");
  }

  @Test
  void restoresTheHighestPromise() {
    thirty.restorePromise(TWO);
    thirty.restorePromise(ONE);
    assertThat(thirty.promised()).isEqualTo(TWO);
  }

  @Test
  void restoresTheLatestAcceptanceEvenBelowAPromise() {
    thirty.restorePromise(TWO);
    thirty.restoreAcceptance(ONE, Outcome.ABORT);
    thirty.restoreAcceptance(View.CLIENT, committing(0, 0));
    assertThat(thirty.accepted()).isEqualTo(new Accepted(ONE, Outcome.ABORT));
    assertThat(thirty.promised()).isEqualTo(TWO);
  }

  @Test
  void restoresNoAcceptanceOnceDecided() {
    thirty.decide(Outcome.ABORT);
    thirty.restoreAcceptance(ONE, Outcome.ABORT);
    assertThat(thirty.accepted()).isNull();
  }

  // ---- copies for checkpoints ---------------------------------------------------------------

  @Test
  void copiesWhatIsUndecided() {
    ask(0);
    assertThat(copied()).isEmpty();
    thirty.vote(Vote.COMMIT_ON_CONDITION);
    thirty.accept(View.CLIENT, Outcome.ABORT);
    thirty.promise(ONE);
    assertThat(copied())
        .containsExactly(
            new LogRecord.Prepared(
                new ExecutionId(txn(30), 0),
                List.of(new Read(a.key(), WriteId.INITIAL)),
                List.of(new Write(a.key(), 1, value("x"))),
                List.of(0),
                true),
            new LogRecord.Accepted(txn(30), View.CLIENT, Outcome.ABORT),
            new LogRecord.Promised(txn(30), ONE));
  }

  @Test
  void copiesAnAbort() {
    ask(0);
    thirty.decide(Outcome.ABORT);
    assertThat(copied()).containsExactly(new LogRecord.Decided(txn(30), Outcome.ABORT));
    thirty.clear();
    assertThat(copied()).containsExactly(new LogRecord.Settled(txn(30), Outcome.ABORT));
  }

  @Test
  void copiesACommitAndItsExecutionUntilThatIsForgotten() {
    ExecutionRecord execution = ask(0);
    Outcome commit = committing(0, 0);
    thirty.decide(commit);
    thirty.install(execution);
    assertThat(copied())
        .containsExactly(new LogRecord.Decided(txn(30), commit), execution.executed(txn(30)));
    thirty.forgetExecution();
    assertThat(copied()).containsExactly(new LogRecord.Settled(txn(30), commit));
  }

  // ---- inquiries ----------------------------------------------------------------------------

  @Test
  void isWatchedOnce() {
    thirty.watch(500);
    assertThat(thirty.isWatched()).isTrue();
    assertThat(thirty.inquireAtMicros()).isEqualTo(500);
    assertRefused(() -> thirty.watch(600), "is watched twice");
    thirty.stopWatching();
    assertThat(thirty.isWatched()).isFalse();
    thirty.watch(600);
    assertThat(thirty.inquireAtMicros()).isEqualTo(600);
  }

  @Test
  void refusesToBeWatchedOnceDecided() {
    thirty.decide(Outcome.ABORT);
    assertRefused(() -> thirty.watch(500), "outcome is known");
    assertRefused(thirty::nextInquiry, "outcome is known");
  }

  @Test
  void asksThenRecovers() {
    assertThat(thirty.nextInquiry()).isEqualTo(Inquiry.Step.ASK);
    assertThat(thirty.nextInquiry()).isEqualTo(Inquiry.Step.RECOVER);
    assertThat(thirty.nextInquiry()).isEqualTo(Inquiry.Step.RECOVER);
  }

  @Test
  void anAssuranceCountsOnlyAfterAQuestion() {
    thirty.assured();
    assertThat(thirty.nextInquiry()).isEqualTo(Inquiry.Step.ASK);
  }

  @Test
  void eachAssuranceDoublesTheTimeUpToFour() {
    for (int respites : new int[] {1, 3, 3}) {
      assertThat(thirty.nextInquiry()).isEqualTo(Inquiry.Step.ASK);
      thirty.assured();
      thirty.assured(); // a second answer to one question
      for (int i = 0; i < respites; i++) {
        assertThat(thirty.nextInquiry()).isEqualTo(Inquiry.Step.WAIT);
      }
    }
    assertThat(thirty.nextInquiry()).isEqualTo(Inquiry.Step.ASK);
  }

  @Test
  void aFenceEndsTheRespites() {
    thirty.nextInquiry();
    thirty.assured();
    thirty.promise(ONE);
    assertThat(thirty.nextInquiry()).isEqualTo(Inquiry.Step.ASK);
    thirty.assured();
    assertThat(thirty.nextInquiry()).as("assurances count no more").isEqualTo(Inquiry.Step.RECOVER);
  }

  // ---- reads and writes under way -----------------------------------------------------------

  @Test
  void remembersTheHighestRetraction() {
    thirty.retract(a.key(), 2);
    thirty.retract(a.key(), 1);
    assertThat(thirty.isRetracted(a.key(), 1)).isTrue();
    assertThat(thirty.isRetracted(a.key(), 2)).isFalse();
    assertThat(thirty.isRetracted(key("b"), 0)).isFalse();
  }

  @Test
  void listsTheKeysWritten() {
    assertThat(thirty.written()).isEmpty();
    thirty.addWritten(a);
    assertThat(thirty.written()).containsExactly(a);
    thirty.clearWritten();
    assertThat(thirty.written()).isEmpty();
  }

  @Test
  void remembersItsScans() {
    assertThat(thirty.hasScanned(1)).isFalse();
    new RangeSubscriptions().add(thirty, KeyRange.ALL, 1);
    assertThat(thirty.hasScanned(1)).isTrue();
    assertThat(thirty.hasScanned(2)).isFalse();
  }

  @Test
  void refusesReadsAndRetractionsOnceDecided() {
    thirty.decide(Outcome.ABORT);
    assertRefused(() -> thirty.retract(a.key(), 1), "outcome is known");
    assertRefused(() -> a.subscribe(thirty, 0), "outcome is known");
    assertRefused(() -> new RangeSubscriptions().add(thirty, KeyRange.ALL, 1), "outcome is known");
  }
}
