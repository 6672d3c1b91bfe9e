package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.INITIAL;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.accepted;
import static org.mortydb.protocol.testing.Make.answered;
import static org.mortydb.protocol.testing.Make.client;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.drop;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.finalAbandon;
import static org.mortydb.protocol.testing.Make.finalizing;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.prepared;
import static org.mortydb.protocol.testing.Make.put;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.retract;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.uncommitted;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.InquireReply;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.testing.EffectRecorder.Sent;
import org.mortydb.protocol.testing.Make.Prepares;

/** The seven steps of a Prepare (docs/protocol.md, section 3), in order. */
class ReplicaVoteTest {
  private final ReplicaDriver replica = new ReplicaDriver();

  private void install(long t, String key, String value) {
    replica.receive(prepare(t, 0).writes(key, 1, value).message());
    replica.receive(commit(t, 0));
  }

  /** Otherwise the answer to a long read set would be too long for a message. */
  @Test
  void newerVersionsOfAVoteAreBounded() {
    String large = "x".repeat(Limits.MAX_FRESH_BYTES / 4);
    Prepares stale = prepare(500, 0);
    for (int i = 0; i < 9; i++) {
      install(10 + i, "k" + i, large);
      stale.reads("k" + i, INITIAL);
    }
    Sent reply = (Sent) replica.receive(stale.message()).getFirst();
    PrepareAnswer.Voted voted =
        (PrepareAnswer.Voted) ((Message.PrepareReply) reply.message()).answer();
    assertThat(((Vote.Abandon) voted.vote()).fresh()).hasSize(4);
  }

  private void delete(long t, String key) {
    replica.receive(prepare(t, 0).deletes(key, 1).message());
    replica.receive(commit(t, 0));
  }

  private void assertVote(Prepares prepare, Vote vote) {
    var message = prepare.message();
    long t = message.txn().timeMicros();
    assertThat(replica.receive(message))
        .containsExactly(toCoordinator(voted(t, message.execution().number(), vote)));
  }

  private void assertWaits(Prepares prepare) {
    assertThat(replica.receive(prepare.message())).isEmpty();
  }

  /** Step 1: what the replica already knows of the transaction. */
  @Nested
  class Known {

    @Test
    void outcomeIsAnswered() {
      replica.receive(abort(50));
      assertThat(replica.receive(prepare(50, 0).writes("a", 1, "x").message()))
          .containsExactly(
              toCoordinator(answered(50, 0, new PrepareAnswer.Decided(Outcome.ABORT))));
      assertThat(replica.marks()).contains(Branch.STALE_PREPARE_AFTER_DECISION);
    }

    @Test
    void acceptedOutcomeFences() {
      replica.receive(finalizing(50, Outcome.ABORT));
      assertThat(replica.receive(prepare(50, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(answered(50, 0, new PrepareAnswer.Fenced(View.CLIENT))));
      assertThat(replica.replica.holds(execution(50, 0))).isFalse();
    }

    @Test
    void aVoteOnceGivenIsRepeatedForADuplicate() {
      assertVote(prepare(50, 0).writes("a", 1, "x"), Vote.COMMIT);
      // What has become true since does not change it.
      replica.receive(get(60, 0, "a"));
      replica.receive(put(40, 0, "b", 1, "y"));
      assertVote(prepare(50, 0).writes("a", 1, "x"), Vote.COMMIT);
    }

    @Test
    void anAbandonOnceGivenIsRepeatedEvenWhenTheConflictHasGone() {
      replica.receive(put(40, 0, "a", 1, "x"));
      Vote missed = tentative(Reason.MISSED_WRITE, uncommitted("a", version(40, 1), "x"));
      assertVote(prepare(50, 0).reads("a", INITIAL), missed);
      replica.receive(abort(40));
      assertVote(prepare(50, 0).reads("a", INITIAL), missed);
    }

    @Test
    void aDuplicateOfAWaitingPrepareIsNotAnswered() {
      assertWaits(prepare(50, 0).reads("a", version(40, 1)));
      assertWaits(prepare(50, 0).reads("a", version(40, 1)));
    }

    @Test
    void aDuplicateOfAWaitingPrepareIsToldOfTheFence() {
      assertWaits(prepare(50, 0).reads("a", version(40, 1)));
      replica.receive(finalizing(50, Outcome.ABORT));
      assertThat(replica.receive(prepare(50, 0).reads("a", version(40, 1)).message()))
          .containsExactly(toCoordinator(answered(50, 0, new PrepareAnswer.Fenced(View.CLIENT))));
    }

    @Test
    void aVoteOnceGivenIsRepeatedAfterAnOutcomeWasAccepted() {
      assertVote(prepare(50, 0).writes("a", 1, "x"), Vote.COMMIT);
      replica.receive(finalizing(50, committing(0)));
      assertVote(prepare(50, 0).writes("a", 1, "x"), Vote.COMMIT);
    }

    @Test
    void higherExecutionSupersedesALowerOneThatArrivesLater() {
      assertVote(prepare(50, 1).writes("a", 1, "x"), Vote.COMMIT);
      assertThat(replica.receive(prepare(50, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(answered(50, 0, new PrepareAnswer.Superseded(1))));
      assertThat(replica.replica.holds(execution(50, 1))).isTrue();
    }

    @Test
    void putOfAHigherExecutionSupersedesToo() {
      replica.receive(put(50, 1, "b", 1, "x"));
      assertThat(replica.receive(prepare(50, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(answered(50, 0, new PrepareAnswer.Superseded(1))));
    }

    @Test
    void dropBeforeThePrepareSupersedesIt() {
      replica.receive(drop(50, 0));
      assertThat(replica.receive(prepare(50, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(answered(50, 0, new PrepareAnswer.Superseded(1))));
      assertThat(replica.marks())
          .containsExactly(Branch.DROPPED_BEFORE_PREPARE, Branch.SUPERSEDED_PREPARE);
      assertThat(replica.replica.holds(execution(50, 0))).isFalse();
    }

    @Test
    void dropLeavesTheNextExecutionFree() {
      replica.receive(drop(50, 0));
      assertVote(prepare(50, 1).writes("a", 1, "x"), Vote.COMMIT);
    }
  }

  /** What takes a standing vote back: every message of a higher execution, and a Drop. */
  @Nested
  class TakenBack {

    private void prepareReadPastForty() {
      assertVote(prepare(50, 0).reads("a", INITIAL).writes("z", 1, "x"), Vote.COMMIT);
    }

    private void assertFree() {
      assertThat(replica.replica.holds(execution(50, 0))).isFalse();
      assertVote(prepare(40, 0).writes("a", 1, "y"), Vote.COMMIT);
    }

    @Test
    void byThePrepareOfAHigherExecution() {
      prepareReadPastForty();
      assertVote(prepare(50, 1).writes("b", 1, "x"), Vote.COMMIT);
      assertFree();
    }

    @Test
    void byAPutOfAHigherExecution() {
      prepareReadPastForty();
      replica.receive(put(50, 1, "b", 1, "x"));
      assertFree();
    }

    @Test
    void byARetractOfAHigherExecution() {
      prepareReadPastForty();
      replica.receive(retract(50, 1, "z"));
      assertFree();
    }

    @Test
    void byADrop() {
      prepareReadPastForty();
      assertThat(replica.receive(drop(50, 0))).isEmpty();
      assertFree();
    }

    @Test
    void notByAMessageOfTheSameOrALowerExecution() {
      assertVote(prepare(50, 1).reads("a", INITIAL).writes("z", 1, "x"), Vote.COMMIT);
      replica.receive(drop(50, 0));
      replica.receive(retract(50, 1, "z"));
      replica.receive(put(50, 1, "z", 2, "y"));
      replica.receive(put(50, 0, "a", 2, "y"));
      assertThat(replica.replica.holds(execution(50, 1))).isTrue();
      assertVote(prepare(40, 0).writes("a", 1, "y"), tentative(Reason.WRITE_MISSED));
    }

    @Test
    void notAnyMoreOnceAnOutcomeWasAccepted() {
      prepareReadPastForty();
      replica.receive(finalizing(50, committing(0)));
      replica.receive(drop(50, 0));
      replica.receive(put(50, 1, "b", 1, "x"));
      replica.receive(retract(50, 1, "z"));
      replica.receive(prepare(50, 1).writes("b", 1, "x").message());
      assertThat(replica.replica.holds(execution(50, 0))).isTrue();
    }

    @Test
    void andIsAnsweredAsDroppedFromThenOn() {
      prepareReadPastForty();
      replica.receive(drop(50, 0));
      assertVote(prepare(50, 0).reads("a", INITIAL).writes("z", 1, "x"), tentative(Reason.DROPPED));
    }

    @Test
    void stopsTheWait() {
      assertWaits(prepare(50, 0).reads("a", version(40, 1)));
      replica.receive(drop(50, 0));
      replica.receive(prepare(40, 0).writes("a", 1, "x").message());
      assertThat(replica.receive(commit(40, 0))).isEmpty();
      assertThat(replica.replica.holds(execution(50, 0))).isFalse();
    }
  }

  /** Step 2 is the fence: see {@link ReplicaRetentionTest}. Step 3: dependencies. */
  @Nested
  class Dependencies {

    @Test
    void voteIsOnConditionThatASettledVersionCommits() {
      replica.receive(prepare(40, 0).writes("a", 1, "x").message());
      assertVote(prepare(50, 0).reads("a", version(40, 1)), Vote.COMMIT_ON_CONDITION);
      assertThat(replica.replica.holds(execution(50, 0))).isTrue();
      assertThat(replica.marks()).contains(Branch.VOTED_ON_CONDITION);
      assertThat(replica.receive(commit(40, 0)))
          .containsExactly(toCoordinator(voted(50, 0, Vote.COMMIT)));
      assertThat(replica.marks()).contains(Branch.CONDITION_HELD);
      assertThat(replica.replica.holds(execution(50, 0))).isTrue();
    }

    @Test
    void voteWaitsUntilTheVersionReadHasSettled() {
      replica.receive(put(40, 0, "a", 1, "x"));
      assertWaits(prepare(50, 0).reads("a", version(40, 1)));
      assertThat(replica.replica.holds(execution(50, 0))).isFalse();
      assertThat(replica.receive(prepare(40, 0).writes("a", 1, "x").message()))
          .containsExactly(
              toCoordinator(voted(40, 0, Vote.COMMIT)),
              toCoordinator(voted(50, 0, Vote.COMMIT_ON_CONDITION)));
    }

    @Test
    void voteWaitsForAWriterThatIsNotKnownHere() {
      assertWaits(prepare(50, 0).reads("a", version(40, 1)));
      assertThat(replica.receive(prepare(40, 0).writes("a", 1, "x").message()))
          .contains(toCoordinator(voted(50, 0, Vote.COMMIT_ON_CONDITION)));
      assertThat(replica.receive(commit(40, 0)))
          .containsExactly(toCoordinator(voted(50, 0, Vote.COMMIT)));
    }

    @Test
    void voteWaitsForAnExecutionThatHasToBeFetched() {
      assertWaits(prepare(50, 0).reads("a", version(40, 1)));
      assertThat(replica.receive(commit(40, 0))).hasSize(2);
      assertThat(replica.receive(replica(2), prepare(40, 0).writes("a", 1, "x").fetched()))
          .containsExactly(toCoordinator(voted(50, 0, Vote.COMMIT)));
    }

    @Test
    void conditionHoldsWhenAllThatWasReadHasCommittedInWhateverOrder() {
      for (int first : new int[] {30, 40}) {
        ReplicaDriver replica = new ReplicaDriver();
        replica.receive(prepare(30, 0).writes("a", 1, "x").message());
        replica.receive(prepare(40, 0).writes("b", 1, "x").message());
        assertThat(
                replica.receive(
                    prepare(50, 0).reads("a", version(30, 1)).reads("b", version(40, 1)).message()))
            .containsExactly(toCoordinator(voted(50, 0, Vote.COMMIT_ON_CONDITION)));
        assertThat(replica.receive(commit(first, 0))).isEmpty();
        assertThat(replica.receive(commit(70 - first, 0)))
            .containsExactly(toCoordinator(voted(50, 0, Vote.COMMIT)));
      }
    }

    @Test
    void everyVoteOnTheSameConditionIsConfirmed() {
      replica.receive(prepare(40, 0).writes("a", 1, "x").message());
      assertVote(prepare(50, 0).reads("a", version(40, 1)), Vote.COMMIT_ON_CONDITION);
      assertVote(prepare(60, 0).reads("a", version(40, 1)), Vote.COMMIT_ON_CONDITION);
      assertThat(replica.receive(commit(40, 0)))
          .containsExactly(
              toCoordinator(voted(50, 0, Vote.COMMIT)), toCoordinator(voted(60, 0, Vote.COMMIT)));
    }

    @Test
    void aLongChainThatWaitsForItsFirstWriterSettlesAtOnce() {
      int length = 20_000;
      for (int i = 1; i <= length; i++) {
        Prepares next =
            prepare(50 + i, 0).reads("a" + (i - 1), version(49 + i, 1)).writes("a" + i, 1, "x");
        replica.stepUnchecked(new Event.Received(client(50 + i), next.message()));
      }
      assertThat(replica.effects()).isEmpty();
      Message first = prepare(50, 0).writes("a0", 1, "x").message();
      replica.stepUnchecked(new Event.Received(client(50), first));
      assertThat(replica.effects())
          .hasSize(length + 1)
          .contains(toCoordinator(voted(50 + length, 0, Vote.COMMIT_ON_CONDITION)));
    }

    @Test
    void voteOnConditionIsRepeatedAsWhatItIs() {
      replica.receive(prepare(40, 0).writes("a", 1, "x").message());
      assertVote(prepare(50, 0).reads("a", version(40, 1)), Vote.COMMIT_ON_CONDITION);
      assertVote(prepare(50, 0).reads("a", version(40, 1)), Vote.COMMIT_ON_CONDITION);
      replica.receive(commit(40, 0));
      assertVote(prepare(50, 0).reads("a", version(40, 1)), Vote.COMMIT);
    }

    @Test
    void conditionFailsWithTheAbortOfWhatWasRead() {
      install(20, "a", "old");
      replica.receive(prepare(40, 0).writes("a", 1, "x").message());
      assertVote(
          prepare(50, 0).reads("a", version(40, 1)).writes("b", 1, "y"), Vote.COMMIT_ON_CONDITION);
      assertThat(replica.receive(abort(40)))
          .containsExactly(
              toCoordinator(
                  voted(
                      50,
                      0,
                      finalAbandon(Reason.DIRTY_READ, committed("a", version(20, 1), "old")))));
      assertThat(replica.marks()).contains(Branch.CONDITION_FAILED);
      // Neither its reads nor its writes stand in anybody's way any more.
      assertThat(replica.replica.holds(execution(50, 0))).isFalse();
      assertVote(prepare(45, 0).writes("a", 1, "z"), Vote.COMMIT);
    }

    @Test
    void conditionFailsWhenAnotherValueCommits() {
      replica.receive(prepare(40, 0).writes("a", 1, "x").message());
      assertVote(prepare(50, 0).reads("a", version(40, 1)), Vote.COMMIT_ON_CONDITION);
      replica.receive(prepare(40, 1).writes("a", 2, "z").message());
      assertThat(replica.receive(commit(40, 1)))
          .containsExactly(
              toCoordinator(
                  voted(
                      50,
                      0,
                      finalAbandon(Reason.DIRTY_READ, committed("a", version(40, 2), "z")))));
    }

    @Test
    void conditionHoldsWhenALaterExecutionCommitsTheSameValue() {
      replica.receive(prepare(40, 0).writes("a", 1, "x").message());
      assertVote(prepare(50, 0).reads("a", version(40, 1)), Vote.COMMIT_ON_CONDITION);
      replica.receive(prepare(40, 1).writes("a", 1, "x").writes("b", 2, "z").message());
      assertThat(replica.receive(commit(40, 1)))
          .containsExactly(toCoordinator(voted(50, 0, Vote.COMMIT)));
    }

    @Test
    void votesOnConditionCanBeTurnedOff() {
      ReplicaDriver replica =
          new ReplicaDriver(
              replica(0),
              new Topology(1, 0),
              ReplicaOptions.DEFAULTS.withoutVotesOnCondition(),
              ReplicaRules.SOUND);
      replica.receive(prepare(40, 0).writes("a", 1, "x").message());
      assertThat(replica.receive(prepare(50, 0).reads("a", version(40, 1)).message())).isEmpty();
      assertThat(replica.receive(commit(40, 0)))
          .containsExactly(toCoordinator(voted(50, 0, Vote.COMMIT)));
    }

    @Test
    void abortOfTheDependencyWakesAndIsFinal() {
      install(20, "a", "old");
      replica.receive(put(40, 0, "a", 1, "x"));
      assertWaits(prepare(50, 0).reads("a", version(40, 1)));
      assertThat(replica.receive(abort(40)))
          .containsExactly(
              toCoordinator(
                  voted(
                      50,
                      0,
                      finalAbandon(Reason.DIRTY_READ, committed("a", version(20, 1), "old")))));
    }

    @Test
    void wakingValidatesEverythingAnew() {
      replica.receive(put(40, 0, "a", 1, "x"));
      assertWaits(prepare(50, 0).reads("a", version(40, 1)).reads("b", INITIAL));
      replica.receive(put(45, 0, "b", 1, "y"));
      assertThat(replica.receive(prepare(40, 0).writes("a", 1, "x").message()))
          .contains(
              toCoordinator(
                  voted(
                      50,
                      0,
                      tentative(Reason.MISSED_WRITE, uncommitted("b", version(45, 1), "y")))));
    }

    @Test
    void conflictIsAnsweredWithoutWaiting() {
      install(30, "b", "x");
      install(45, "b", "y");
      assertVote(
          prepare(50, 0).reads("a", version(40, 1)).reads("b", version(30, 1)),
          finalAbandon(Reason.MISSED_WRITE, committed("b", version(45, 1), "y")));
    }

    @Test
    void waitingExecutionHindersNobody() {
      assertWaits(prepare(50, 0).reads("a", version(40, 1)).reads("b", INITIAL));
      assertVote(prepare(45, 0).writes("b", 1, "y"), Vote.COMMIT);
    }

    @Test
    void dependencyThatStaysUndecidedIsInquiredAbout() {
      replica.receive(put(40, 0, "a", 1, "x"));
      assertWaits(prepare(50, 0).reads("a", version(40, 1)));
      assertThat(replica.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros()))
          .contains(
              sent(client(40), new Inquire(txn(40))),
              sent(replica(1), new Inquire(txn(40))),
              sent(replica(2), new Inquire(txn(40))));
    }

    /** Those who may only read could otherwise have transactions of others recovered, unasked. */
    @Test
    void dependencyKnownFromTheReadsOfOthersIsNotRecoveredWhileItsClientAnswers() {
      long inquireMicros = ReplicaOptions.DEFAULTS.inquireMicros();
      replica.receive(prepare(50, 0).reads("a", version(40, 1)).message());
      assertThat(replica.tickAfter(inquireMicros)).contains(sent(client(40), new Inquire(txn(40))));
      replica.receive(client(40), new InquireReply(txn(40)));
      assertThat(replica.tickAfter(inquireMicros))
          .noneMatch(effect -> effect instanceof Sent(_, Recover recover) && isOf(recover, 40));
    }

    private static boolean isOf(Recover recover, long time) {
      return recover.txn().equals(txn(time));
    }
  }

  /** Step 4. */
  @Nested
  class DirtyRead {

    @Test
    void ofAnAbortedWriterIsFinal() {
      replica.receive(put(40, 0, "a", 1, "x"));
      replica.receive(abort(40));
      assertVote(
          prepare(50, 0).reads("a", version(40, 1)), finalAbandon(Reason.DIRTY_READ, absent("a")));
    }

    @Test
    void ofAValueThatItsWriterDidNotCommitIsFinal() {
      replica.receive(prepare(40, 1).writes("a", 2, "y").message());
      replica.receive(commit(40, 1));
      assertVote(
          prepare(50, 0).reads("a", version(40, 1)),
          finalAbandon(Reason.DIRTY_READ, committed("a", version(40, 2), "y")));
    }

    @Test
    void ofAKeyThatItsWriterDidNotCommitIsFinal() {
      replica.receive(put(40, 0, "a", 1, "x"));
      replica.receive(prepare(40, 1).writes("b", 1, "y").message());
      replica.receive(commit(40, 1));
      assertVote(
          prepare(50, 0).reads("a", version(40, 1)), finalAbandon(Reason.DIRTY_READ, absent("a")));
    }

    @Test
    void ofAValueThatItsOpenWriterHasReplacedIsTentative() {
      replica.receive(put(40, 0, "a", 1, "x"));
      replica.receive(put(40, 1, "a", 2, "y"));
      assertVote(
          prepare(50, 0).reads("a", version(40, 1)),
          tentative(Reason.DIRTY_READ, uncommitted("a", version(40, 2), "y")));
    }

    @Test
    void isNoneWhenAnOlderExecutionCommittedTheValueRead() {
      replica.receive(prepare(40, 0).writes("a", 1, "x").message());
      replica.receive(put(40, 1, "a", 2, "y"));
      replica.receive(commit(40, 0));
      assertVote(prepare(50, 0).reads("a", version(40, 1)), Vote.COMMIT);
    }
  }

  /** Step 5. */
  @Nested
  class MissedWrite {

    @Test
    void thatIsCommittedIsFinalAndCarriesTheValue() {
      install(30, "a", "old");
      install(40, "a", "x");
      assertVote(
          prepare(50, 0).reads("a", version(30, 1)),
          finalAbandon(Reason.MISSED_WRITE, committed("a", version(40, 1), "x")));
    }

    @Test
    void ofAKeyReadAsAbsentIsTentativeAndCarriesTheValue() {
      install(40, "a", "x");
      assertVote(
          prepare(50, 0).reads("a", INITIAL),
          tentative(Reason.MISSED_WRITE, committed("a", version(40, 1), "x")));
    }

    @Test
    void ofAKeyReadAsAbsentIsNoneBeforeADeletion() {
      install(30, "a", "x");
      delete(40, "a");
      assertVote(prepare(50, 0).reads("a", INITIAL), Vote.COMMIT);
    }

    @Test
    void ofAKeyReadAsAbsentIsOneAboveADeletion() {
      delete(30, "a");
      replica.receive(put(40, 0, "a", 1, "x"));
      assertVote(
          prepare(50, 0).reads("a", INITIAL),
          tentative(Reason.MISSED_WRITE, uncommitted("a", version(40, 1), "x")));
    }

    @Test
    void ofAKeyReadAsAbsentIsADeletionThatHasNotCommitted() {
      install(30, "a", "x");
      replica.receive(prepare(40, 0).deletes("a", 1).message());
      assertVote(
          prepare(50, 0).reads("a", INITIAL),
          tentative(
              Reason.MISSED_WRITE,
              new VersionedValue(key("a"), version(40, 1), Value.ABSENT, true)));
    }

    @Test
    void thatIsPreparedIsTentativeAndCarriesTheValue() {
      replica.receive(prepare(40, 0).writes("a", 1, "x").message());
      assertVote(
          prepare(50, 0).reads("a", INITIAL),
          tentative(Reason.MISSED_WRITE, prepared("a", version(40, 1), "x")));
    }

    @Test
    void thatIsMerelyExecutedIsTentativeAndCarriesTheValue() {
      replica.receive(put(40, 0, "a", 1, "x"));
      assertVote(
          prepare(50, 0).reads("a", INITIAL),
          tentative(Reason.MISSED_WRITE, uncommitted("a", version(40, 1), "x")));
    }

    @Test
    void isFinalWhenACommittedOneLiesBelowAnUncommittedOne() {
      install(20, "a", "w");
      install(30, "a", "x");
      replica.receive(put(40, 0, "a", 1, "y"));
      assertVote(
          prepare(50, 0).reads("a", version(20, 1)),
          finalAbandon(Reason.MISSED_WRITE, uncommitted("a", version(40, 1), "y")));
    }

    @Test
    void carriesTheNewestValueOfEachStaleRead() {
      install(30, "a", "old");
      install(40, "a", "new");
      install(35, "b", "other");
      install(20, "c", "fine");
      assertVote(
          prepare(50, 0).reads("a", version(30, 1)).reads("b", INITIAL).reads("c", version(20, 1)),
          finalAbandon(
              Reason.MISSED_WRITE,
              committed("a", version(40, 1), "new"),
              committed("b", version(35, 1), "other")));
    }

    @Test
    void isNoneAboveTheReader() {
      install(60, "a", "x");
      assertVote(prepare(50, 0).reads("a", INITIAL), Vote.COMMIT);
    }

    @Test
    void isNoneAtOrBelowTheVersionRead() {
      install(30, "a", "x");
      install(40, "a", "y");
      assertVote(prepare(50, 0).reads("a", version(40, 1)), Vote.COMMIT);
    }

    @Test
    void isNoneForTheTransactionsOwnWrite() {
      assertVote(prepare(50, 0).reads("a", INITIAL).writes("a", 1, "x"), Vote.COMMIT);
    }

    @Test
    void isNoneWhenItWasAborted() {
      replica.receive(prepare(40, 0).writes("a", 1, "x").message());
      replica.receive(abort(40));
      assertVote(prepare(50, 0).reads("a", INITIAL), Vote.COMMIT);
    }
  }

  /** Step 6. */
  @Nested
  class WriteMissed {

    @Test
    void byACommittedReaderIsFinal() {
      install(20, "a", "w");
      replica.receive(prepare(50, 0).reads("a", version(20, 1)).message());
      replica.receive(commit(50, 0));
      assertVote(prepare(40, 0).writes("a", 1, "x"), finalAbandon(Reason.WRITE_MISSED));
    }

    @Test
    void byACommittedReaderOfAnAbsentKeyIsTentative() {
      replica.receive(prepare(50, 0).reads("a", INITIAL).message());
      replica.receive(commit(50, 0));
      assertVote(prepare(40, 0).writes("a", 1, "x"), tentative(Reason.READ_AS_ABSENT));
    }

    /** The reader may have seen the deletion as absence, so that the versions are no barrier. */
    @Test
    void byACommittedReaderOfAnAbsentKeyCountsAboveADeletionToo() {
      delete(20, "a");
      replica.receive(prepare(30, 0).reads("a", version(20, 1)).message());
      replica.receive(commit(30, 0));
      replica.receive(prepare(50, 0).reads("a", INITIAL).message());
      replica.receive(commit(50, 0));
      assertVote(prepare(40, 0).writes("a", 1, "x"), tentative(Reason.READ_AS_ABSENT));
    }

    @Test
    void byAPreparedReaderIsTentative() {
      replica.receive(prepare(50, 0).reads("a", INITIAL).message());
      assertVote(prepare(40, 0).writes("a", 1, "x"), tentative(Reason.WRITE_MISSED));
    }

    @Test
    void byAReaderThatMerelyExecutesIsNone() {
      replica.receive(get(50, 0, "a"));
      assertThat(replica.receive(prepare(40, 0).writes("a", 1, "x").message()))
          .contains(toCoordinator(voted(40, 0, Vote.COMMIT)));
    }

    @Test
    void byAReaderBelowTheWriterIsNone() {
      replica.receive(prepare(30, 0).reads("a", INITIAL).message());
      replica.receive(commit(30, 0));
      replica.receive(prepare(35, 0).reads("a", INITIAL).message());
      assertVote(prepare(40, 0).writes("a", 1, "x"), Vote.COMMIT);
    }

    @Test
    void byAReaderOfALaterVersionIsNone() {
      install(45, "a", "later");
      replica.receive(prepare(50, 0).reads("a", version(45, 1)).message());
      assertVote(prepare(40, 0).writes("a", 1, "x"), Vote.COMMIT);
      replica.receive(commit(50, 0));
      assertVote(prepare(41, 0).writes("a", 1, "x"), Vote.COMMIT);
    }

    @Test
    void isNoneWhenTheReaderWasAborted() {
      replica.receive(prepare(50, 0).reads("a", INITIAL).message());
      replica.receive(abort(50));
      assertVote(prepare(40, 0).writes("a", 1, "x"), Vote.COMMIT);
    }

    @Test
    void isReportedBeforeAMissedWrite() {
      install(20, "a", "w");
      replica.receive(prepare(50, 0).reads("a", version(20, 1)).message());
      replica.receive(commit(50, 0));
      install(30, "b", "y");
      assertVote(
          prepare(40, 0).reads("b", INITIAL).writes("a", 1, "x"),
          finalAbandon(Reason.WRITE_MISSED, committed("b", version(30, 1), "y")));
    }

    /** The coordinator does not execute again what has come too late to write. */
    @Test
    void isReportedBeforeAMissedWriteThatIsFinalToo() {
      install(20, "a", "w");
      replica.receive(prepare(50, 0).reads("a", version(20, 1)).message());
      replica.receive(commit(50, 0));
      install(10, "b", "x");
      install(30, "b", "y");
      assertVote(
          prepare(39, 0).reads("b", version(10, 1)),
          finalAbandon(Reason.MISSED_WRITE, committed("b", version(30, 1), "y")));
      assertVote(
          prepare(40, 0).reads("b", version(10, 1)).writes("a", 1, "x"),
          finalAbandon(Reason.WRITE_MISSED, committed("b", version(30, 1), "y")));
    }

    @Test
    void followsFromAFetchedExecutionToo() {
      install(20, "a", "w");
      replica.receive(commit(50, 0));
      replica.receive(replica(1), prepare(50, 0).reads("a", version(20, 1)).fetched());
      assertVote(prepare(40, 0).writes("a", 1, "x"), finalAbandon(Reason.WRITE_MISSED));
    }
  }

  /** Step 7. */
  @Nested
  class Prepared {

    @Test
    void executionIsHeld() {
      assertVote(prepare(50, 0).reads("a", INITIAL).writes("b", 1, "x"), Vote.COMMIT);
      assertThat(replica.replica.holds(execution(50, 0))).isTrue();
      assertThat(replica.replica.undecided()).containsExactly(txn(50));
    }

    @Test
    void abandonedExecutionLeavesNothingPrepared() {
      replica.receive(put(45, 0, "a", 1, "y"));
      assertVote(
          prepare(50, 0).reads("a", INITIAL).reads("c", INITIAL).writes("b", 1, "x"),
          tentative(Reason.MISSED_WRITE, uncommitted("a", version(45, 1), "y")));
      assertThat(replica.replica.holds(execution(50, 0))).isFalse();
      assertThat(replica.replica.undecided()).isEmpty();
      // Neither its reads nor, as prepared, its writes stand in anybody's way.
      assertVote(prepare(40, 0).writes("c", 1, "z"), Vote.COMMIT);
    }

    @Test
    void setIsValidatedAsAWhole() {
      install(30, "a", "x");
      install(45, "a", "y");
      assertVote(
          prepare(50, 0).reads("b", INITIAL).reads("a", version(30, 1)).writes("c", 1, "x"),
          finalAbandon(Reason.MISSED_WRITE, committed("a", version(45, 1), "y")));
      assertVote(prepare(40, 0).writes("b", 1, "z"), Vote.COMMIT);
    }

    @Test
    void ofTwoConflictingExecutionsTheFirstIsHeldWhicheverItIs() {
      assertVote(prepare(50, 0).reads("a", INITIAL).writes("b", 1, "x"), Vote.COMMIT);
      assertVote(
          prepare(40, 0).reads("b", INITIAL).writes("a", 1, "x"), tentative(Reason.WRITE_MISSED));
      ReplicaDriver other = new ReplicaDriver();
      assertThat(other.receive(prepare(40, 0).reads("b", INITIAL).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(40, 0, Vote.COMMIT)));
      assertThat(other.receive(prepare(50, 0).reads("a", INITIAL).writes("b", 1, "x").message()))
          .containsExactly(
              toCoordinator(
                  voted(
                      50, 0, tentative(Reason.MISSED_WRITE, prepared("a", version(40, 1), "x")))));
    }

    @Test
    void participantWithoutOperationsHereIsHeldToo() {
      ReplicaDriver first = ReplicaDriver.of(0, 2);
      first.receive(prepare(50, 0).at(0, 1).message());
      assertThat(first.replica.holds(execution(50, 0))).isTrue();
    }

    @Test
    void heldExecutionThatStaysUndecidedIsInquiredAbout() {
      assertVote(prepare(50, 0).writes("a", 1, "x"), Vote.COMMIT);
      assertThat(replica.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros()))
          .contains(
              sent(client(50), new Inquire(txn(50))),
              sent(replica(1), new Inquire(txn(50))),
              sent(replica(2), new Inquire(txn(50))));
      assertThat(replica.marks()).contains(Branch.OUTCOME_INQUIRED);
    }

    @Test
    void acceptanceIsAnsweredBesideTheVote() {
      assertVote(prepare(50, 0).writes("a", 1, "x"), Vote.COMMIT);
      assertThat(replica.receive(finalizing(50, committing(0))))
          .containsExactly(toCoordinator(accepted(50)));
      assertThat(replica.replica.holds(execution(50, 0))).isTrue();
    }
  }
}
