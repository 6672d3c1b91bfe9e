package org.mortydb.protocol.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.txn;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Finalize;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.message.RecoverAnswer.Accepted;
import org.mortydb.protocol.message.RecoverAnswer.Promised;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.testing.EffectRecorder;
import org.mortydb.protocol.testing.EffectRecorder.Appended;
import org.mortydb.protocol.testing.EffectRecorder.Broadcast;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.HeldUntilDurable;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/** Section 5 of docs/protocol.md: what one recovery promises, adopts, proposes and sends. */
class RecoveryCoordinatorTest {
  private static final TxnId TXN = txn(100);
  private static final long PROPOSER = 7;
  private static final long TIMEOUT = 1000;
  private static final Outcome ONE = committing(1, 0);
  private static final Outcome TWO = committing(2, 0);

  private final EffectRecorder out = new EffectRecorder();
  private RecoveryCoordinator recovery = recovery(1);

  @BeforeEach
  void begin() {
    begin(1);
  }

  // ---- views ----------------------------------------------------------------------------------

  @Test
  void logsItsViewBeforeItAsks() {
    recovery = recovery(1);
    recovery.onTick(0, out);
    assertThat(out.take())
        .containsExactly(
            new Appended(new LogRecord.Promised(TXN, view(1))),
            new HeldUntilDurable(),
            new Broadcast(0, new Recover(TXN, view(1))));
  }

  @Test
  void beginsAboveTheHighestViewThatItKnows() {
    recovery = recovery(TXN, new View(4, 9));
    recovery.onTick(0, out);
    assertThat(out.take()).contains(new Broadcast(0, new Recover(TXN, view(5))));
  }

  @Test
  void goesAboveTheViewThatOutranksItAfterAPause() {
    answer(0, new RecoverAnswer.Fenced(new View(6, 3)));
    assertThat(out.take()).isEmpty();
    promise(1, null, 1, true);
    promise(2, null, 1, true);
    assertThat(out.take()).as("an outranked attempt takes no promises").isEmpty();
    assertThat(viewAfterPause()).isEqualTo(view(7));
  }

  @Test
  void startsAgainInAHigherViewWhenTheAttemptTakesTooLong() {
    recovery.onTick(TIMEOUT, out);
    out.take();
    assertThat(viewAfterPause()).isEqualTo(view(2));
  }

  private static Promised vague() {
    return new Promised(null, RecoverAnswer.NO_EXECUTION, false, List.of(), true);
  }

  @Test
  void waitsForOthersThanThoseThatMayHaveForgottenTheirVotes() {
    answer(1, vague());
    promise(0, null, 1, true);
    assertThat(out.take()).as("a majority, one of which may have forgotten its vote").isEmpty();
    promise(2, null, 1, true);
    assertThat(out.take()).contains(new Broadcast(0, new Finalize(TXN, view(1), ONE)));
  }

  @Test
  void waitsForOthersThanThoseThatMayHaveForgottenALaterVote() {
    answer(1, new Promised(null, 0, true, List.of(0), true));
    promise(0, null, 1, true);
    assertThat(out.take()).as("one of the two has perhaps lost its vote").isEmpty();
    promise(2, null, 1, true);
    assertThat(out.take()).contains(new Broadcast(0, new Finalize(TXN, view(1), ONE)));
  }

  @Test
  void countsThoseThatMayHaveForgottenVotesButAgree() {
    answer(1, new Promised(null, 1, true, List.of(0), true));
    promise(0, null, 1, true);
    assertThat(out.take()).contains(new Broadcast(0, new Finalize(TXN, view(1), ONE)));
  }

  @Test
  void countsThoseThatMayHaveForgottenTheirVotesBesideOneThatHasNone() {
    answer(1, vague());
    promise(0, null, RecoverAnswer.NO_EXECUTION, false);
    assertThat(out.take()).contains(new Broadcast(0, new Finalize(TXN, view(1), Outcome.ABORT)));
  }

  @Test
  void countsThoseThatMayHaveForgottenTheirVotesWhenTheyAreAMajority() {
    answer(1, vague());
    answer(2, vague());
    assertThat(out.take()).contains(new Broadcast(0, new Finalize(TXN, view(1), Outcome.ABORT)));
  }

  /** A restart before the transaction makes a promise vague, too. It is no reason to abort. */
  @Test
  void waitsForOthersIfOneOfTheMajorityThatMayHaveForgottenHasItsVote() {
    answer(1, new Promised(null, 1, true, List.of(0), true));
    answer(2, vague());
    assertThat(out.take()).as("only one may have lost its vote").isEmpty();
    promise(0, null, 1, true);
    assertThat(out.take()).contains(new Broadcast(0, new Finalize(TXN, view(1), ONE)));
  }

  @Test
  void anOlderVoteOfThoseThatMayHaveForgottenIsAsGoodAsNone() {
    answer(1, new Promised(null, 0, true, List.of(0), true));
    answer(2, new Promised(null, 1, true, List.of(0), true));
    assertThat(out.take()).as("only the first may have lost the vote that counts").isEmpty();
    answer(0, new Promised(null, 1, true, List.of(0), true));
    assertThat(out.take()).contains(new Broadcast(0, new Finalize(TXN, view(1), ONE)));
  }

  @Test
  void aSureVoteIsTheOneThatCounts() {
    answer(1, new Promised(null, 1, true, List.of(0), true));
    promise(0, null, 0, true);
    assertThat(out.take()).as("the two contradict each other").isEmpty();
    promise(2, null, 0, true);
    assertThat(out.take())
        .contains(new Broadcast(0, new Finalize(TXN, view(1), Outcome.commit(0, List.of(0)))));
  }

  /**
   * The third replica has voted on a condition that is still open there, and an application may
   * have heard of the commit. Only one replica may have lost its vote.
   */
  @Test
  void anAcceptedOutcomeIsNoWordAgainstTheVotesOfOthers() {
    promise(0, null, 1, true);
    answer(1, vague());
    assertThat(out.take()).isEmpty();
    promise(2, new Accepted(View.CLIENT, ONE), 1, false);
    assertThat(out.take()).contains(new Broadcast(0, new Finalize(TXN, view(1), ONE)));
  }

  @Test
  void anAcceptedOutcomeIsAdoptedBesideOneThatMayHaveForgottenItsVote() {
    answer(1, vague());
    promise(2, new Accepted(View.CLIENT, ONE), 1, false);
    assertThat(out.take()).contains(new Broadcast(0, new Finalize(TXN, view(1), ONE)));
  }

  @Test
  void countsThoseThatMayHaveForgottenTheirVotesAfterSomeRounds() {
    answer(0, new RecoverAnswer.Fenced(new View(3, 9)));
    out.take();
    current = viewAfterPause();
    assertThat(current).isEqualTo(view(4));
    answer(1, vague());
    promise(0, null, 1, true);
    assertThat(out.take()).contains(new Broadcast(0, new Finalize(TXN, view(4), Outcome.ABORT)));
  }

  @Test
  void theSecondAttemptMayTakeTwiceAsLong() {
    recovery.onTick(TIMEOUT, out);
    viewAfterPause();
    long begun = nowMicros;
    recovery.onTick(begun + 2 * TIMEOUT - 1, out);
    assertThat(out.take()).as("it still asks").isNotEmpty();
    recovery.onTick(begun + 2 * TIMEOUT, out);
    recovery.onTick(begun + 2 * TIMEOUT + 1, out);
    assertThat(out.take()).as("it pauses").isEmpty();
  }

  @Test
  void beginsAboveTheViewThatItsReplicaHasPromisedMeanwhile() {
    recovery.onTick(TIMEOUT, out);
    recovery.onPromised(TIMEOUT, new View(6, 3), out);
    assertThat(viewAfterPause()).isEqualTo(view(7));
  }

  /** Recoveries that begin while another one runs would outrank each other for long. */
  @Test
  void leavesEachRecoveryAloneThatItsReplicaHasPromised() {
    long now = 0;
    for (int round = 2; round < 20; round++) {
      recovery.onPromised(now, new View(round, 3), out);
      long end = now + Math.min(TIMEOUT << (round - 1), 32 * TIMEOUT);
      for (; now < end; now += TIMEOUT / 10) {
        recovery.onTick(now, out);
      }
      assertThat(out.take()).as("while round %d lasts", round).isEmpty();
    }
    recovery.onTick(now + 32 * TIMEOUT, out);
    assertThat(out.take()).contains(new Broadcast(0, new Recover(TXN, view(20))));
  }

  /** It is the first attempt of this replica, but others have failed in six rounds. */
  @Test
  void theTimeOfAnAttemptFollowsTheRound() {
    recovery = recovery(7);
    recovery.onTick(0, out);
    out.take();
    recovery.onTick(64 * TIMEOUT - 1, out);
    assertThat(out.take()).as("it asks again").isNotEmpty();
    assertThat(recovery.isRunning()).isTrue();
    recovery.onTick(64 * TIMEOUT, out);
    assertThat(recovery.isRunning()).isFalse();
  }

  @Test
  void aRecoveryThatHasNotBegunLeavesAnotherOneAlone() {
    recovery = recovery(1);
    recovery.onPromised(0, new View(1, 3), out);
    for (long now = 0; now < TIMEOUT; now += TIMEOUT / 10) {
      recovery.onTick(now, out);
    }
    assertThat(out.take()).isEmpty();
    recovery.onTick(2 * TIMEOUT, out);
    assertThat(out.take()).contains(new Broadcast(0, new Recover(TXN, view(2))));
  }

  /** The other recovery may have told its outcome in vain: nobody is asked for it meanwhile. */
  @Test
  void pausesNoLongerThanTheLongestAttemptMayTake() {
    long longest = 64 * TIMEOUT;
    for (int time = 1; time < 50; time++) {
      recovery = recovery(txn(time), View.CLIENT);
      long now = 0;
      for (int attempt = 1; attempt < 12; attempt++) {
        recovery.onTick(now, out);
        assertThat(out.take()).as("attempt %d", attempt).isNotEmpty();
        recovery.onPromised(now + 1, new View(2 * attempt, 9), out);
        assertThat(recovery.isDue(now + 1)).isFalse();
        now += 1 + longest;
        assertThat(recovery.isDue(now)).as("pause after attempt %d", attempt).isTrue();
      }
    }
  }

  @Test
  void itsOwnViewDoesNotStopIt() {
    recovery.onPromised(1, view(1), out);
    promise(1, null, 1, true);
    promise(2, null, 1, true);
    assertProposed(ONE);
  }

  /** The promise may have been given to an earlier recovery of this process. */
  @Test
  void takesNoPromiseBeforeItHasBegun() {
    recovery = recovery(TXN, view(1));
    promise(1, null, 1, true);
    promise(2, null, 1, true);
    assertThat(out.take()).isEmpty();
  }

  @Test
  void takesNoPromiseOfAnotherView() {
    recovery.onRecoverReply(
        1, new ReplicaId(0, 0), new RecoverReply(TXN, view(9), promised(null, 1, true)), out);
    promise(1, null, 1, true);
    assertThat(out.take()).isEmpty();
  }

  @Test
  void asksOnlySilentReplicasAgain() {
    promise(1, null, 1, true);
    recovery.onTick(TIMEOUT / 2, out);
    assertThat(out.take())
        .containsExactly(
            new Sent(new ReplicaId(0, 0), new Recover(TXN, view(1))),
            new Sent(new ReplicaId(0, 2), new Recover(TXN, view(1))));
  }

  /** Under overload all answers are late. */
  @Test
  void promisesThatComeAfterItsTimeCountUntilTheNextAttempt() {
    recovery.onTick(TIMEOUT, out);
    promise(1, null, 1, true);
    promise(2, null, 1, true);
    assertProposed(ONE);
    acceptFrom(1);
    acceptFrom(2);
    assertThat(out.take()).containsExactlyElementsOf(decided(ONE, 0));
  }

  // ---- what it proposes -----------------------------------------------------------------------

  @Test
  void aPromiseOfOneReplicaIsNoQuorumEvenTwice() {
    promise(1, null, 1, true);
    promise(1, null, 1, true);
    assertThat(out.take()).isEmpty();
  }

  @Test
  void abortsWhenNothingWasPrepared() {
    promise(0, null, RecoverAnswer.NO_EXECUTION, false);
    promise(1, null, RecoverAnswer.NO_EXECUTION, false);
    assertProposed(Outcome.ABORT);
  }

  @Test
  void commitsWhatEveryPromiserHasVotedFor() {
    promise(0, null, 1, true);
    promise(1, null, 1, true);
    assertProposed(ONE);
  }

  @Test
  void abortsWhenOneVoteToCommitIsMissing() {
    promise(0, null, 1, true);
    promise(1, null, 1, false);
    assertProposed(Outcome.ABORT);
  }

  @Test
  void abortsWhenVotesAreForDifferentExecutions() {
    promise(0, null, 1, true);
    promise(1, null, 2, true);
    assertProposed(Outcome.ABORT);
  }

  @Test
  void adoptsAnAcceptedOutcomeWhateverTheVotes() {
    promise(0, new Accepted(View.CLIENT, TWO), 1, true);
    promise(1, null, 1, true);
    assertProposed(TWO);
  }

  /** The outcome of the highest view may be chosen already; those of lower views are not. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void adoptsTheOutcomeOfTheHighestView(boolean highestFirst) {
    recovery = recovery(5);
    begin(5);
    Accepted high = new Accepted(new View(3, 2), Outcome.ABORT);
    Accepted low = new Accepted(new View(3, 1), TWO);
    promise(0, highestFirst ? high : low, 2, true);
    promise(1, highestFirst ? low : high, 2, true);
    assertProposed(Outcome.ABORT);
  }

  // ---- other participants ---------------------------------------------------------------------

  @Test
  void asksOtherParticipantsBeforeItCommits() {
    promiseAt(0, 0, 1, true, List.of(0, 2));
    promiseAt(0, 1, 1, true, List.of(0, 2));
    assertThat(out.take()).containsExactly(new Broadcast(2, new Recover(TXN, view(1))));
    promiseAt(2, 0, 1, true, List.of(0, 2));
    assertThat(out.take()).isEmpty();
    promiseAt(2, 2, 1, true, List.of(0, 2));
    assertProposed(committing(1, 0, 2));
  }

  @Test
  void abortsWhenAnotherParticipantHasNotVotedToCommit() {
    promiseAt(0, 0, 1, true, List.of(0, 2));
    promiseAt(0, 1, 1, true, List.of(0, 2));
    promiseAt(2, 0, 1, true, List.of(0, 2));
    promiseAt(2, 1, RecoverAnswer.NO_EXECUTION, false, List.of());
    out.take();
    recovery.onTick(2, out);
    acceptFrom(0);
    acceptFrom(1);
    assertThat(out.take()).containsExactlyElementsOf(decided(Outcome.ABORT, 0, 2));
  }

  // ---- the end --------------------------------------------------------------------------------

  @Test
  void needsMoreThanFAcceptances() {
    promise(0, null, 1, true);
    promise(1, null, 1, true);
    out.take();
    acceptFrom(2);
    acceptFrom(2);
    assertThat(out.take()).isEmpty();
    assertThat(recovery.isDone()).isFalse();
    acceptFrom(0);
    assertThat(out.take()).containsExactlyElementsOf(decided(ONE, 0));
    assertThat(recovery.isDone()).isTrue();
    assertThat(recovery.hasChosen()).isTrue();
  }

  @Test
  void takesNoAcceptanceOfAnotherViewOrPartition() {
    promise(0, null, 1, true);
    promise(1, null, 1, true);
    out.take();
    acceptFrom(0);
    recovery.onFinalizeReply(
        3,
        new ReplicaId(0, 1),
        new FinalizeReply(TXN, view(9), new FinalizeAnswer.Accepted()),
        out);
    recovery.onFinalizeReply(
        3,
        new ReplicaId(2, 1),
        new FinalizeReply(TXN, view(1), new FinalizeAnswer.Accepted()),
        out);
    assertThat(out.take()).isEmpty();
  }

  @Test
  void aProposalThatIsOutrankedBeginsAnewWithoutItsPromises() {
    promise(0, null, 1, true);
    promise(1, null, 1, true);
    out.take();
    recovery.onFinalizeReply(
        3,
        new ReplicaId(0, 0),
        new FinalizeReply(TXN, view(1), new FinalizeAnswer.Fenced(new View(2, 9))),
        out);
    assertThat(viewAfterPause()).isEqualTo(view(3));
    acceptFrom(0);
    acceptFrom(1);
    assertThat(out.take()).as("acceptances of view 1 count no more").isEmpty();
  }

  @Test
  void aProposalThatFPlusOneAcceptIsDecidedThoughAnotherReplicaRefusesIt() {
    promise(0, null, 1, true);
    promise(1, null, 1, true);
    out.take();
    acceptFrom(1);
    recovery.onFinalizeReply(
        3,
        new ReplicaId(0, 0),
        new FinalizeReply(TXN, view(1), new FinalizeAnswer.Fenced(new View(2, 9))),
        out);
    acceptFrom(2);
    assertThat(out.take()).containsExactlyElementsOf(decided(ONE, 0));
  }

  @Test
  void passesOnAnOutcomeThatAReplicaKnows() {
    answer(1, new RecoverAnswer.Decided(TWO));
    assertThat(out.take()).containsExactlyElementsOf(decided(TWO, 0));
    assertThat(recovery.isDone()).isTrue();
    assertThat(recovery.hasChosen()).isFalse();
  }

  @Test
  void saysNothingOnceItIsAbandoned() {
    recovery.abandon();
    promise(0, null, 1, true);
    promise(1, null, 1, true);
    recovery.onTick(10 * TIMEOUT, out);
    assertThat(out.take()).isEmpty();
  }

  // ---- helpers --------------------------------------------------------------------------------

  private static RecoveryCoordinator recovery(int firstRound) {
    return recovery(TXN, new View(firstRound - 1, 0));
  }

  private static RecoveryCoordinator recovery(TxnId txn, View after) {
    return new RecoveryCoordinator(
        txn, after, new ReplicaId(0, 0), PROPOSER, _ -> 1, TIMEOUT, true, (_, _) -> true);
  }

  private void begin(int round) {
    recovery.onTick(0, out);
    assertThat(out.take()).contains(new Broadcast(0, new Recover(TXN, view(round))));
    current = view(round);
  }

  private View current = View.CLIENT;

  /** When the attempt of {@link #viewAfterPause} began. */
  private long nowMicros;

  private static View view(int round) {
    return new View(round, PROPOSER);
  }

  /** The outcome goes to partitions, and to the coordinator, which may wait for it. */
  private static List<Effect> decided(Outcome outcome, int... partitions) {
    List<Effect> effects = new ArrayList<>();
    for (int partition : partitions) {
      effects.add(new Broadcast(partition, new Decide(TXN, outcome)));
    }
    effects.add(new Sent(new ClientId(TXN.clientId()), new Decide(TXN, outcome)));
    return effects;
  }

  private static Promised promised(@Nullable Accepted accepted, int execution, boolean commit) {
    return new Promised(
        accepted,
        execution,
        commit,
        execution == RecoverAnswer.NO_EXECUTION ? List.of() : List.of(0));
  }

  private void promise(int index, @Nullable Accepted accepted, int execution, boolean commit) {
    answer(index, promised(accepted, execution, commit));
  }

  private void promiseAt(
      int partition, int index, int execution, boolean commit, List<Integer> participants) {
    recovery.onRecoverReply(
        1,
        new ReplicaId(partition, index),
        new RecoverReply(TXN, current, new Promised(null, execution, commit, participants)),
        out);
  }

  private void answer(int index, RecoverAnswer answer) {
    recovery.onRecoverReply(
        1, new ReplicaId(0, index), new RecoverReply(TXN, current, answer), out);
  }

  private void acceptFrom(int index) {
    recovery.onFinalizeReply(
        2,
        new ReplicaId(0, index),
        new FinalizeReply(TXN, current, new FinalizeAnswer.Accepted()),
        out);
  }

  private void assertProposed(Outcome value) {
    assertThat(out.take()).containsExactly(new Broadcast(0, new Finalize(TXN, current, value)));
  }

  /** Lets time pass until the next attempt begins, and returns its view. */
  private View viewAfterPause() {
    for (long now = TIMEOUT + 1; now < 130 * TIMEOUT; now += TIMEOUT / 10) {
      recovery.onTick(now, out);
      List<Message> asked = new ArrayList<>();
      for (Effect effect : out.take()) {
        if (effect instanceof Broadcast sent) {
          asked.add(sent.message());
        }
      }
      if (!asked.isEmpty()) {
        nowMicros = now;
        return ((Recover) asked.getFirst()).view();
      }
    }
    throw new AssertionError("no attempt began");
  }
}
