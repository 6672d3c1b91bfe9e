package org.mortydb.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.finalAbandon;
import static org.mortydb.protocol.testing.Make.keyIn;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.uncommitted;
import static org.mortydb.protocol.testing.Make.version;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.testing.Make;

/** Read-only transactions (docs/protocol.md, section 3). */
class CoordinatorRegisterTest {
  private static final Vote COMMIT = Vote.COMMIT;
  private static final Vote REGISTERED_READ = tentative(Reason.REGISTERED_READ);
  private static final CoordinatorOptions OPTIONS =
      new CoordinatorOptions(
          10_000_000, 2_000_000, 1_000_000, 2_000, 0, ReexecutionPolicy.upTo(100));

  private final CoordinatorDriver txn = CoordinatorDriver.begun(new Topology(1, 0), OPTIONS);

  /** Has read a = old. */
  private static List<String> committing(CoordinatorDriver txn) {
    txn.read(0, committed("a", version(10, 1), "old"));
    return txn.commit();
  }

  @Test
  void asksTheClosestMajority() {
    assertThat(committing(txn))
        .containsExactly(
            "p0r0 <- Register #0 read [a=10/1]",
            "p0r1 <- Register #0 read [a=10/1]",
            "arm SLOW_PATH 2000");
    CoordinatorDriver far =
        CoordinatorDriver.begun(Topology.ofNearest(1, new int[][] {{2, 0, 1}}), OPTIONS);
    far.get("a");
    far.got(2, 0, 1, committed("a", version(10, 1), "old"));
    assertThat(far.commit())
        .containsExactly(
            "p0r2 <- Register #0 read [a=10/1]",
            "p0r0 <- Register #0 read [a=10/1]",
            "arm SLOW_PATH 2000");
  }

  /** A replica that cannot find votes on it must not recover it, and end with an abort. */
  @Test
  void whoAsksHearsOfACommitWithoutParticipants() {
    CoordinatorDriver waiting =
        CoordinatorDriver.begun(
            new Topology(1, 0),
            new CoordinatorOptions(
                10_000_000, 2_000_000, 1_000_000, 2_000, 2_000_000, ReexecutionPolicy.upTo(9)));
    committing(waiting);
    waiting.vote(0, 0, 0, COMMIT);
    waiting.vote(0, 1, 0, COMMIT);
    assertThat(waiting.receive(new ReplicaId(0, 2), new Message.Inquire(waiting.coordinator.txn())))
        .containsExactly("p0r2 <- Decide commit #0 at []");
  }

  /** docs/protocol.md, section 7, Loss. */
  @Test
  void asksAllIfOneOfTheClosestCannotBeReached() {
    txn.step(new Event.Unreachable(Set.of(new ReplicaId(0, 1))));
    assertThat(committing(txn))
        .containsExactly(
            "p0r0 <- Register #0 read [a=10/1]",
            "p0r1 <- Register #0 read [a=10/1]",
            "arm SLOW_PATH 2000",
            "p0r2 <- Register #0 read [a=10/1]");
    assertThat(txn.marks()).contains(Branch.REGISTERS_WIDELY);
    txn.vote(0, 0, 0, COMMIT);
    assertThat(txn.vote(0, 2, 0, COMMIT)).contains("retire");
  }

  @Test
  void asksAllWhenOneOfTheClosestIsLostBeforeItHasVoted() {
    committing(txn);
    txn.vote(0, 1, 0, COMMIT);
    Event last = new Event.Unreachable(Set.of(new ReplicaId(0, 2), new ReplicaId(0, 1)));
    assertThat(txn.step(last)).isEmpty(); // one has voted, the other was not asked
    assertThat(txn.step(new Event.Unreachable(Set.of(new ReplicaId(0, 0)))))
        .containsExactly("p0r2 <- Register #0 read [a=10/1]");
  }

  @Test
  void commitsWithThemAndTellsNobody() {
    committing(txn);
    assertThat(txn.vote(0, 1, 0, COMMIT)).isEmpty();
    assertThat(txn.vote(0, 0, 0, COMMIT))
        .containsExactly(
            "cancel SLOW_PATH",
            "cancel RESEND",
            "cancel DEADLINE",
            "committed #0 READ_ONLY read [a=10/1:old] write []",
            "retire");
  }

  @Test
  void aMajorityOfEachParticipantIsNeeded() {
    CoordinatorDriver two = CoordinatorDriver.begun(new Topology(1, 0, 0), OPTIONS);
    Key here = keyIn(0, 2, 0);
    Key there = keyIn(1, 2, 0);
    two.get(here, there);
    two.got(0, 0, 1, new VersionedValue(here, WriteId.INITIAL, Value.ABSENT, true));
    two.receive(
        new ReplicaId(1, 0),
        new org.mortydb.protocol.message.Message.GetReply(
            two.coordinator.txn(), 1, 1, WriteId.INITIAL, Value.ABSENT, true));
    assertThat(two.commit()).hasSize(5);
    assertThat(two.votes(COMMIT, COMMIT, COMMIT)).isEmpty();
    assertThat(two.vote(1, 0, 0, COMMIT)).isEmpty();
    assertThat(two.vote(1, 1, 0, COMMIT)).contains("retire");
  }

  @Test
  void aVoteOnConditionDoesNotCount() {
    committing(txn);
    assertThat(txn.vote(0, 0, 0, Vote.COMMIT_ON_CONDITION)).isEmpty();
    assertThat(txn.vote(0, 1, 0, Vote.COMMIT_ON_CONDITION)).isEmpty();
  }

  @Test
  void theOthersAreAskedWhenTheClosestAreLate() {
    committing(txn);
    txn.vote(0, 0, 0, COMMIT);
    assertThat(txn.firesAfter(2_000, Timer.SLOW_PATH))
        .containsExactly("p0r2 <- Register #0 read [a=10/1]");
    assertThat(txn.marks()).contains(Branch.REGISTERS_WIDELY);
    assertThat(txn.vote(0, 2, 0, COMMIT)).contains("retire");
  }

  @Test
  void theOthersAreAskedOnceWhenOneAbandons() {
    committing(txn);
    assertThat(txn.vote(0, 1, 0, tentative(Reason.MISSED_WRITE)))
        .containsExactly(
            "p0r2 <- Register #0 read [a=10/1]", "cancel SLOW_PATH", "arm SLOW_PATH 2000");
    assertThat(txn.firesAfter(2_000, Timer.SLOW_PATH)).isEmpty();
    txn.vote(0, 0, 0, COMMIT);
    assertThat(txn.vote(0, 2, 0, COMMIT)).contains("retire");
  }

  /** One replica lacks a commit, and one is dead: the reader must not wait for its deadline. */
  @Test
  void aTentativeAbandonCountsIfAMinorityDoesNotAnswer() {
    committing(txn);
    txn.vote(0, 0, 0, COMMIT);
    Vote missed = tentative(Reason.MISSED_WRITE, committed("a", version(40, 1), "new"));
    assertThat(txn.vote(0, 1, 0, missed))
        .containsExactly(
            "p0r2 <- Register #0 read [a=10/1]", "cancel SLOW_PATH", "arm SLOW_PATH 2000");
    assertThat(txn.firesAfter(2_000, Timer.SLOW_PATH)).contains("resume #1 at 0 [new]");
  }

  @Test
  void norDoesItWaitIfTheOthersComeLate() {
    committing(txn);
    Vote missed = tentative(Reason.MISSED_WRITE, committed("a", version(40, 1), "new"));
    txn.vote(0, 1, 0, missed);
    txn.firesAfter(2_000, Timer.SLOW_PATH);
    assertThat(txn.vote(0, 0, 0, COMMIT)).singleElement().asString().startsWith("arm SLOW_PATH");
    assertThat(txn.fires(Timer.SLOW_PATH)).contains("resume #1 at 0 [new]");
  }

  @Test
  void aTentativeAbandonCountsAtOnceIfTheOthersCannotBeReached() {
    txn.step(new Event.Unreachable(Set.of(new ReplicaId(0, 2))));
    committing(txn);
    txn.vote(0, 0, 0, COMMIT);
    Vote missed = tentative(Reason.MISSED_WRITE, committed("a", version(40, 1), "new"));
    assertThat(txn.vote(0, 1, 0, missed)).contains("resume #1 at 0 [new]");
  }

  @Test
  void silentReplicasAreAskedAgain() {
    committing(txn);
    txn.vote(0, 0, 0, COMMIT);
    assertThat(txn.firesAfter(1_000_000, Timer.RESEND))
        .containsExactly(
            "arm RESEND 1000000",
            "p0r1 <- Register #0 read [a=10/1]",
            "p0r2 <- Register #0 read [a=10/1]");
  }

  @Test
  void aFinalAbandonWithANewerVersionReexecutes() {
    committing(txn);
    assertThat(
            txn.vote(
                0, 0, 0, finalAbandon(Reason.MISSED_WRITE, committed("a", version(40, 1), "new"))))
        .contains("resume #1 at 0 [new]");
    assertThat(txn.commit()).contains("p0r0 <- Register #1 read [a=40/1]");
  }

  /** A replica that has registered the reads pushes nothing any more. */
  @Test
  void aVersionIsNotAwaitedFromAReplicaThatHasRegisteredTheReads() {
    committing(txn);
    txn.vote(0, 0, 0, COMMIT);
    Vote missed = tentative(Reason.MISSED_WRITE, uncommitted("a", version(40, 1), "new"));
    txn.vote(0, 1, 0, missed);
    assertThat(txn.vote(0, 2, 0, missed)).contains("resume #1 at 0 [new]");
    assertThat(txn.commit()).contains("p0r0 <- Register #1 read [a=40/1]");
  }

  @Test
  void norIfItsVoteComesLate() {
    committing(txn);
    Vote missed = tentative(Reason.MISSED_WRITE, uncommitted("a", version(40, 1), "new"));
    txn.vote(0, 1, 0, missed);
    txn.vote(0, 2, 0, missed);
    txn.got(0, 0, 2, uncommitted("a", version(40, 1), "new"));
    txn.vote(0, 0, 0, COMMIT);
    assertThat(txn.commit()).contains("p0r0 <- Register #1 read [a=40/1]");
  }

  @Test
  void aReplicaThatHasAbandonedStillPushes() {
    committing(txn);
    Vote missed = tentative(Reason.MISSED_WRITE, uncommitted("a", version(40, 1), "new"));
    txn.vote(0, 0, 0, missed);
    txn.vote(0, 1, 0, missed);
    assertThat(txn.commit()).doesNotContain("p0r0 <- Register #1 read [a=40/1]");
    assertThat(txn.got(0, 0, 2, committed("a", version(40, 1), "new")))
        .contains("p0r0 <- Register #1 read [a=40/1]");
  }

  @Test
  void whatWasWrittenOnceIsPrepared() {
    txn.put("b", "x");
    txn.get("a"); // shows the write
    txn.got(0, 0, 1, committed("a", version(10, 1), "old"));
    txn.yield();
    txn.commitReads(); // no execution writes b now, but one has shown it
    assertThat(txn.coordinator.execution()).isEqualTo(1);
    assertThat(txn.votes(COMMIT, COMMIT)).noneMatch(effect -> effect.contains("READ_ONLY"));
  }

  @Test
  void whatWasNeverShownIsRegisteredWithoutIt() {
    txn.read(0, committed("a", version(10, 1), "old"));
    txn.put("b", "x");
    assertThat(txn.commitReads()).contains("p0r0 <- Register #1 read [a=10/1]");
  }

  @Test
  void theDeadlineAbortsAtOnce() {
    committing(txn);
    assertThat(txn.firesAfter(10_000_000, Timer.DEADLINE))
        .contains("p0 <- Decide abort", "aborted DEADLINE");
  }

  @Test
  void decidedLikeOthersIfTheOptionSaysSo() {
    CoordinatorDriver decided =
        CoordinatorDriver.begun(new Topology(1, 0), OPTIONS.withDecidedReads());
    assertThat(committing(decided))
        .containsExactly("p0 <- Prepare #0 read [a=10/1] write [] at [0]");
  }

  // ---- executions given up ----------------------------------------------------------------

  @Test
  void anExecutionThatIsGivenUpTakesItsReadsBackWhereTheyMayBeRegistered() {
    committing(txn);
    txn.vote(0, 0, 0, COMMIT);
    Vote missed = tentative(Reason.MISSED_WRITE, committed("a", version(40, 1), "new"));
    txn.vote(0, 1, 0, missed); // asks the third replica
    assertThat(txn.vote(0, 2, 0, missed))
        .contains("p0r0 <- Drop #0 [a]")
        .noneMatch(effect -> effect.contains("p0r1 <- Drop") || effect.contains("p0r2 <- Drop"));
  }

  @Test
  void aReplicaThatHasNotVotedYetHearsOfIt() {
    committing(txn);
    assertThat(
            txn.vote(
                0, 0, 0, finalAbandon(Reason.MISSED_WRITE, committed("a", version(40, 1), "new"))))
        .contains("p0r1 <- Drop #0 [a]")
        .noneMatch(effect -> effect.contains("p0r0 <- Drop") || effect.contains("p0r2 <- Drop"));
  }

  @Test
  void anAbortTakesTheReadsBack() {
    committing(txn);
    txn.vote(0, 1, 0, COMMIT);
    assertThat(txn.firesAfter(10_000_000, Timer.DEADLINE))
        .contains("p0r0 <- Drop #0 [a]", "p0r1 <- Drop #0 [a]");
  }

  @Test
  void whoHasAskedAllTakesTheReadsBackFromAll() {
    txn.step(new Event.Unreachable(Set.of(new ReplicaId(0, 1))));
    committing(txn);
    txn.vote(0, 2, 0, COMMIT);
    assertThat(txn.firesAfter(10_000_000, Timer.DEADLINE))
        .contains("p0r0 <- Drop #0 [a]", "p0r1 <- Drop #0 [a]", "p0r2 <- Drop #0 [a]");
  }

  @Test
  void aCommitTakesNothingBack() {
    committing(txn);
    txn.vote(0, 1, 0, COMMIT);
    assertThat(txn.vote(0, 0, 0, COMMIT)).noneMatch(effect -> effect.contains("Drop"));
  }

  // ---- a writer that readers have missed -----------------------------------------------------

  private static CoordinatorDriver writing() {
    CoordinatorDriver writer = CoordinatorDriver.begun(new Topology(1, 0), OPTIONS);
    writer.put("a", "x");
    writer.commit();
    return writer;
  }

  @Test
  void aWriterCommitsSlowlyPastAReadThatAMinorityHasRegistered() {
    CoordinatorDriver writer = writing();
    writer.votes(REGISTERED_READ, COMMIT);
    assertThat(writer.vote(0, 2, 0, COMMIT)).contains("p0 <- Finalize commit #0 at [0]");
  }

  @Test
  void aWriterAbortsAtOnceIfAMajorityHasRegisteredReadsPastIt() {
    CoordinatorDriver writer = writing();
    assertThat(writer.vote(0, 0, 0, REGISTERED_READ)).isEmpty();
    assertThat(writer.vote(0, 1, 0, REGISTERED_READ))
        .contains("p0 <- Decide abort", "aborted CONFLICT");
    assertThat(writer.marks()).contains(Branch.FAST_ABORT);
  }

  @Test
  void aWriterWaitsIfOneReadIsRegisteredAndAnotherPrepared() {
    CoordinatorDriver writer = writing();
    writer.vote(0, 0, 0, REGISTERED_READ);
    assertThat(writer.vote(0, 1, 0, Make.tentative(Reason.WRITE_MISSED)))
        .allMatch(effect -> effect.startsWith("arm REVOTE"))
        .hasSize(1);
  }
}
