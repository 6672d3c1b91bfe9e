package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.message.RecoverAnswer.NO_EXECUTION;
import static org.mortydb.protocol.testing.Make.INITIAL;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.accepted;
import static org.mortydb.protocol.testing.Make.answered;
import static org.mortydb.protocol.testing.Make.client;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.finalAbandon;
import static org.mortydb.protocol.testing.Make.finalizeAnswered;
import static org.mortydb.protocol.testing.Make.finalizing;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.got;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.keyIn;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.put;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Fetch;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.InquireReply;
import org.mortydb.protocol.message.Message.NotHeld;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.testing.EffectRecorder.Broadcast;

/** Finalize, Decide, Inquire and Fetch (docs/protocol.md, section 4). */
class ReplicaOutcomeTest {
  private final ReplicaDriver replica = new ReplicaDriver();

  /** A replica of the second of three partitions, and keys of that. */
  private final ReplicaDriver second = ReplicaDriver.of(1, 3);

  private final String a = keyIn(1, 3, 0).toString();
  private final String b = keyIn(1, 3, 1).toString();
  private final String c = keyIn(1, 3, 2).toString();

  private void assertNewest(String key, VersionedValue expected) {
    assertNewest(replica, key, expected);
  }

  private static void assertNewest(ReplicaDriver replica, String key, VersionedValue expected) {
    assertThat(replica.receive(get(90, 0, key)))
        .containsExactly(toCoordinator(got(90, 0, 1, expected)));
  }

  @Nested
  class Finalize {

    @Test
    void isAcceptedByAHomeReplicaThatKnowsNothing() {
      assertThat(replica.receive(finalizing(30, Outcome.ABORT)))
          .containsExactly(toCoordinator(accepted(30)));
      assertThat(replica.replica.undecided()).containsExactly(txn(30));
    }

    @Test
    void isAcceptedAgainWhenRepeated() {
      replica.receive(finalizing(30, committing(0)));
      assertThat(replica.receive(finalizing(30, committing(0))))
          .containsExactly(toCoordinator(accepted(30)));
    }

    @Test
    void isAnsweredWithTheOutcomeWhenThatIsKnown() {
      replica.receive(abort(30));
      assertThat(replica.receive(finalizing(30, committing(0))))
          .containsExactly(
              toCoordinator(finalizeAnswered(30, new FinalizeAnswer.Decided(Outcome.ABORT))));
    }

    @Test
    void isFencedByAHigherView() {
      View higher = new View(1, 7);
      replica.receive(replica(1), new Message.Finalize(txn(30), higher, Outcome.ABORT));
      assertThat(replica.receive(finalizing(30, committing(0))))
          .containsExactly(toCoordinator(finalizeAnswered(30, new FinalizeAnswer.Fenced(higher))));
      assertThat(replica.marks()).containsExactly(Branch.FENCED);
    }

    @Test
    void tellsWhomToAskForTheOutcome() {
      // Known so far only as somebody's dependency.
      replica.receive(prepare(50, 0).reads("a", version(30, 1)).message());
      replica.receive(finalizing(30, Outcome.ABORT));
      assertThat(replica.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros()))
          .contains(sent(client(30), new Inquire(txn(30))));
    }

    @Test
    void ofAHigherViewIsAcceptedOverALowerOne() {
      replica.receive(finalizing(30, committing(0)));
      View higher = new View(1, 7);
      assertThat(replica.receive(replica(1), new Message.Finalize(txn(30), higher, Outcome.ABORT)))
          .containsExactly(
              sent(
                  replica(1),
                  new Message.FinalizeReply(txn(30), higher, new FinalizeAnswer.Accepted())));
    }

    @Test
    void decidesNothingByItself() {
      replica.receive(finalizing(30, Outcome.ABORT));
      assertThat(replica.replica.outcomeOf(txn(30))).isNull();
    }

    @Test
    void thatStaysUndecidedIsInquiredAbout() {
      replica.receive(finalizing(30, Outcome.ABORT));
      assertThat(replica.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros()))
          .contains(sent(client(30), new Inquire(txn(30))));
    }
  }

  @Nested
  class Decide {

    @Test
    void commitInstallsTheWrites() {
      replica.receive(prepare(30, 0).writes("a", 1, "x").writes("b", 1, "y").message());
      assertThat(replica.receive(commit(30, 0))).isEmpty();
      assertThat(replica.replica.newestCommitted(key("a")))
          .isEqualTo(committed("a", version(30, 1), "x"));
      assertThat(replica.replica.newestCommitted(key("b")))
          .isEqualTo(committed("b", version(30, 1), "y"));
      assertThat(replica.replica.holds(execution(30, 0))).isTrue();
      assertThat(replica.replica.undecided()).isEmpty();
    }

    @Test
    void commitInstallsAnExecutionThatThisReplicaAbandoned() {
      replica.receive(put(20, 0, "a", 1, "missed"));
      replica.receive(prepare(30, 0).reads("a", INITIAL).writes("b", 1, "x").message());
      replica.receive(commit(30, 0));
      assertNewest("b", committed("b", version(30, 1), "x"));
    }

    @Test
    void commitInstallsAnExecutionThatStillWaitsHere() {
      replica.receive(prepare(30, 0).reads("a", version(20, 1)).writes("b", 1, "x").message());
      assertThat(replica.receive(commit(30, 0))).isEmpty();
      assertNewest("b", committed("b", version(30, 1), "x"));
      // Its own vote is of no use any more.
      replica.receive(prepare(20, 0).writes("a", 1, "y").message());
      assertThat(replica.receive(commit(20, 0))).isEmpty();
    }

    @Test
    void commitOfAnOlderExecutionTakesLaterWritesBack() {
      replica.receive(prepare(30, 0).writes("a", 1, "x").message());
      replica.receive(put(30, 1, "a", 2, "y"));
      replica.receive(put(30, 1, "b", 1, "z"));
      replica.receive(commit(30, 0));
      assertNewest("a", committed("a", version(30, 1), "x"));
      assertNewest("b", absent("b"));
    }

    @Test
    void commitOfAnotherExecutionThanTheLatestInstallsNothingOfTheLatest() {
      replica.receive(prepare(30, 1).writes("a", 1, "x").message());
      assertThat(replica.receive(commit(30, 0)))
          .contains(sent(replica(1), new Fetch(execution(30, 0))));
      assertThat(replica.replica.newestCommitted(key("a"))).isNull();
      replica.receive(replica(1), prepare(30, 0).writes("b", 1, "y").fetched());
      assertNewest("a", absent("a"));
      assertNewest("b", committed("b", version(30, 1), "y"));
    }

    @Test
    void commitOfAnExecutionThatLeftThisPartitionClearsEveryTrace() {
      second.receive(put(30, 0, b, 1, "y"));
      second.receive(prepare(30, 0).reads(c, INITIAL).writes(a, 1, "x").at(0, 1).message());
      assertThat(second.receive(commit(30, 1, 0))).isEmpty();
      assertThat(second.replica.holds(execution(30, 0))).isFalse();
      assertNewest(second, a, absent(a));
      assertNewest(second, b, absent(b));
      assertThat(second.receive(prepare(20, 0).writes(c, 1, "y").at(0, 1).message()))
          .containsExactly(toCoordinator(voted(20, 0, Vote.COMMIT)));
      assertThat(second.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros())).hasSize(5);
    }

    @Test
    void commitOfAnExecutionThatLeftThisPartitionReleasesWhoReadTheOldOne() {
      second.receive(put(30, 0, a, 1, "x"));
      second.receive(prepare(50, 0).reads(a, version(30, 1)).at(0, 1).message());
      assertThat(second.receive(commit(30, 1, 0)))
          .containsExactly(
              toCoordinator(voted(50, 0, finalAbandon(Vote.Reason.DIRTY_READ, absent(a)))));
    }

    @Test
    void commitTakesBackWhatThePrepareThatNeverCameWouldHaveTakenBack() {
      replica.receive(put(30, 0, "a", 1, "x"));
      replica.receive(commit(30, 1));
      replica.receive(replica(1), prepare(30, 1).writes("b", 1, "y").fetched());
      assertNewest("a", absent("a"));
      assertNewest("b", committed("b", version(30, 1), "y"));
    }

    @Test
    void outcomeThatIsAcceptedEndsTheWaitForAVote() {
      assertThat(replica.receive(prepare(50, 0).reads("a", version(40, 1)).message())).isEmpty();
      replica.receive(finalizing(50, Outcome.ABORT));
      replica.receive(prepare(40, 0).writes("a", 1, "x").message());
      assertThat(replica.receive(commit(40, 0))).isEmpty();
      assertThat(replica.replica.holds(execution(50, 0))).isFalse();
    }

    @Test
    void abortLeavesNothing() {
      replica.receive(put(30, 0, "b", 1, "z"));
      replica.receive(get(30, 0, "c"));
      replica.receive(prepare(30, 0).reads("c", INITIAL).writes("a", 1, "x").message());
      assertThat(replica.receive(abort(30))).isEmpty();
      assertThat(replica.replica.holds(execution(30, 0))).isFalse();
      assertNewest("a", absent("a"));
      assertNewest("b", absent("b"));
      assertThat(replica.receive(prepare(20, 0).writes("c", 1, "y").message()))
          .containsExactly(toCoordinator(voted(20, 0, Vote.COMMIT)));
    }

    @Test
    void ofAnUnknownTransactionHoldsAgainstWhatArrivesLater() {
      replica.receive(abort(30));
      replica.receive(put(30, 0, "a", 1, "x"));
      replica.receive(get(30, 0, "a"));
      assertNewest("a", absent("a"));
    }

    @Test
    void isIdempotent() {
      replica.receive(prepare(30, 0).writes("a", 1, "x").message());
      replica.receive(commit(30, 0));
      assertThat(replica.receive(commit(30, 0))).isEmpty();
      assertNewest("a", committed("a", version(30, 1), "x"));
    }

    @Test
    void thatContradictsAnEarlierOneIsIgnoredAndCounted() {
      replica.receive(abort(30));
      assertThat(replica.receive(commit(30, 0))).isEmpty();
      assertThat(replica.replica.outcomeOf(txn(30))).isEqualTo(Outcome.ABORT);
      assertThat(replica.replica.contradictions()).isEqualTo(1);
    }
  }

  @Nested
  class Fetching {

    @Test
    void isRepeatedUntilSomebodyAnswers() {
      replica.receive(commit(30, 1));
      assertThat(replica.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros()))
          .contains(
              sent(replica(1), new Fetch(execution(30, 1))),
              sent(replica(2), new Fetch(execution(30, 1))));
      replica.receive(replica(2), prepare(30, 1).writes("a", 1, "x").fetched());
      assertThat(replica.marks()).contains(Branch.EXECUTION_FETCHED);
      assertNewest("a", committed("a", version(30, 1), "x"));
      assertThat(replica.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros()))
          .extracting(Object::toString)
          .noneMatch(effect -> effect.contains("Fetch"));
    }

    @Test
    void isNotNeededAnyMoreWhenThePrepareArrivesAfterAll() {
      replica.receive(commit(30, 1));
      assertThat(replica.receive(prepare(30, 1).writes("a", 1, "x").message()))
          .containsExactly(
              toCoordinator(answered(30, 1, new PrepareAnswer.Decided(committing(1)))));
      assertNewest("a", committed("a", version(30, 1), "x"));
      assertThat(replica.receive(replica(2), prepare(30, 1).writes("a", 1, "x").fetched()))
          .isEmpty();
    }

    @Test
    void isNotServedByThePrepareOfAnotherExecution() {
      replica.receive(commit(30, 1));
      replica.receive(prepare(30, 0).writes("a", 1, "x").message());
      assertNewest("a", absent("a"));
      assertThat(replica.replica.holds(execution(30, 1))).isFalse();
    }

    @Test
    void isAnsweredByAReplicaThatHasTheExecution() {
      second.receive(prepare(30, 1).reads(a, INITIAL).writes(b, 1, "x").at(0, 1).message());
      assertThat(second.receive(replica(2), new Fetch(execution(30, 1))))
          .containsExactly(
              sent(
                  replica(2),
                  prepare(30, 1).reads(a, INITIAL).writes(b, 1, "x").at(0, 1).fetched()));
    }

    @Test
    void isAnsweredAfterTheCommitAsWell() {
      replica.receive(prepare(30, 1).writes("b", 1, "x").message());
      replica.receive(commit(30, 1));
      assertThat(replica.receive(replica(2), new Fetch(execution(30, 1))))
          .containsExactly(sent(replica(2), prepare(30, 1).writes("b", 1, "x").fetched()));
    }

    @Test
    void isNotAnsweredWithAnotherExecution() {
      replica.receive(prepare(30, 1).writes("b", 1, "x").message());
      assertThat(replica.receive(replica(2), new Fetch(execution(30, 2))))
          .containsExactly(sent(replica(2), new NotHeld(execution(30, 2))));
      assertThat(replica.receive(replica(2), new Fetch(execution(31, 0))))
          .containsExactly(sent(replica(2), new NotHeld(execution(31, 0))));
    }

    @Test
    void replyThatNobodyAskedForIsIgnored() {
      assertThat(replica.receive(replica(1), prepare(30, 0).writes("a", 1, "x").fetched()))
          .isEmpty();
      assertNewest("a", absent("a"));
    }

    @Test
    void replyOfAnotherExecutionThanTheCommittedOneIsIgnored() {
      replica.receive(commit(30, 1));
      replica.receive(replica(1), prepare(30, 0).writes("a", 1, "x").fetched());
      assertNewest("a", absent("a"));
    }

    @Test
    void secondReplyIsIgnored() {
      replica.receive(commit(30, 1));
      replica.receive(replica(1), prepare(30, 1).writes("a", 1, "x").fetched());
      assertThat(replica.receive(replica(2), prepare(30, 1).writes("a", 1, "x").fetched()))
          .isEmpty();
    }
  }

  @Nested
  class Inquiring {

    @Test
    void isAnsweredWithTheOutcome() {
      replica.receive(abort(30));
      assertThat(replica.receive(replica(2), new Inquire(txn(30))))
          .containsExactly(sent(replica(2), abort(30)));
    }

    @Test
    void isAnsweredWithIgnoranceWhileUndecidedOrUnknown() {
      replica.receive(prepare(30, 0).writes("a", 1, "x").message());
      assertThat(replica.receive(replica(2), new Inquire(txn(30))))
          .containsExactly(sent(replica(2), new InquireReply(txn(30))));
      assertThat(replica.receive(replica(2), new Inquire(txn(31))))
          .containsExactly(sent(replica(2), new InquireReply(txn(31))));
    }

    @Test
    void goesToTheHomePartitionWhenThatIsAnother() {
      second.receive(prepare(30, 0).at(0, 1).message());
      assertThat(second.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros()))
          .contains(
              sent(client(30), new Inquire(txn(30))),
              sent(replica(0), new Inquire(txn(30))),
              sent(replica(1), new Inquire(txn(30))),
              sent(replica(2), new Inquire(txn(30))));
    }

    @Test
    void isAboutATransactionThatAVoteWaitsFor() {
      replica.receive(put(30, 0, "a", 1, "x"));
      assertThat(replica.receive(prepare(50, 0).reads("a", version(30, 1)).message())).isEmpty();
      assertThat(replica.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros()))
          .contains(sent(client(30), new Inquire(txn(30))));
    }

    @Test
    void isNotAboutATransactionThatHindersNobody() {
      replica.receive(put(30, 0, "a", 1, "x"));
      assertThat(replica.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros()))
          .doesNotContain(sent(client(30), new Inquire(txn(30))));
    }

    @Test
    void isFollowedByARecoveryThatEndsWithTheOutcome() {
      ReplicaOptions options = ReplicaOptions.DEFAULTS;
      long pace = options.inquireMicros() - options.tickMicros();
      replica.receive(prepare(30, 0).writes("a", 1, "x").message());
      assertThat(replica.tickAfter(pace - 1)).hasSize(1);
      assertThat(replica.tickAfter(1)).hasSize(4);
      assertThat(replica.tickAfter(pace - 1)).hasSize(1);
      assertThat(replica.tickAfter(1))
          .contains(new Broadcast(0, new Recover(txn(30), new View(1, 1))))
          .hasSize(2);
      replica.receive(replica(1), commit(30, 0));
      assertThat(replica.tickAfter(pace)).hasSize(1);
      assertNewest("a", committed("a", version(30, 1), "x"));
      assertThat(replica.replica.recovered()).as("it was decided by another").isZero();
    }

    @Test
    void countsAsRecoveredWhenItsOwnProposalIsAccepted() {
      long pace = ReplicaOptions.DEFAULTS.inquireMicros();
      View view = new View(1, 1);
      replica.receive(prepare(30, 0).writes("a", 1, "x").message());
      replica.tickAfter(pace);
      replica.tickAfter(pace);
      for (int other = 1; other <= 2; other++) {
        replica.receive(
            replica(other),
            new RecoverReply(
                txn(30), view, new RecoverAnswer.Promised(null, NO_EXECUTION, false, List.of())));
      }
      replica.receive(replica(1), new FinalizeReply(txn(30), view, new FinalizeAnswer.Accepted()));
      assertThat(replica.replica.recovered()).isZero();
      replica.receive(replica(2), new FinalizeReply(txn(30), view, new FinalizeAnswer.Accepted()));
      assertThat(replica.replica.recovered()).isEqualTo(1);
    }

    @Test
    void isNotFollowedByARecoveryWhileTheCoordinatorAnswers() {
      long pace = ReplicaOptions.DEFAULTS.inquireMicros();
      replica.receive(prepare(30, 0).writes("a", 1, "x").message());
      for (int i = 0; i < 3; i++) {
        assertThat(ticksUntilInquired(pace)).isEqualTo(1 << Math.min(i, 2));
        replica.receive(client(30), new InquireReply(txn(30)));
      }
    }

    @Test
    void isRepeatedLessOftenWhileTheCoordinatorAnswers() {
      long pace = ReplicaOptions.DEFAULTS.inquireMicros();
      replica.receive(prepare(30, 0).writes("a", 1, "x").message());
      List<Integer> ticks = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        ticks.add(ticksUntilInquired(pace));
        replica.receive(client(30), new InquireReply(txn(30)));
        replica.receive(client(30), new InquireReply(txn(30)));
      }
      assertThat(ticks).containsExactly(1, 2, 4, 4, 4);
    }

    @Test
    void isFollowedByARecoveryWhenACoordinatorThatHasAnsweredDoesNotAnymore() {
      long pace = ReplicaOptions.DEFAULTS.inquireMicros();
      replica.receive(prepare(30, 0).writes("a", 1, "x").message());
      ticksUntilInquired(pace);
      replica.receive(client(30), new InquireReply(txn(30)));
      assertThat(ticksUntilInquired(pace)).isEqualTo(2);
      assertThat(replica.tickAfter(pace))
          .contains(new Broadcast(0, new Recover(txn(30), new View(1, 1))));
    }

    private int ticksUntilInquired(long pace) {
      for (int ticks = 1; ticks < 100; ticks++) {
        if (replica.tickAfter(pace).contains(sent(client(30), new Inquire(txn(30))))) {
          return ticks;
        }
      }
      throw new AssertionError("never asked about");
    }
  }
}
