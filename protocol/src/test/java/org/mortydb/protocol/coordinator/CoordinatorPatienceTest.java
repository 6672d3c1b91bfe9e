package org.mortydb.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.uncommitted;
import static org.mortydb.protocol.testing.Make.version;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;

/** Loss, refusals and deadlines. */
class CoordinatorPatienceTest {
  private static final long RESEND = CoordinatorDriver.OPTIONS.resendMicros();

  private final CoordinatorDriver txn = CoordinatorDriver.begun();

  private void prepared() {
    txn.read(0, committed("a", version(10, 1), "old"));
    txn.put("b", "x");
    txn.commit();
  }

  private void proposed() {
    prepared();
    txn.votes(Vote.COMMIT, Vote.COMMIT);
    txn.fires(Timer.SLOW_PATH);
  }

  @Nested
  class Resend {

    @Test
    void ofAReadGoesToTheNextReplica() {
      txn.get("a");
      assertThat(txn.firesAfter(RESEND, Timer.RESEND))
          .containsExactly("arm RESEND 1000000", "p0r1 <- Get 1 a");
      assertThat(txn.firesAfter(RESEND, Timer.RESEND))
          .containsExactly("arm RESEND 1000000", "p0r2 <- Get 2 a");
      assertThat(txn.firesAfter(RESEND, Timer.RESEND))
          .containsExactly("arm RESEND 1000000", "p0r0 <- Get 3 a");
    }

    @Test
    void ofAReadAcceptsTheFirstAnswerWhoeverGivesIt() {
      txn.get("a");
      txn.firesAfter(RESEND, Timer.RESEND);
      assertThat(txn.got(0, 0, 1, absent("a"))).containsExactly("resume #0 at 0 [absent]");
      // From then on only that replica is listened to.
      assertThat(txn.got(1, 1, 5, committed("a", version(40, 1), "x"))).isEmpty();
      assertThat(txn.pushed(0, 2, committed("a", version(40, 1), "x")))
          .containsExactly("resume #1 at 0 [x]");
    }

    @Test
    void ofAReadThatWasJustSentWaitsForTheNextTime() {
      txn.nowMicros += RESEND * 3 / 4;
      txn.get("a");
      assertThat(txn.firesAfter(RESEND / 4, Timer.RESEND)).containsExactly("arm RESEND 1000000");
      assertThat(txn.firesAfter(RESEND, Timer.RESEND)).hasSize(2);
    }

    @Test
    void ofParallelReadsGoesOnlyToWhoHasNotAnswered() {
      txn.get("a", "b");
      txn.got(0, 0, 1, absent("a"));
      assertThat(txn.firesAfter(RESEND, Timer.RESEND))
          .containsExactly("arm RESEND 1000000", "p0r1 <- Get 2 b");
    }

    @Test
    void isNothingWhileTheApplicationComputes() {
      txn.read(0, absent("a"));
      assertThat(txn.firesAfter(RESEND, Timer.RESEND)).containsExactly("arm RESEND 1000000");
    }

    @Test
    void ofAPrepareGoesOnlyToWhoHasNotVoted() {
      prepared();
      txn.vote(0, 1, 0, Vote.COMMIT);
      assertThat(txn.firesAfter(RESEND, Timer.RESEND))
          .containsExactly(
              "arm RESEND 1000000",
              "p0r0 <- Prepare #0 read [a=10/1] write [b/1=x] at [0]",
              "p0r2 <- Prepare #0 read [a=10/1] write [b/1=x] at [0]");
    }

    /** The replicas of a new partition begin to serve one after the other. */
    @Test
    void ofAPrepareFollowsSoonAfterAReplicaDidNotServe() {
      prepared();
      txn.vote(0, 1, 0, Vote.COMMIT);
      txn.nowMicros += 3_000;
      assertThat(txn.refused(2, Refusal.NOT_SERVING)).containsExactly("arm RESEND 20000");
      assertThat(txn.refused(0, Refusal.NOT_SERVING)).isEmpty(); // soon enough
      assertThat(txn.firesAfter(20_000, Timer.RESEND))
          .containsExactly(
              "arm RESEND 1000000",
              "p0r0 <- Prepare #0 read [a=10/1] write [b/1=x] at [0]",
              "p0r2 <- Prepare #0 read [a=10/1] write [b/1=x] at [0]");
      txn.nowMicros += 17_000;
      assertThat(txn.refused(2, Refusal.NOT_SERVING)).containsExactly("arm RESEND 40000");
      assertThat(txn.firesAfter(40_000, Timer.RESEND)).hasSize(3);
      txn.nowMicros += 10 * RESEND;
      assertThat(txn.refused(2, Refusal.NOT_SERVING)).containsExactly("arm RESEND " + RESEND);
    }

    @Test
    void ofAPrepareDoesNotFollowWhenTheReplicaHasVoted() {
      prepared();
      txn.vote(0, 1, 0, Vote.COMMIT);
      assertThat(txn.refused(1, Refusal.NOT_SERVING)).isEmpty(); // an earlier write, perhaps
    }

    @Test
    void ofAPrepareGoesToThoseWhoseConditionIsOpen() {
      prepared();
      txn.votes(Vote.COMMIT_ON_CONDITION, Vote.COMMIT_ON_CONDITION);
      assertThat(txn.firesAfter(RESEND, Timer.RESEND)).hasSize(4);
      txn.vote(0, 0, 0, Vote.COMMIT);
      assertThat(txn.firesAfter(RESEND, Timer.RESEND))
          .containsExactly(
              "arm RESEND 1000000", "p0r2 <- Prepare #0 read [a=10/1] write [b/1=x] at [0]");
    }

    @Test
    void ofAProposalGoesOnlyToWhoHasNotAccepted() {
      proposed();
      txn.accept(1);
      assertThat(txn.fires(Timer.RESEND))
          .containsExactly(
              "arm RESEND 1000000",
              "p0r0 <- Finalize commit #0 at [0]",
              "p0r2 <- Finalize commit #0 at [0]");
    }

    @Test
    void endsWithTheOutcome() {
      prepared();
      txn.votes(Vote.COMMIT, Vote.COMMIT, Vote.COMMIT);
      assertThat(txn.fires(Timer.RESEND)).isEmpty();
    }
  }

  @Nested
  class RefusedRead {

    @Test
    void goesToTheNextReplica() {
      txn.get("a");
      assertThat(txn.refused(0, Refusal.CLOCK_AHEAD)).containsExactly("p0r1 <- Get 1 a");
      assertThat(txn.got(1, 1, 1, absent("a"))).containsExactly("resume #0 at 0 [absent]");
    }

    @Test
    void byEveryReplicaAborts() {
      txn.get("a");
      txn.refused(0, Refusal.CLOCK_AHEAD);
      txn.refused(1, Refusal.CLOCK_AHEAD);
      assertThat(txn.refused(2, Refusal.CLOCK_AHEAD))
          .containsExactly(
              "p0 <- Decide abort",
              "cancel RESEND",
              "cancel DEADLINE",
              "aborted CLOCK_AHEAD",
              "retire");
    }

    /** Its keys have moved to a partition that is about to serve. */
    @Test
    void byReplicasThatDoNotServeYetIsRepeatedSoon() {
      txn.get("a");
      assertThat(txn.refused(0, Refusal.NOT_SERVING)).containsExactly("p0r1 <- Get 1 a");
      assertThat(txn.refused(1, Refusal.NOT_SERVING)).containsExactly("p0r2 <- Get 2 a");
      assertThat(txn.refused(2, Refusal.NOT_SERVING)).containsExactly("arm RESEND 20000");
      assertThat(txn.refused(2, Refusal.NOT_SERVING)).isEmpty(); // a duplicate
      assertThat(txn.firesAfter(20_000, Timer.RESEND))
          .containsExactly("arm RESEND 1000000", "p0r0 <- Get 3 a");
      assertThat(txn.got(0, 3, 1, absent("a"))).containsExactly("resume #0 at 0 [absent]");
    }

    @Test
    void byReplicasThatDoNotServeForLongAborts() {
      txn.get("a");
      for (int replica = 0; replica < 3; replica++) {
        txn.refused(replica, Refusal.NOT_SERVING);
      }
      txn.firesAfter(RESEND, Timer.RESEND);
      txn.refused(0, Refusal.NOT_SERVING);
      txn.refused(1, Refusal.NOT_SERVING);
      assertThat(txn.refused(2, Refusal.NOT_SERVING)).contains("aborted NOT_SERVING", "retire");
    }

    @Test
    void forItsAgeAbortsWithThatReason() {
      txn.get("a");
      txn.refused(0, Refusal.TRUNCATED);
      txn.refused(1, Refusal.TRUNCATED);
      assertThat(txn.refused(2, Refusal.TRUNCATED)).contains("aborted TRUNCATED");
    }

    @Test
    void byAReplicaThatIsNotAskedAnyMoreIsIgnored() {
      txn.get("a");
      txn.refused(0, Refusal.CLOCK_AHEAD);
      assertThat(txn.refused(0, Refusal.CLOCK_AHEAD)).isEmpty();
      assertThat(txn.refused(2, Refusal.CLOCK_AHEAD)).isEmpty();
    }

    @Test
    void forItsContentAbortsAtOnce() {
      txn.get("a");
      assertThat(txn.refused(0, Refusal.WRONG_PARTITION))
          .containsExactly(
              "p0 <- Decide abort",
              "cancel RESEND",
              "cancel DEADLINE",
              "aborted REFUSED",
              "retire");
    }

    @Test
    void forLackOfRightsAbortsAtOnce() {
      txn.get("a");
      assertThat(txn.refused(0, Refusal.NOT_AUTHORIZED))
          .containsExactly(
              "p0 <- Decide abort",
              "cancel RESEND",
              "cancel DEADLINE",
              "aborted NOT_AUTHORIZED",
              "retire");
    }
  }

  @Test
  void refusalOfAWriteAloneIsIgnored() {
    txn.put("a", "x");
    txn.yield();
    assertThat(txn.refused(0, Refusal.CLOCK_AHEAD)).isEmpty();
  }

  @Test
  void refusalOfAWriteForLackOfRightsAborts() {
    txn.put("a", "x");
    txn.yield();
    assertThat(txn.refused(0, Refusal.NOT_AUTHORIZED)).contains("aborted NOT_AUTHORIZED", "retire");
  }

  @Test
  void refusalOfAPrepareForLackOfRightsProposesToAbort() {
    prepared();
    assertThat(txn.refused(0, Refusal.NOT_AUTHORIZED)).contains("p0 <- Finalize abort");
    txn.accept(0);
    assertThat(txn.accept(1)).contains("aborted NOT_AUTHORIZED", "retire");
  }

  /** docs/protocol.md, section 12, Other ids. */
  @Nested
  class Renumbered {
    private List<String> renumber() {
      return txn.step(new Event.Renumber());
    }

    @Test
    void abortsAtOnceWhileItWaitsForAVersionToSettle() {
      txn.read(0, uncommitted("a", version(30, 1), "x"));
      txn.put("b", "y");
      txn.commit();
      assertThat(renumber())
          .containsExactly(
              "p0 <- Decide abort",
              "cancel RESEND",
              "cancel DEADLINE",
              "aborted RENUMBERED",
              "retire");
    }

    @Test
    void proposesToAbortWhatWasPrepared() {
      prepared();
      assertThat(renumber()).containsExactly("p0 <- Retract #1 [b]", "p0 <- Finalize abort");
      txn.accept(0);
      assertThat(txn.accept(1)).contains("aborted RENUMBERED", "retire");
    }

    @Test
    void goesOnWhileTheApplicationRunsOrWaitsForARead() {
      txn.get("a");
      assertThat(renumber()).isEmpty();
      txn.got(0, 0, 1, absent("a"));
      assertThat(renumber()).isEmpty();
      assertThat(txn.commit()).isNotEmpty();
    }

    /** Somebody may know of the outcome, so nobody may propose another one. */
    @Test
    void goesOnOnceAnOutcomeIsProposed() {
      proposed();
      assertThat(renumber()).isEmpty();
      txn.accept(0);
      assertThat(txn.accept(1)).contains("committed #0 SLOW read [a=10/1:old] write [b/1=x]");
      assertThat(renumber()).isEmpty();
    }
  }

  /** docs/protocol.md, section 7, Loss. */
  @Nested
  class Unreachable {
    private static final ReplicaId CLOSEST = new ReplicaId(0, 0);
    private static final ReplicaId NEXT = new ReplicaId(0, 1);
    private static final ReplicaId LAST = new ReplicaId(0, 2);

    private List<String> lose(ReplicaId... replicas) {
      return txn.step(new Event.Unreachable(Set.of(replicas)));
    }

    @Test
    void readGoesToTheNextReplicaAtOnce() {
      txn.get("a");
      assertThat(lose(CLOSEST)).containsExactly("p0r1 <- Get 1 a");
      assertThat(txn.got(1, 1, 1, absent("a"))).containsExactly("resume #0 at 0 [absent]");
    }

    @Test
    void readStaysWithAReplicaThatIsReached() {
      txn.get("a");
      assertThat(lose(NEXT, LAST)).isEmpty();
      assertThat(txn.firesAfter(RESEND, Timer.RESEND))
          .containsExactly("arm RESEND 1000000", "p0r1 <- Get 1 a"); // the hint may be wrong
    }

    @Test
    void readSkipsAllThatAreNotReached() {
      lose(CLOSEST, NEXT);
      assertThat(txn.get("a")).contains("p0r2 <- Get 0 a");
    }

    @Test
    void readOfAllIsStillAsked() {
      lose(CLOSEST, NEXT, LAST);
      assertThat(txn.get("a")).contains("p0r0 <- Get 0 a");
      assertThat(txn.firesAfter(RESEND, Timer.RESEND)).contains("p0r1 <- Get 1 a");
    }

    @Test
    void readGoesBackToAReplicaThatIsFoundAgain() {
      lose(CLOSEST);
      lose();
      assertThat(txn.get("a")).contains("p0r0 <- Get 0 a");
    }

    /** The version may settle, and nobody would say so. */
    @Test
    void prepareDoesNotWaitForPushes() {
      txn.read(0, uncommitted("a", version(30, 1), "x"));
      txn.put("b", "y");
      txn.commit();
      assertThat(lose(LAST)).isEmpty();
      assertThat(lose(CLOSEST)).contains("p0 <- Prepare #0 read [a=30/1] write [b/1=y] at [0]");
    }

    @Test
    void votesOfAMajorityAreEnoughAtOnce() {
      prepared();
      txn.votes(Vote.COMMIT, Vote.COMMIT);
      assertThat(lose(CLOSEST)).isEmpty(); // that one has voted
      assertThat(lose(LAST)).contains("p0 <- Finalize commit #0 at [0]");
    }

    @Test
    void votesAreNotAwaitedOfThoseThatWereLostBefore() {
      lose(LAST);
      prepared();
      txn.vote(0, 0, 0, Vote.COMMIT);
      assertThat(txn.vote(0, 1, 0, Vote.COMMIT)).contains("p0 <- Finalize commit #0 at [0]");
    }

    @Test
    void votesOfAMinorityAreNotEnough() {
      lose(CLOSEST, LAST);
      prepared();
      assertThat(txn.vote(0, 1, 0, Vote.COMMIT)).isEmpty();
      assertThat(txn.votes(Vote.COMMIT, Vote.COMMIT, Vote.COMMIT)) // the hint was wrong
          .contains("committed #0 FAST read [a=10/1:old] write [b/1=x]");
    }
  }

  @Nested
  class Deadline {

    @Test
    void abortsAtOnceWhenNothingWasPrepared() {
      txn.get("a");
      assertThat(txn.fires(Timer.DEADLINE))
          .containsExactly(
              "arm DEADLINE 2000000",
              "p0 <- Decide abort",
              "cancel RESEND",
              "cancel DEADLINE",
              "aborted DEADLINE",
              "retire");
    }

    @Test
    void proposesToAbortWhatWasPrepared() {
      prepared();
      assertThat(txn.fires(Timer.DEADLINE))
          .containsExactly("arm DEADLINE 2000000", "p0 <- Retract #1 [b]", "p0 <- Finalize abort");
      txn.accept(0);
      assertThat(txn.accept(1)).contains("aborted DEADLINE", "retire");
    }

    @Test
    void leavesAProposalTheGraceTime() {
      proposed();
      assertThat(txn.fires(Timer.DEADLINE)).containsExactly("arm DEADLINE 2000000");
      txn.accept(0);
      assertThat(txn.accept(1)).contains("committed #0 SLOW read [a=10/1:old] write [b/1=x]");
    }

    @Test
    void thenTellsTheApplicationThatTheOutcomeIsUnknown() {
      proposed();
      txn.fires(Timer.DEADLINE);
      assertThat(txn.fires(Timer.DEADLINE)).containsExactly("arm DEADLINE 10000000", "unknown");
    }

    @Test
    void isNeverFollowedByAGuess() {
      prepared();
      txn.fires(Timer.DEADLINE);
      assertThat(txn.fires(Timer.DEADLINE)).containsExactly("arm DEADLINE 10000000", "unknown");
    }

    @Test
    void goesOnForTheOthersAfterTheApplicationWasTold() {
      proposed();
      txn.fires(Timer.DEADLINE);
      txn.fires(Timer.DEADLINE);
      assertThat(txn.fires(Timer.RESEND)).contains("p0r0 <- Finalize commit #0 at [0]");
      txn.accept(0);
      assertThat(txn.accept(1))
          .containsExactly(
              "p0 <- Decide commit #0 at [0]", "cancel RESEND", "cancel DEADLINE", "retire");
    }

    @Test
    void givesUpInTheEnd() {
      proposed();
      txn.fires(Timer.DEADLINE);
      txn.fires(Timer.DEADLINE);
      assertThat(txn.fires(Timer.DEADLINE)).containsExactly("cancel RESEND", "retire");
    }

    @Test
    void holdsForALearnerToo() {
      prepared();
      txn.answer(0, 0, 0, new PrepareAnswer.Fenced(new View(1, 7)));
      assertThat(txn.fires(Timer.DEADLINE)).containsExactly("arm DEADLINE 2000000");
      assertThat(txn.fires(Timer.DEADLINE)).contains("unknown");
      assertThat(txn.decided(0, committing(0)))
          .containsExactly(
              "p0 <- Decide commit #0 at [0]", "cancel RESEND", "cancel DEADLINE", "retire");
    }
  }
}
