package org.mortydb.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.finalAbandon;
import static org.mortydb.protocol.testing.Make.keyIn;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.version;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.testing.EffectRecorder.Armed;
import org.mortydb.protocol.testing.Make;

/** Votes and what follows from them (docs/protocol.md, section 4). */
class CoordinatorOutcomeTest {
  private static final Vote COMMIT = Vote.COMMIT;
  private static final Vote ON_CONDITION = Vote.COMMIT_ON_CONDITION;
  private static final Vote LATER = tentative(Reason.WRITE_MISSED);
  private static final Vote NEVER = finalAbandon(Reason.WRITE_MISSED);
  private static final Vote STALE =
      tentative(Reason.MISSED_WRITE, Make.prepared("a", version(40, 1), "new"));

  private final CoordinatorDriver txn = CoordinatorDriver.begun();

  /** Reads a = old, writes b = x, and sends its Prepares, a millisecond after the clock's start. */
  private static CoordinatorDriver prepared(CoordinatorDriver txn) {
    txn.read(0, committed("a", version(10, 1), "old"));
    txn.put("b", "x");
    txn.commit();
    txn.marks();
    return txn;
  }

  /** The same at two partitions, the keys of which are returned; partition 0 is home. */
  private static CoordinatorDriver preparedAtTwo() {
    CoordinatorDriver txn = CoordinatorDriver.begun(new Topology(1, 0, 0));
    txn.put(keyIn(0, 2, 0), Value.of("x"));
    txn.put(keyIn(1, 2, 0), Value.of("y"));
    assertThat(txn.commit()).hasSize(2);
    return txn;
  }

  /** Commits of which the application hears before they are durable (section 8). */
  @Nested
  class Acknowledged {
    private static final PrepareAnswer WRITTEN = new PrepareAnswer.Written();
    private final CoordinatorDriver async = async();

    private static CoordinatorDriver async() {
      AttemptSpec attempt = new AttemptSpec(100, 100, 100, false, _ -> false, true, 0);
      CoordinatorDriver driver =
          new CoordinatorDriver(attempt, new Topology(1, 0), CoordinatorDriver.OPTIONS);
      driver.yield();
      return prepared(driver);
    }

    private void acknowledge() {
      assertThat(async.answer(0, 0, 0, WRITTEN)).isEmpty();
      assertThat(async.answer(0, 1, 0, WRITTEN)).isEmpty();
      assertThat(async.answer(0, 2, 0, WRITTEN))
          .containsExactly("committed #0 ASYNC read [a=10/1:old] write [b/1=x]");
    }

    @Test
    void onceAllReplicasHaveWrittenTheirVotes() {
      acknowledge();
      assertThat(async.votes(COMMIT, COMMIT)).containsExactly("arm SLOW_PATH 2000");
      assertThat(async.vote(0, 2, 0, COMMIT))
          .containsExactly(
              "cancel SLOW_PATH",
              "p0 <- Decide commit #0 at [0]",
              "cancel RESEND",
              "cancel DEADLINE",
              "retire");
    }

    @Test
    void mixesWrittenVotesAndDurableOnes() {
      async.votes(COMMIT, COMMIT);
      assertThat(async.answer(0, 2, 0, WRITTEN))
          .containsExactly("committed #0 ASYNC read [a=10/1:old] write [b/1=x]");
    }

    @Test
    void goesOnWithoutLateVotes() {
      acknowledge();
      async.votes(COMMIT, COMMIT);
      assertThat(async.fires(Timer.SLOW_PATH)).containsExactly("p0 <- Finalize commit #0 at [0]");
    }

    @Test
    void isNeitherExecutedAgainNorGivenUp() {
      acknowledge();
      assertThat(async.pushed(0, 2, committed("a", version(50, 1), "new"))).isEmpty();
      assertThat(async.fires(Timer.DEADLINE)).containsExactly("arm DEADLINE 2000000");
      assertThat(async.abort()).isEmpty();
    }

    @Test
    void abortsOnlyWhenItsVotesAreLost() {
      acknowledge();
      assertThat(async.vote(0, 0, 0, tentative(Reason.TRUNCATED))).isEmpty();
      assertThat(async.vote(0, 1, 0, tentative(Reason.TRUNCATED)))
          .containsExactly("p0 <- Finalize abort");
      assertThat(async.accept(0)).isEmpty();
      assertThat(async.accept(1))
          .containsExactly("p0 <- Decide abort", "cancel RESEND", "cancel DEADLINE", "retire");
    }

    @Test
    void othersDoNotHearOfWrittenVotes() {
      prepared(txn);
      for (int replica = 0; replica < 3; replica++) {
        assertThat(txn.answer(0, replica, 0, WRITTEN)).isEmpty();
      }
    }
  }

  @Nested
  class FastPath {

    @Test
    void needsTheVotesOfAllReplicas() {
      prepared(txn);
      assertThat(txn.vote(0, 0, 0, COMMIT)).isEmpty();
      assertThat(txn.vote(0, 1, 0, COMMIT)).containsExactly("arm SLOW_PATH 2000");
      assertThat(txn.vote(0, 2, 0, COMMIT))
          .containsExactly(
              "cancel SLOW_PATH",
              "p0 <- Decide commit #0 at [0]",
              "cancel RESEND",
              "cancel DEADLINE",
              "committed #0 FAST read [a=10/1:old] write [b/1=x]",
              "retire");
    }

    @Test
    void countsVotesOnConditionWhenAnyReplicaKnowsThatItHolds() {
      prepared(txn);
      assertThat(txn.vote(0, 0, 0, ON_CONDITION)).isEmpty();
      assertThat(txn.vote(0, 1, 0, ON_CONDITION)).isEmpty();
      assertThat(txn.vote(0, 2, 0, ON_CONDITION)).isEmpty();
      assertThat(txn.vote(0, 1, 0, COMMIT))
          .contains(
              "p0 <- Decide commit #0 at [0]", "committed #0 FAST read [a=10/1:old] write [b/1=x]");
    }

    @Test
    void needsTheConditionToHoldAtEachParticipant() {
      CoordinatorDriver two = preparedAtTwo();
      for (int replica = 0; replica < 3; replica++) {
        assertThat(two.vote(0, replica, 0, ON_CONDITION)).isEmpty();
        assertThat(two.vote(1, replica, 0, ON_CONDITION)).isEmpty();
      }
      assertThat(two.vote(0, 2, 0, COMMIT)).isEmpty();
      assertThat(two.vote(1, 0, 0, COMMIT))
          .contains("p0 <- Decide commit #0 at [0, 1]", "p1 <- Decide commit #0 at [0, 1]");
    }

    @Test
    void needsFiveVotesWithFiveReplicas() {
      CoordinatorDriver five = prepared(CoordinatorDriver.begun(new Topology(2, 0)));
      assertThat(five.votes(COMMIT, COMMIT, COMMIT, COMMIT)).containsExactly("arm SLOW_PATH 2000");
      assertThat(five.vote(0, 4, 0, COMMIT))
          .contains("committed #0 FAST read [a=10/1:old] write [b/1=x]");
    }

    @Test
    void needsAllReplicasOfEveryParticipant() {
      CoordinatorDriver two = preparedAtTwo();
      for (int replica = 0; replica < 3; replica++) {
        assertThat(two.vote(1, replica, 0, COMMIT)).isEmpty();
      }
      assertThat(two.vote(0, 0, 0, COMMIT)).isEmpty();
      assertThat(two.vote(0, 1, 0, COMMIT)).containsExactly("arm SLOW_PATH 2000");
      assertThat(two.vote(0, 2, 0, COMMIT))
          .contains("p0 <- Decide commit #0 at [0, 1]", "p1 <- Decide commit #0 at [0, 1]");
    }

    @Test
    void countsEachReplicaOnce() {
      prepared(txn);
      txn.vote(0, 0, 0, COMMIT);
      txn.vote(0, 1, 0, COMMIT);
      assertThat(txn.vote(0, 1, 0, COMMIT)).isEmpty();
      assertThat(txn.vote(0, 0, 0, COMMIT)).isEmpty();
    }

    @Test
    void doesNotCountWhoIsNoParticipant() {
      CoordinatorDriver two = CoordinatorDriver.begun(new Topology(1, 0, 0));
      two.put(keyIn(0, 2, 0), Value.of("x"));
      two.commit();
      two.vote(0, 0, 0, COMMIT);
      assertThat(two.vote(1, 1, 0, COMMIT)).isEmpty();
      assertThat(two.vote(1, 2, 0, COMMIT)).isEmpty();
    }

    @Test
    void doesNotCountVotesForOtherExecutions() {
      prepared(txn);
      for (int replica = 0; replica < 3; replica++) {
        assertThat(txn.vote(0, replica, 1, COMMIT)).isEmpty();
      }
    }
  }

  @Nested
  class WithoutTheFastPath {
    private final CoordinatorDriver slow =
        CoordinatorDriver.begun(new Topology(1, 0), CoordinatorDriver.OPTIONS.withoutFastPath());

    @Test
    void proposesAsSoonAsAMajorityVotes() {
      prepared(slow);
      assertThat(slow.vote(0, 0, 0, COMMIT)).isEmpty();
      assertThat(slow.vote(0, 1, 0, COMMIT)).containsExactly("p0 <- Finalize commit #0 at [0]");
      assertThat(slow.vote(0, 2, 0, COMMIT)).as("the last vote decides nothing").isEmpty();
      assertThat(slow.accept(2)).isEmpty();
      assertThat(slow.accept(0)).contains("committed #0 SLOW read [a=10/1:old] write [b/1=x]");
    }

    @Test
    void stillReexecutesOnAStaleRead() {
      prepared(slow);
      slow.vote(0, 0, 0, COMMIT);
      slow.vote(0, 1, 0, STALE);
      assertThat(slow.vote(0, 2, 0, STALE)).contains("resume #1 at 0 [new]");
      assertThat(slow.coordinator.execution()).isEqualTo(1);
    }
  }

  @Nested
  class SlowPath {

    @Test
    void isTakenWhenTheLastVotesStayAway() {
      prepared(txn);
      txn.votes(COMMIT, COMMIT);
      assertThat(txn.fires(Timer.SLOW_PATH)).containsExactly("p0 <- Finalize commit #0 at [0]");
      assertThat(txn.marks()).containsExactly(Branch.SLOW_COMMIT);
      assertThat(txn.accept(2)).isEmpty();
      assertThat(txn.accept(0))
          .containsExactly(
              "p0 <- Decide commit #0 at [0]",
              "cancel RESEND",
              "cancel DEADLINE",
              "committed #0 SLOW read [a=10/1:old] write [b/1=x]",
              "retire");
    }

    @Test
    void waitsHalfTheTimeThatTheMajorityTookMore() {
      prepared(txn);
      txn.vote(0, 0, 0, COMMIT);
      txn.nowMicros += 30_000;
      assertThat(txn.vote(0, 1, 0, COMMIT)).containsExactly("arm SLOW_PATH 17000");
    }

    /** How long the condition was open says nothing about how long the last vote may take. */
    @Test
    void theWaitForAConditionDoesNotCount() {
      txn.read(0, committed("a", version(30, 1), "x"));
      txn.commit();
      txn.nowMicros += 30_000;
      txn.vote(0, 0, 0, Vote.COMMIT_ON_CONDITION);
      txn.vote(0, 1, 0, Vote.COMMIT_ON_CONDITION);
      txn.nowMicros += 3_000_000;
      assertThat(txn.vote(0, 1, 0, COMMIT)).containsExactly("arm SLOW_PATH 17000");
    }

    @Test
    void isTakenAtOnceWhenTheFastPathIsOutOfReach() {
      prepared(txn);
      assertThat(txn.votes(LATER, COMMIT)).containsExactly("arm SLOW_PATH 2000");
      assertThat(txn.vote(0, 2, 0, COMMIT))
          .containsExactly("cancel SLOW_PATH", "p0 <- Finalize commit #0 at [0]");
    }

    @Test
    void isTakenOverTheNewerVersionsOfAMinority() {
      prepared(txn);
      txn.votes(STALE, COMMIT);
      assertThat(txn.vote(0, 2, 0, COMMIT))
          .containsExactly("cancel SLOW_PATH", "p0 <- Finalize commit #0 at [0]");
    }

    @Test
    void needsThreeVotesAndThreeAcceptancesWithFiveReplicas() {
      CoordinatorDriver five = prepared(CoordinatorDriver.begun(new Topology(2, 0)));
      assertThat(five.votes(COMMIT, COMMIT)).isEmpty();
      assertThat(five.vote(0, 2, 0, COMMIT)).containsExactly("arm SLOW_PATH 2000");
      five.fires(Timer.SLOW_PATH);
      assertThat(five.accept(0)).isEmpty();
      assertThat(five.accept(1)).isEmpty();
      assertThat(five.accept(4)).contains("p0 <- Decide commit #0 at [0]");
    }

    @Test
    void needsAMajorityInEveryParticipantAndAcceptancesAtHomeAlone() {
      CoordinatorDriver two = preparedAtTwo();
      two.vote(0, 0, 0, COMMIT);
      two.vote(0, 1, 0, COMMIT);
      assertThat(two.vote(1, 0, 0, COMMIT)).isEmpty();
      assertThat(two.vote(1, 1, 0, COMMIT)).containsExactly("arm SLOW_PATH 2000");
      assertThat(two.fires(Timer.SLOW_PATH)).containsExactly("p0 <- Finalize commit #0 at [0, 1]");
      assertThat(two.accept(1, 0)).isEmpty();
      assertThat(two.accept(1, 1)).isEmpty();
      assertThat(two.accept(0, 0)).isEmpty();
      assertThat(two.accept(0, 1))
          .contains("p0 <- Decide commit #0 at [0, 1]", "p1 <- Decide commit #0 at [0, 1]");
    }

    @Test
    void countsEachAcceptanceOnce() {
      prepared(txn);
      txn.votes(COMMIT, COMMIT);
      txn.fires(Timer.SLOW_PATH);
      txn.accept(0);
      assertThat(txn.accept(0)).isEmpty();
    }

    @Test
    void isOvertakenByTheLastVotes() {
      prepared(txn);
      txn.votes(COMMIT, COMMIT);
      txn.fires(Timer.SLOW_PATH);
      txn.accept(0);
      assertThat(txn.vote(0, 2, 0, COMMIT))
          .contains("committed #0 FAST read [a=10/1:old] write [b/1=x]");
      assertThat(txn.accept(1)).isEmpty();
    }

    @Test
    void keepsToItsProposalWhateverArrives() {
      prepared(txn);
      txn.votes(COMMIT, COMMIT);
      txn.fires(Timer.SLOW_PATH);
      assertThat(txn.vote(0, 2, 0, NEVER)).isEmpty();
      assertThat(txn.fires(Timer.SLOW_PATH)).isEmpty();
      assertThat(txn.fires(Timer.REVOTE)).isEmpty();
      assertThat(txn.refused(0, Message.Refusal.WRONG_PARTITION)).isEmpty();
      assertThat(txn.abort()).isEmpty();
      assertThat(txn.answer(0, 2, 0, new PrepareAnswer.Superseded(7))).isEmpty();
    }

    @Test
    void isFencedByItsOwnProposalWithoutHarm() {
      prepared(txn);
      txn.votes(COMMIT, COMMIT);
      txn.fires(Timer.SLOW_PATH);
      assertThat(txn.answer(0, 2, 0, new PrepareAnswer.Fenced(View.CLIENT))).isEmpty();
      txn.accept(2);
      assertThat(txn.accept(0)).contains("p0 <- Decide commit #0 at [0]");
    }
  }

  @Nested
  class AbandonAndReexecute {

    @Test
    void happensAtTheFirstFinalAbandonThatCarriesNewerVersions() {
      prepared(txn);
      assertThat(
              txn.votes(finalAbandon(Reason.MISSED_WRITE, committed("a", version(40, 1), "new"))))
          .containsExactly("resume #1 at 0 [new]");
    }

    @Test
    void happensWhenTentativeAbandonsLeaveNoMajority() {
      prepared(txn);
      assertThat(txn.vote(0, 0, 0, STALE)).isEmpty();
      assertThat(txn.vote(0, 1, 0, STALE)).containsExactly("resume #1 at 0 [new]");
    }

    @Test
    void happensAfterAWhileWhenAMinorityIsSilent() {
      prepared(txn);
      assertThat(txn.votes(COMMIT, STALE)).containsExactly("arm SLOW_PATH 2000");
      assertThat(txn.fires(Timer.SLOW_PATH)).containsExactly("resume #1 at 0 [new]");
    }

    @Test
    void takesTheNewestOfTheVersionsThatTheAbandonsCarry() {
      prepared(txn);
      Vote newest = tentative(Reason.MISSED_WRITE, Make.prepared("a", version(50, 2), "newest"));
      Vote between = tentative(Reason.MISSED_WRITE, Make.prepared("a", version(50, 1), "older"));
      txn.vote(0, 2, 0, between);
      assertThat(txn.vote(0, 0, 0, newest)).containsExactly("resume #1 at 0 [newest]");
    }

    @Test
    void startsAtTheEarliestStaleRead() {
      txn.read(0, committed("a", version(10, 1), "a1"));
      txn.read(1, committed("b", version(10, 1), "b1"));
      txn.read(2, committed("c", version(10, 1), "c1"));
      txn.commit();
      assertThat(
              txn.votes(
                  finalAbandon(
                      Reason.MISSED_WRITE,
                      committed("c", version(40, 1), "c2"),
                      committed("b", version(40, 1), "b2"))))
          .containsExactly("resume #1 at 1 [b2]");
      assertThat(txn.get("c")).containsExactly("resume #1 at 2 [c2]");
    }

    @Test
    void runsNothingAgainWhenTheValuesAreTheSame() {
      prepared(txn);
      assertThat(
              txn.votes(finalAbandon(Reason.MISSED_WRITE, committed("a", version(40, 1), "old"))))
          .containsExactly("p0 <- Prepare #1 read [a=40/1] write [b/1=x] at [0]");
      assertThat(txn.marks()).containsExactly(Branch.VALUE_UNCHANGED);
    }

    @Test
    void abortsWhenThePolicyHasHadEnough() {
      CoordinatorDriver limited =
          prepared(
              CoordinatorDriver.begun(
                  new Topology(1, 0),
                  new CoordinatorOptions(
                      10_000_000, 2_000_000, 1_000_000, 2_000, 0, ReexecutionPolicy.NEVER)));
      assertThat(limited.votes(STALE, STALE))
          .containsExactly("p0 <- Retract #1 [b]", "p0 <- Finalize abort");
    }
  }

  @Nested
  class VoteAgain {

    @Test
    void followsTentativeAbandonsThatCarryNothing() {
      prepared(txn);
      assertThat(txn.vote(0, 0, 0, LATER)).isEmpty();
      List<String> effects = txn.vote(0, 1, 0, LATER);
      assertThat(effects).hasSize(1).first().asString().startsWith("arm REVOTE ");
      assertThat(txn.fires(Timer.REVOTE))
          .containsExactly("p0 <- Prepare #1 read [a=10/1] write [b/1=x] at [0]");
      assertThat(txn.coordinator.reexecutions()).isZero();
    }

    @Test
    void isForgottenWhenAnotherVoteCarriesANewerVersion() {
      prepared(txn);
      txn.votes(LATER, LATER);
      assertThat(txn.vote(0, 2, 0, STALE)).containsExactly("cancel REVOTE", "resume #1 at 0 [new]");
      assertThat(txn.fires(Timer.REVOTE)).isEmpty();
    }

    @Test
    void isForgottenWhenAMajorityVotesToCommitAfterAll() {
      prepared(txn);
      txn.votes(LATER, COMMIT);
      assertThat(txn.fires(Timer.SLOW_PATH)).hasSize(1).first().asString().startsWith("arm REVOTE");
      assertThat(txn.vote(0, 2, 0, COMMIT))
          .containsExactly("cancel REVOTE", "p0 <- Finalize commit #0 at [0]");
    }

    @Test
    void comesAfterAPauseThatDoublesUpToTheResendTime() {
      prepared(txn);
      long pause = 3_000; // what the votes took
      for (int round = 0; round < 12; round++) {
        txn.nowMicros += 3_000;
        txn.vote(0, 0, round, LATER);
        txn.coordinator.step(
            txn.nowMicros,
            new Event.Received(
                new ReplicaId(0, 1),
                new Message.PrepareReply(
                    new ExecutionId(txn.coordinator.txn(), round), new PrepareAnswer.Voted(LATER))),
            txn.out);
        long most = Math.min(pause << round, 1_000_000);
        assertThat(txn.out.take())
            .hasSize(1)
            .allSatisfy(
                effect -> {
                  assertThat(effect).isInstanceOf(Armed.class);
                  assertThat(((Armed) effect).timer()).isEqualTo(Timer.REVOTE);
                  assertThat(((Armed) effect).delayMicros()).isBetween(most / 2, most);
                });
        txn.fires(Timer.REVOTE);
      }
    }

    @Test
    void doesNotWaitLongerWhenTheLastVoteWasLate() {
      prepared(txn);
      txn.nowMicros += 3_000;
      txn.votes(Vote.COMMIT_ON_CONDITION, LATER);
      txn.nowMicros += 500_000;
      assertThat(pauseAfter(2)).isBetween(1_500L, 3_000L);
    }

    @Test
    void waitsForSomeTimeBesideReplicasThatAnswerAtOnce() {
      prepared(txn);
      txn.vote(0, 0, 0, LATER);
      assertThat(pauseAfter(1)).isBetween(250L, 500L);
    }

    /** A replica abandons because of a later reader. Returns the pause before the next vote. */
    private long pauseAfter(int replica) {
      txn.coordinator.step(
          txn.nowMicros,
          new Event.Received(
              new ReplicaId(0, replica),
              new Message.PrepareReply(
                  new ExecutionId(txn.coordinator.txn(), 0), new PrepareAnswer.Voted(LATER))),
          txn.out);
      Armed armed = (Armed) txn.out.take().getLast();
      assertThat(armed.timer()).isEqualTo(Timer.REVOTE);
      return armed.delayMicros();
    }

    @Test
    void endsWithThePolicy() {
      CoordinatorDriver limited =
          prepared(
              CoordinatorDriver.begun(
                  new Topology(1, 0),
                  new CoordinatorOptions(
                      10_000_000, 2_000_000, 1_000_000, 2_000, 0, ReexecutionPolicy.upTo(1))));
      limited.votes(LATER, LATER);
      limited.fires(Timer.REVOTE);
      limited.votes(LATER, LATER);
      assertThat(limited.fires(Timer.REVOTE))
          .containsExactly("p0 <- Retract #2 [b]", "p0 <- Finalize abort");
      limited.accept(0);
      assertThat(limited.accept(1)).contains("aborted REEXECUTION_LIMIT");
    }

    @Test
    void isOfNoUseBelowTheFence() {
      prepared(txn);
      assertThat(txn.votes(tentative(Reason.TRUNCATED), tentative(Reason.TRUNCATED)))
          .containsExactly("p0 <- Retract #1 [b]", "p0 <- Finalize abort");
      txn.accept(0);
      assertThat(txn.accept(1)).contains("aborted TRUNCATED");
    }

    /** One replica has just restarted, and another one is far away: its vote is on the way. */
    @Test
    void aFenceOfOneReplicaDoesNotAbortWhileTheOthersMayCommit() {
      for (Reason reason : List.of(Reason.TRUNCATED, Reason.CLOCK_AHEAD)) {
        CoordinatorDriver far = prepared(CoordinatorDriver.begun());
        assertThat(far.votes(COMMIT, tentative(reason))).containsExactly("arm SLOW_PATH 2000");
        assertThat(far.fires(Timer.SLOW_PATH)).containsExactly("arm SLOW_PATH 1000000");
        assertThat(far.vote(0, 2, 0, COMMIT))
            .containsExactly("cancel SLOW_PATH", "p0 <- Finalize commit #0 at [0]");
      }
    }

    @Test
    void theWaitForTheOthersEnds() {
      prepared(txn);
      txn.votes(COMMIT, tentative(Reason.TRUNCATED));
      txn.fires(Timer.SLOW_PATH);
      assertThat(txn.fires(Timer.SLOW_PATH))
          .containsExactly("p0 <- Retract #1 [b]", "p0 <- Finalize abort");
    }

    @Test
    void othersThatCannotBeReachedAreNotAwaited() {
      prepared(txn);
      txn.step(new Event.Unreachable(Set.of(new ReplicaId(0, 2))));
      txn.votes(COMMIT, tentative(Reason.TRUNCATED));
      assertThat(txn.fires(Timer.SLOW_PATH))
          .containsExactly("p0 <- Retract #1 [b]", "p0 <- Finalize abort");
    }

    @Test
    void isOfNoUseWithAClockThatIsAhead() {
      prepared(txn);
      txn.votes(tentative(Reason.CLOCK_AHEAD), tentative(Reason.CLOCK_AHEAD));
      txn.accept(0);
      assertThat(txn.accept(1)).contains("aborted CLOCK_AHEAD");
    }
  }

  @Nested
  class Abort {

    @Test
    void followsAFinalAbandonWithoutNewerVersions() {
      prepared(txn);
      assertThat(txn.vote(0, 0, 0, finalAbandon(Reason.DIRTY_READ)))
          .containsExactly("p0 <- Retract #1 [b]", "p0 <- Finalize abort");
    }

    private static CoordinatorDriver neverReexecuting() {
      return CoordinatorDriver.begun(
          new Topology(1, 0),
          new CoordinatorOptions(
              8_000_000, 8_000_000, 1_000_000, 2_000, 0, ReexecutionPolicy.NEVER));
    }

    /**
     * The client of a writer can tell one replica alone that it has committed, or aborted. The
     * others vote to commit, and a recovery would find their votes.
     */
    @Test
    void isRecordedIfOneReplicaAloneFindsAConflict() {
      for (Reason reason : List.of(Reason.MISSED_WRITE, Reason.DIRTY_READ)) {
        CoordinatorDriver never = neverReexecuting();
        prepared(never);
        assertThat(never.votes(finalAbandon(reason, committed("a", version(40, 1), "new")), COMMIT))
            .containsExactly("p0 <- Retract #1 [b]", "p0 <- Finalize abort");
        assertThat(never.marks()).containsExactly(Branch.SLOW_ABORT);
        assertThat(never.accept(1)).isEmpty();
        assertThat(never.accept(2)).contains("p0 <- Decide abort");
      }
    }

    /** Each refuses by its own word, so no recovery finds f+1 votes. */
    @Test
    void needsNoRecordOnceAMajorityHasRefused() {
      CoordinatorDriver never = neverReexecuting();
      prepared(never);
      Vote missed = finalAbandon(Reason.MISSED_WRITE, committed("a", version(40, 1), "new"));
      assertThat(never.vote(0, 0, 0, missed))
          .containsExactly("p0 <- Retract #1 [b]", "p0 <- Finalize abort");
      assertThat(never.vote(0, 2, 0, missed)).contains("p0 <- Decide abort");
      assertThat(never.marks()).containsExactly(Branch.SLOW_ABORT, Branch.FAST_ABORT);
    }

    @Test
    void atTheDeadlineIsRecordedIfOneReplicaAloneFindsAConflict() {
      prepared(txn);
      txn.votes(NEVER, Vote.COMMIT_ON_CONDITION);
      assertThat(txn.fires(Timer.DEADLINE)).contains("p0 <- Finalize abort");
    }

    @Test
    void beforeAnyPrepareIsDecidedAtOnceAndToldToWhoeverWasTouched() {
      CoordinatorDriver two = CoordinatorDriver.begun(new Topology(1, 0, 0, 0));
      two.get(keyIn(2, 3, 0));
      assertThat(two.abort())
          .containsExactly(
              "p2 <- Decide abort",
              "cancel RESEND",
              "cancel DEADLINE",
              "aborted APPLICATION",
              "retire");
    }

    @Test
    void beforeAnybodyHeardOfTheTransactionTellsNobody() {
      txn.put("a", "x");
      assertThat(txn.abort())
          .containsExactly("cancel RESEND", "cancel DEADLINE", "aborted APPLICATION", "retire");
    }

    @Test
    void withValidationCommitsTheReadsInAnExecutionOfItsOwn() {
      txn.read(0, committed("a", version(30, 1), "x"));
      txn.put("b", "never");
      txn.get("c"); // shows the write
      assertThat(txn.commitReads())
          .as("the read of c was never answered")
          .containsExactly("p0 <- Prepare #1 read [a=30/1] write [] at [0]");
    }

    @Test
    void withValidationOfNothingIsDecidedAtOnce() {
      txn.put("a", "never");
      assertThat(txn.commitReads())
          .containsExactly("cancel RESEND", "cancel DEADLINE", "aborted APPLICATION", "retire");
    }

    @Test
    void ofTheOnlyExecutionEverPreparedFollowsAFinalAbandonAtOnce() {
      prepared(txn);
      assertThat(txn.votes(COMMIT, NEVER, NEVER))
          .containsExactly(
              "arm SLOW_PATH 2000",
              "cancel SLOW_PATH",
              "p0 <- Decide abort",
              "cancel RESEND",
              "cancel DEADLINE",
              "aborted CONFLICT",
              "retire");
      assertThat(txn.marks()).containsExactly(Branch.FAST_ABORT);
    }

    /** The client of a reader can tell one replica alone that the reader has committed. */
    @Test
    void doesNotFollowAReaderThatHasCommittedAtOneReplicaAlone() {
      prepared(txn);
      assertThat(txn.votes(NEVER, COMMIT, COMMIT)).asString().contains("Finalize commit");
      assertThat(txn.marks()).doesNotContain(Branch.FAST_ABORT);
    }

    @Test
    void goesThroughFinalizeIfOnlyOneReplicaRefusesAndTheLastVoteIsLate() {
      prepared(txn);
      txn.votes(NEVER, COMMIT);
      assertThat(txn.fires(Timer.SLOW_PATH)).asString().contains("Finalize", "abort");
      assertThat(txn.marks()).containsExactly(Branch.SLOW_ABORT);
    }

    @Test
    void ofAFinalAbandonThatOnlyALaterIdMendsComesBeforeReexecution() {
      prepared(txn);
      assertThat(
              txn.votes(
                  NEVER, finalAbandon(Reason.WRITE_MISSED, committed("a", version(40, 1), "new"))))
          .contains("aborted CONFLICT");
    }

    @Test
    void afterAReexecutionWasPreparedGoesThroughFinalize() {
      prepared(txn);
      txn.votes(STALE, STALE);
      txn.put("b", "x");
      txn.commit();
      txn.marks();
      assertThat(txn.votes(NEVER, NEVER))
          .containsExactly("p0 <- Retract #2 [b]", "p0 <- Finalize abort");
      assertThat(txn.marks()).containsExactly(Branch.SLOW_ABORT);
      assertThat(txn.accept(0)).isEmpty();
      assertThat(txn.accept(2))
          .containsExactly(
              "p0 <- Decide abort",
              "cancel RESEND",
              "cancel DEADLINE",
              "aborted CONFLICT",
              "retire");
    }

    /** Most readers that one replica knows commit, and those behind in the chain need not wait. */
    @Test
    void inAChainFollowsTheFirstReplicaThatHasSeenTheWriteMissed() {
      for (Vote missed : List.of(NEVER, tentative(Reason.REGISTERED_READ))) {
        CoordinatorDriver chained = prepared(CoordinatorDriver.begun());
        chained.votes(STALE, STALE);
        chained.put("b", "x");
        chained.commit();
        chained.out.takeForwarding();
        assertThat(chained.vote(0, 1, 1, missed))
            .containsExactly("p0 <- Retract #2 [b]", "p0 <- Finalize abort");
        assertThat(chained.out.takeForwarding()).containsExactly("withdrawn");
        chained.accept(0);
        assertThat(chained.accept(2)).contains("aborted CONFLICT");
      }
    }

    /** It keeps the reader from committing, unless that is the word of a lying client. */
    @Test
    void inAChainDoesNotFollowOneReplicaOnceAMajorityHasVotedToCommit() {
      for (Vote voted : List.of(COMMIT, Vote.COMMIT_ON_CONDITION)) {
        CoordinatorDriver chained = prepared(CoordinatorDriver.begun());
        chained.votes(STALE, STALE);
        chained.put("b", "x");
        chained.commit();
        assertThat(chained.votes(voted, voted, NEVER)).noneMatch(line -> line.contains("abort"));
      }
    }

    @Test
    void inAChainDoesNotFollowAReaderThatIsOnlyPrepared() {
      prepared(txn);
      txn.votes(STALE, STALE);
      txn.put("b", "x");
      txn.commit();
      assertThat(txn.vote(0, 1, 1, LATER)).isEmpty();
    }

    /** Votes and reads that are prepared where nothing was written would hold up others, too. */
    @Test
    void takesVotesBackWhereNothingWasWritten() {
      CoordinatorDriver two = CoordinatorDriver.begun(new Topology(1, 0, 0));
      Key read = keyIn(0, 2, 0);
      two.get(read);
      two.got(0, 0, 1, new VersionedValue(read, version(10, 1), Value.of("old"), true));
      two.put(keyIn(1, 2, 0), Value.of("y"));
      two.commit();
      assertThat(two.vote(0, 0, 0, finalAbandon(Reason.DIRTY_READ)))
          .anyMatch(effect -> effect.startsWith("p0 <- Drop #0"))
          .anyMatch(effect -> effect.startsWith("p1 <- Retract #1"))
          .last()
          .isEqualTo("p0 <- Finalize abort");
    }

    @Test
    void takesBackTheVotesOnTheLastExecution() {
      CoordinatorDriver two = CoordinatorDriver.begun(new Topology(1, 0, 0));
      Key read = keyIn(0, 2, 0);
      two.get(read);
      two.got(0, 0, 1, new VersionedValue(read, version(10, 1), Value.of("old"), true));
      two.put(keyIn(1, 2, 0), Value.of("y"));
      two.commit();
      VersionedValue newer = new VersionedValue(read, version(40, 1), Value.of("new"), true);
      two.vote(0, 0, 0, finalAbandon(Reason.MISSED_WRITE, newer));
      two.put(keyIn(1, 2, 0), Value.of("z"));
      two.commit();
      assertThat(two.vote(0, 0, 1, finalAbandon(Reason.DIRTY_READ)))
          .anyMatch(effect -> effect.startsWith("p0 <- Drop #1"))
          .anyMatch(effect -> effect.startsWith("p1 <- Retract #2"))
          .last()
          .isEqualTo("p0 <- Finalize abort");
    }

    @Test
    void afterTheSameOperationsWerePreparedAgainGoesThroughFinalize() {
      prepared(txn);
      txn.votes(LATER, LATER);
      txn.fires(Timer.REVOTE);
      assertThat(txn.votes(NEVER, NEVER))
          .containsExactly("p0 <- Retract #2 [b]", "p0 <- Finalize abort");
    }

    @Test
    void byTheApplicationAfterSomethingWasPreparedGoesThroughFinalize() {
      prepared(txn);
      txn.votes(STALE, STALE);
      assertThat(txn.abort()).containsExactly("p0 <- Retract #2 [b]", "p0 <- Finalize abort");
      txn.accept(0);
      assertThat(txn.accept(1)).contains("aborted APPLICATION");
    }

    @Test
    void onATentativeAbandonNeverComesAtOnce() {
      prepared(txn);
      assertThat(txn.votes(LATER, LATER, LATER)).noneMatch(effect -> effect.contains("Decide"));
    }

    @Test
    void followsTheRefusalOfTheContent() {
      prepared(txn);
      assertThat(txn.refused(0, Message.Refusal.OVERSIZED))
          .containsExactly("p0 <- Retract #1 [b]", "p0 <- Finalize abort");
      txn.accept(0);
      assertThat(txn.accept(1)).contains("aborted REFUSED");
    }
  }

  @Nested
  class EmptyTransaction {

    @Test
    void commitsWithoutAMessage() {
      CoordinatorDriver fresh = new CoordinatorDriver();
      assertThat(fresh.commit())
          .containsExactly(
              "arm DEADLINE 10000000",
              "arm RESEND 1000000",
              "cancel RESEND",
              "cancel DEADLINE",
              "committed #0 FAST read [] write []",
              "retire");
    }

    @Test
    void abortsWithoutAMessage() {
      assertThat(new CoordinatorDriver().abort()).noneMatch(effect -> effect.contains("<-"));
    }
  }

  @Test
  void readOnlyTransactionIsPreparedLikeAnyOther() {
    txn.read(0, absent("a"));
    assertThat(txn.commit()).containsExactly("p0 <- Prepare #0 read [a=initial] write [] at [0]");
    assertThat(txn.votes(COMMIT, COMMIT, COMMIT))
        .contains("committed #0 FAST read [a=initial:absent] write []");
  }

  @Nested
  class OutcomeOfOthers {

    @Test
    void isLearntFromThePrepareReply() {
      prepared(txn);
      assertThat(txn.answer(0, 1, 0, new PrepareAnswer.Decided(Outcome.ABORT)))
          .containsExactly(
              "p0 <- Decide abort", "cancel RESEND", "cancel DEADLINE", "aborted LEARNT", "retire");
    }

    @Test
    void isLearntFromTheFinalizeReply() {
      prepared(txn);
      txn.votes(COMMIT, COMMIT);
      txn.fires(Timer.SLOW_PATH);
      assertThat(
              txn.receive(
                  new ReplicaId(0, 1),
                  new Message.FinalizeReply(
                      txn.coordinator.txn(),
                      View.CLIENT,
                      new FinalizeAnswer.Decided(committing(0)))))
          .contains("committed #0 LEARNT read [a=10/1:old] write [b/1=x]");
    }

    @Test
    void isAskedForWhenARecoveryHasFencedTheClientOff() {
      prepared(txn);
      txn.votes(COMMIT, COMMIT);
      assertThat(txn.answer(0, 2, 0, new PrepareAnswer.Fenced(new View(1, 7))))
          .containsExactly("cancel SLOW_PATH", "p0 <- Inquire");
      assertThat(txn.marks()).containsExactly(Branch.FENCED);
      assertThat(txn.fires(Timer.RESEND)).containsExactly("arm RESEND 1000000", "p0 <- Inquire");
    }

    @Test
    void isAskedForWhenTheProposalWasFenced() {
      prepared(txn);
      txn.votes(COMMIT, COMMIT);
      txn.fires(Timer.SLOW_PATH);
      assertThat(
              txn.receive(
                  new ReplicaId(0, 1),
                  new Message.FinalizeReply(
                      txn.coordinator.txn(),
                      View.CLIENT,
                      new FinalizeAnswer.Fenced(new View(1, 7)))))
          .containsExactly("p0 <- Inquire");
      txn.accept(0);
      assertThat(txn.accept(2)).as("a fenced coordinator decides nothing").isEmpty();
    }

    @Test
    void canBeTheCommitOfAnOlderExecution() {
      prepared(txn);
      txn.votes(STALE, STALE);
      txn.put("c", "y");
      txn.commit();
      txn.answer(0, 2, 1, new PrepareAnswer.Fenced(new View(1, 7)));
      assertThat(txn.decided(1, committing(0)))
          .containsExactly(
              "p0 <- Decide commit #0 at [0]",
              "cancel RESEND",
              "cancel DEADLINE",
              "committed #0 LEARNT read [a=10/1:old] write [b/1=x]",
              "retire");
    }

    @Test
    void makesEverythingAfterItVoid() {
      prepared(txn);
      txn.decided(1, Outcome.ABORT);
      assertThat(txn.votes(COMMIT, COMMIT, COMMIT)).isEmpty();
      assertThat(txn.decided(2, Outcome.ABORT)).isEmpty();
      assertThat(txn.pushed(0, 2, committed("a", version(40, 1), "new"))).isEmpty();
      for (Timer timer : Timer.values()) {
        assertThat(txn.fires(timer)).isEmpty();
      }
    }
  }

  @Nested
  class AnotherHome {

    private TxnId elsewhere() {
      return new TxnId(txn.txn().timeMicros(), txn.txn().clientId(), 1);
    }

    @Test
    void theOutcomeOfAnotherTransactionOfTheSameTimeSaysNothing() {
      prepared(txn);
      assertThat(txn.receive(new ReplicaId(1, 0), new Message.Decide(elsewhere(), Outcome.ABORT)))
          .isEmpty();
      assertThat(txn.votes(COMMIT, COMMIT, COMMIT))
          .contains("committed #0 FAST read [a=10/1:old] write [b/1=x]");
    }

    @Test
    void nobodyIsToldThatAnotherTransactionOfTheSameTimeIsOpen() {
      prepared(txn);
      assertThat(txn.receive(new ReplicaId(1, 0), new Message.Inquire(elsewhere()))).isEmpty();
    }
  }

  @Nested
  class Inquiries {

    @Test
    void areAnsweredWithIgnoranceWhileNothingIsCertain() {
      prepared(txn);
      ReplicaId replica = new ReplicaId(0, 2);
      assertThat(txn.receive(replica, new Message.Inquire(txn.coordinator.txn())))
          .containsExactly("p0r2 <- InquireReply");
    }

    /** An answer would delay the next recovery if the one that runs has died. */
    @Test
    void areNotAnsweredWhileARecoveryRuns() {
      prepared(txn);
      txn.answer(0, 1, 0, new PrepareAnswer.Fenced(new View(1, 7)));
      assertThat(txn.receive(new ReplicaId(0, 2), new Message.Inquire(txn.coordinator.txn())))
          .isEmpty();
    }

    @Test
    void areAnsweredWithTheOutcome() {
      CoordinatorDriver waiting =
          prepared(
              CoordinatorDriver.begun(
                  new Topology(1, 0),
                  new CoordinatorOptions(
                      10_000_000,
                      2_000_000,
                      1_000_000,
                      2_000,
                      2_000_000,
                      ReexecutionPolicy.upTo(9))));
      waiting.votes(COMMIT, COMMIT, COMMIT);
      assertThat(
              waiting.receive(new ReplicaId(0, 2), new Message.Inquire(waiting.coordinator.txn())))
          .containsExactly("p0r2 <- Decide commit #0 at [0]");
    }

    @Test
    void fromAnybodyAreAnswered() {
      assertThat(
              txn.step(
                  new Event.Received(new ClientId(5), new Message.Inquire(txn.coordinator.txn()))))
          .containsExactly("c5 <- InquireReply");
    }
  }

  /** The transaction's timestamp is 100; the clock stands at it and the uncertainty is 1,000. */
  @Nested
  class CommitWait {
    private final CoordinatorDriver uncertain =
        CoordinatorDriver.begun(
            new Topology(1, 0),
            new CoordinatorOptions(
                10_000_000, 2_000_000, 1_000_000, 2_000, 1_000, ReexecutionPolicy.upTo(9)));

    private List<String> commitAt(long nowMicros) {
      uncertain.nowMicros = nowMicros;
      prepared(uncertain);
      uncertain.votes(COMMIT, COMMIT);
      return uncertain.vote(0, 2, 0, COMMIT);
    }

    @Test
    void delaysTheAnswerButNotTheOutcome() {
      assertThat(commitAt(100))
          .containsExactly(
              "cancel SLOW_PATH",
              "p0 <- Decide commit #0 at [0]",
              "cancel RESEND",
              "arm COMMIT_WAIT 2001");
      assertThat(uncertain.firesAfter(2_001, Timer.COMMIT_WAIT))
          .containsExactly(
              "cancel DEADLINE", "committed #0 FAST read [a=10/1:old] write [b/1=x]", "retire");
    }

    @Test
    void isOverWhenTheCommitTookAsLong() {
      assertThat(commitAt(2_101))
          .endsWith("committed #0 FAST read [a=10/1:old] write [b/1=x]", "retire");
    }

    /** A transaction that takes the same timestamp may come before this one. */
    @Test
    void isNotOverWhileAClockMayShowTheTimestamp() {
      assertThat(commitAt(2_100)).endsWith("arm COMMIT_WAIT 1");
    }

    @Test
    void beginsAnewWhenTheClockWasSetBack() {
      commitAt(100);
      uncertain.nowMicros = 1_600;
      assertThat(uncertain.fires(Timer.COMMIT_WAIT)).containsExactly("arm COMMIT_WAIT 501");
    }

    @Test
    void goesOnAtTheDeadlineIfItIsAboutToEnd() {
      commitAt(100);
      uncertain.nowMicros = 1_600;
      assertThat(uncertain.fires(Timer.DEADLINE)).containsExactly("arm DEADLINE 2002000");
      assertThat(uncertain.firesAfter(501, Timer.COMMIT_WAIT))
          .endsWith("committed #0 FAST read [a=10/1:old] write [b/1=x]", "retire");
    }

    @Test
    void endsAtTheDeadlineIfTheClockWasSetBackByFar() {
      commitAt(100);
      uncertain.nowMicros = -2_000_000;
      assertThat(uncertain.fires(Timer.DEADLINE))
          .containsExactly("cancel COMMIT_WAIT", "unknown", "retire");
      assertThat(uncertain.fires(Timer.COMMIT_WAIT)).isEmpty();
    }

    @Test
    void isNotForAborts() {
      uncertain.nowMicros = 100;
      prepared(uncertain);
      assertThat(uncertain.votes(NEVER, NEVER)).endsWith("aborted CONFLICT", "retire");
    }
  }

  @Test
  void keysOfOnePartitionAreTheOnlyOnesInItsPrepare() {
    CoordinatorDriver two = CoordinatorDriver.begun(new Topology(1, 0, 0));
    Key a = keyIn(0, 2, 0);
    Key b = keyIn(1, 2, 0);
    two.put(a, Value.of("x"));
    two.put(b, Value.of("y"));
    assertThat(two.commit())
        .containsExactly(
            "p0 <- Prepare #0 read [] write [" + a + "/1=x] at [0, 1]",
            "p1 <- Prepare #0 read [] write [" + b + "/1=y] at [0, 1]");
  }
}
