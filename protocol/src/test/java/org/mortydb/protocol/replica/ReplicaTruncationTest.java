package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.INITIAL;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.client;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.copy;
import static org.mortydb.protocol.testing.Make.copyReply;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.finalAbandon;
import static org.mortydb.protocol.testing.Make.finalizing;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.got;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.pushed;
import static org.mortydb.protocol.testing.Make.put;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.retract;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.value;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.Copy;
import org.mortydb.protocol.message.Message.CopyOutcomes;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Fetch;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.message.Message.TruncateAck;
import org.mortydb.protocol.message.Message.TruncateCommit;
import org.mortydb.protocol.message.Message.TruncatePrepare;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.message.Message.Watermark;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.testing.EffectRecorder.Armed;
import org.mortydb.protocol.testing.EffectRecorder.Broadcast;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/** Rounds of truncation, and what a replica forgets by them (docs/protocol.md, section 6). */
class ReplicaTruncationTest {
  private static final long RETENTION = 10_000_000;
  private static final long TICK = 50_000;
  private static final ReplicaOptions OPTIONS =
      new ReplicaOptions(500_000, RETENTION, TICK, 60_000_000, 4);

  // The first replica proposes, this is another one.
  private final ReplicaDriver replica =
      new ReplicaDriver(replica(1), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);

  /** A timestamp that is new now and old one retention time later. */
  private long t = ReplicaDriver.START_MICROS;

  /** Time passes, in which rounds go on and reach every partition. */
  private void retentionPasses() {
    for (int i = 0; i < 3; i++) {
      replica.nowMicros += RETENTION + TICK;
      truncated(replica.nowMicros - RETENTION);
      replica.tickAfter(0);
    }
  }

  private void truncated(long watermark, Decide... others) {
    replica.truncate(watermark, others);
    replica.reachedEverywhere(watermark);
  }

  private void install(long at, String key, String value) {
    replica.receive(prepare(at, 0).writes(key, 1, value).message());
    replica.receive(commit(at, 0));
  }

  @Test
  void tickArmsTheNextOne() {
    assertThat(replica.tickAfter(0)).containsExactly(new Armed(Timer.TICK, TICK));
  }

  @Nested
  class Fence {

    @Test
    void doesNotFollowTheClock() {
      replica.tickAfter(10 * RETENTION);
      assertThat(replica.replica.census().fenceMicros()).isZero();
    }

    @Test
    void isRaisedForWhoeverProposesAndIsInTheLog() {
      assertThat(replica.fence(t))
          .containsExactly(
              sent(replica(0), new TruncateReply(watermark(t), TxnId.INITIAL, List.of())));
      assertThat(replica.replica.census().fenceMicros()).isEqualTo(t);
      assertThat(replica.replica.census().watermarkMicros()).isZero();
      assertThat(replica.log).containsExactly(new LogRecord.Fenced(watermark(t)));
    }

    @Test
    void neverFalls() {
      replica.fence(t);
      assertThat(replica.fence(t - 1_000))
          .containsExactly(
              sent(replica(0), new TruncateReply(watermark(t - 1_000), TxnId.INITIAL, List.of())));
      assertThat(replica.replica.census().fenceMicros()).isEqualTo(t);
    }

    @Test
    void isRaisedByACommitWhosePrepareWasLost() {
      replica.receive(replica(0), new TruncateCommit(TxnId.INITIAL, watermark(t), List.of()));
      assertThat(replica.replica.census().fenceMicros()).isEqualTo(t);
      assertThat(replica.receive(get(t, 0, "a")))
          .containsExactly(
              toCoordinator(new Refused(txn(t), Refusal.TRUNCATED, replica.nowMicros)));
    }

    @Test
    void readAtOrBelowItIsRefused() {
      replica.fence(t);
      assertThat(replica.receive(get(t, 0, "a")))
          .containsExactly(
              toCoordinator(new Refused(txn(t), Refusal.TRUNCATED, replica.nowMicros)));
      assertThat(replica.marks()).containsExactly(Branch.TRUNCATED_REFUSED);
      assertThat(replica.receive(get(t + 1, 0, "a")))
          .containsExactly(toCoordinator(got(t + 1, 0, 1, absent("a"))));
    }

    @Test
    void writeAtOrBelowItIsRefused() {
      replica.fence(t);
      assertThat(replica.receive(put(t, 0, "a", 1, "x")))
          .containsExactly(
              toCoordinator(new Refused(txn(t), Refusal.TRUNCATED, replica.nowMicros)));
    }

    @Test
    void unknownTransactionAtOrBelowItGetsATentativeAbandon() {
      replica.fence(t);
      assertThat(replica.receive(prepare(t, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(t, 0, tentative(Reason.TRUNCATED))));
      assertThat(replica.replica.census().transactions()).isZero();
    }

    @Test
    void knownTransactionAtOrBelowItGetsATentativeAbandon() {
      replica.receive(put(t, 0, "a", 1, "x"));
      replica.fence(t);
      assertThat(replica.receive(prepare(t, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(t, 0, tentative(Reason.TRUNCATED))));
      assertThat(replica.replica.holds(execution(t, 0))).isFalse();
    }

    @Test
    void voteGivenBeforeIsRepeated() {
      replica.receive(prepare(t, 0).writes("a", 1, "x").message());
      replica.fence(t);
      assertThat(replica.receive(prepare(t, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(t, 0, Vote.COMMIT)));
    }

    @Test
    void waitingVoteIsAbandonedWhenItsDependencyIsDecidedTooLate() {
      replica.receive(put(t - 1, 0, "a", 1, "x"));
      replica.receive(prepare(t, 0).reads("a", version(t - 1, 1)).message());
      replica.fence(t);
      replica.receive(prepare(t - 1, 0).writes("a", 1, "x").message());
      assertThat(replica.receive(commit(t - 1, 0)))
          .containsExactly(toCoordinator(voted(t, 0, tentative(Reason.TRUNCATED))));
    }

    @Test
    void voteOnConditionThatWasGivenBeforeIsConfirmed() {
      replica.receive(prepare(t - 1, 0).writes("a", 1, "x").message());
      replica.receive(prepare(t, 0).reads("a", version(t - 1, 1)).message());
      replica.fence(t);
      assertThat(replica.receive(commit(t - 1, 0)))
          .containsExactly(toCoordinator(voted(t, 0, Vote.COMMIT)));
    }

    @Test
    void finalConflictIsReportedBelowItAsWell() {
      install(t - 2, "a", "w");
      install(t - 1, "a", "x");
      replica.receive(put(t, 0, "b", 1, "y"));
      replica.fence(t);
      assertThat(replica.receive(prepare(t, 0).reads("a", version(t - 2, 1)).message()))
          .containsExactly(
              toCoordinator(
                  voted(
                      t,
                      0,
                      finalAbandon(Reason.MISSED_WRITE, committed("a", version(t - 1, 1), "x")))));
    }

    @Test
    void proposalForAForgottenTransactionIsRefused() {
      replica.receive(abort(t));
      retentionPasses();
      assertThat(replica.receive(finalizing(t, committing(0))))
          .containsExactly(
              toCoordinator(new Refused(txn(t), Refusal.TRUNCATED, replica.nowMicros)));
    }

    @Test
    void lateOutcomeOfAForgottenTransactionIsIgnored() {
      replica.receive(abort(t));
      retentionPasses();
      assertThat(replica.receive(commit(t, 0))).isEmpty();
      assertThat(replica.replica.census().transactions()).isZero();
    }
  }

  /** One clock in the partition is wrong. */
  @Nested
  class RefusesAFence {
    private static final long SKEW = 500_000;
    private static final long YEAR = 365 * 86_400_000_000L;

    private void assertRefused(long aheadMicros, Message message) {
      assertThat(replica.receive(replica(2), message)).isEmpty();
      assertThat(replica.replica.census().fenceMicros()).isZero();
      assertThat(replica.replica.census().refusedFence())
          .isEqualTo(new RefusedFence(replica(2), aheadMicros, 1));
    }

    private TruncatePrepare joining(long clockMicros) {
      return new TruncatePrepare(watermark(clockMicros + SKEW), clockMicros);
    }

    private TruncatePrepare proposing(long clockMicros) {
      return new TruncatePrepare(watermark(clockMicros - RETENTION), 0);
    }

    @BeforeEach
    void passTime() {
      replica.tickAfter(2 * YEAR);
      t = replica.nowMicros;
    }

    @Test
    void ofAReplicaThatJoinsWithAClockAhead() {
      assertRefused(YEAR, joining(t + YEAR));
      assertThat(replica.receive(replica(2), joining(t))).isNotEmpty();
      assertThat(replica.replica.census().fenceMicros()).isEqualTo(t + SKEW);
    }

    /** It would serve below what it has voted on. */
    @Test
    void ofAReplicaThatJoinsWithAClockBehind() {
      assertRefused(SKEW + OPTIONS.inquireMicros() - YEAR, joining(t - YEAR));
    }

    @Test
    void ofAProposerWhoseClockIsAhead() {
      assertRefused(1, proposing(t + SKEW + 1));
      assertThat(replica.receive(replica(2), proposing(t + SKEW))).isNotEmpty();
      assertThat(replica.replica.census().fenceMicros()).isEqualTo(t + SKEW - RETENTION);
    }

    @Test
    void thatComesWithAWatermark() {
      assertRefused(1, new TruncateCommit(TxnId.INITIAL, watermark(t + SKEW + 1), List.of()));
      assertThat(replica.replica.census().watermarkMicros()).isZero();
    }

    /** So it fences nothing while f others refuse. */
    @Test
    void ofItsOwnUntilOthersHaveFenced() {
      replica.nowMicros = t + YEAR;
      TxnId asked = watermark(0);
      for (Effect effect : replica.tickAfter(TICK)) {
        if (effect instanceof Sent(Endpoint to, TruncatePrepare prepare)) {
          assertThat(to).isIn(replica(0), replica(2));
          asked = prepare.watermark();
        }
      }
      assertThat(asked).isGreaterThan(watermark(t));
      assertThat(replica.receive(replica(0), new TruncateReply(asked, TxnId.INITIAL, List.of())))
          .containsExactly(sent(replica(1), new TruncatePrepare(asked, 0)));
    }

    @Test
    void andIgnoresAWatermarkInTheFuture() {
      replica.receive(replica(2), new Behind(watermark(t + YEAR), watermark(t + YEAR)));
      assertThat(replica.lastStep).isEmpty();
    }

    @Test
    void andCopiesNoPeerWhoseWatermarkIsInTheFuture() {
      assertThat(replica.receive(replica(2), new Behind(watermark(t), watermark(t))))
          .containsExactly(sent(replica(2), copy(TxnId.INITIAL)));
      assertThat(
              replica.receive(
                  replica(2),
                  copyReply(TxnId.INITIAL, "", null, watermark(t + YEAR), TxnId.INITIAL)))
          .containsExactly(sent(replica(0), copy(TxnId.INITIAL)));
    }
  }

  /** The one that had reached it may be gone: then f+1 others would copy each other for good. */
  @Test
  void aCopyThatNoPeerCanGiveIsGivenUp() {
    assertThat(replica.receive(replica(2), new Behind(watermark(t), watermark(t))))
        .containsExactly(sent(replica(2), copy(TxnId.INITIAL)));
    assertThat(replica.receive(replica(2), hasReachedNothing()))
        .containsExactly(sent(replica(0), copy(TxnId.INITIAL)));
    assertThat(replica.receive(replica(0), hasReachedNothing())).isEmpty();
    List<Effect> effects = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      effects.addAll(replica.tickAfter(RETENTION / 10));
    }
    assertThat(effects).anyMatch(effect -> effect instanceof Sent(_, TruncatePrepare _));
    assertThat(replica.receive(replica(2), new Behind(watermark(t), watermark(t))))
        .as("it is told again")
        .containsExactly(sent(replica(2), copy(TxnId.INITIAL)));
    assertThat(replica.receive(replica(2), hasReachedNothing()))
        .containsExactly(sent(replica(0), copy(TxnId.INITIAL)));
  }

  private static CopyReply hasReachedNothing() {
    return copyReply(TxnId.INITIAL, "", null, TxnId.INITIAL, TxnId.INITIAL);
  }

  /** So a copy that took too long is followed by a shorter one. */
  /** The proposer of a round may know only an earlier watermark of this replica. */
  @Test
  void whoIsTakenToBeBehindSaysWhatItHasReached() {
    truncated(t);
    assertThat(replica.receive(replica(2), new Behind(watermark(t - 10), watermark(t + 10))))
        .containsExactly(sent(replica(2), new TruncateAck(watermark(t))));
    assertThat(replica.receive(replica(2), new Behind(watermark(t - 10), watermark(t - 5))))
        .as("a round that is over here")
        .containsExactly(sent(replica(2), new TruncateAck(watermark(t - 5))));
    assertThat(replica.receive(new ReplicaId(1, 2), new Behind(txn(t - 10), watermark(t + 10))))
        .as("it is of another partition")
        .isEmpty();
    assertThat(replica.receive(replica(2), new Behind(watermark(t + 5), watermark(t + 10))))
        .containsExactly(sent(replica(2), copy(watermark(t))));
  }

  @Test
  void aCopyHasOnlyWhatIsNewerThanTheReceiversWatermark() {
    install(t, "a", "x");
    install(t + 1, "b", "x");
    replica.truncate(t + 1);
    install(t + 2, "b", "y");
    install(t + 3, "c", "x");
    replica.truncate(t + 2);
    assertThat(copied(TxnId.INITIAL))
        .containsExactly(version(t, 1), version(t + 2, 1), version(t + 3, 1));
    assertThat(copied(watermark(t + 1))).containsExactly(version(t + 2, 1), version(t + 3, 1));
    assertThat(copied(watermark(t + 2))).containsExactly(version(t + 3, 1));
  }

  /** Versions that a later part lacks are missing of their keys alone, not of all. */
  @Test
  void aCopyWhosePartsHaveDifferentWatermarksIsFollowedByAShorterOne() {
    replica.receive(replica(2), new Behind(watermark(t + 1), watermark(t + 1)));
    replica.receive(
        replica(2),
        copyReply(TxnId.INITIAL, "", "m", watermark(t + 1), TxnId.INITIAL, copiedVersion("a", t)));
    replica.receive(
        replica(2),
        copyReply(
            TxnId.INITIAL, "m", null, watermark(t + 3), TxnId.INITIAL, copiedVersion("b", t + 2)));
    Outcome commit = Outcome.commit(0, List.of(0));
    replica.receive(
        replica(2),
        new CopyOutcomesReply(
            TxnId.INITIAL,
            TxnId.INITIAL,
            watermark(t + 3),
            TxnId.INITIAL,
            List.of(new Standing(txn(t), commit), new Standing(txn(t + 2), commit))));
    assertThat(replica.replica.outcomeOf(txn(t))).isEqualTo(commit);
    assertThat(replica.replica.outcomeOf(txn(t + 2)))
        .as("it may have written keys of the first part, which has not shown that")
        .isNull();
    assertThat(replica.receive(replica(2), new Behind(watermark(t + 5), watermark(t + 5))))
        .containsExactly(sent(replica(2), copy(watermark(t + 1))));
  }

  /**
   * Messages may be lost, repeated and reordered, and an earlier copy may have asked for a part.
   */
  @Test
  void aCopyTakesEachPartOnceAndInTheirOrder() {
    TxnId reached = watermark(t + 1);
    replica.receive(replica(2), new Behind(reached, reached));
    List<Message> parts =
        Stream.of(List.of("", "i"), List.of("i", "k"), List.of("k"))
            .<Message>map(
                bounds ->
                    copyReply(
                        TxnId.INITIAL,
                        bounds.getFirst(),
                        bounds.size() > 1 ? bounds.getLast() : null,
                        reached,
                        TxnId.INITIAL,
                        copiedVersion(bounds.getFirst() + "1", t)))
            .toList();
    assertThat(replica.receive(replica(2), parts.get(0)))
        .containsExactly(sent(replica(2), copy(TxnId.INITIAL, "i", reached)));
    assertThat(replica.receive(replica(2), parts.get(0))).isEmpty();
    assertThat(replica.receive(replica(2), parts.get(2))).isEmpty();
    assertThat(replica.receive(replica(2), parts.get(1)))
        .containsExactly(sent(replica(2), copy(TxnId.INITIAL, "k", reached)));
    assertThat(replica.receive(replica(2), parts.get(2)))
        .containsExactly(sent(replica(2), new Message.CopyOutcomes(TxnId.INITIAL)));
  }

  private static Message.CopiedVersion copiedVersion(String key, long at) {
    return new Message.CopiedVersion(key(key), version(at, 1), Value.of("copied"), TxnId.INITIAL);
  }

  private List<WriteId> copied(TxnId since) {
    return replica.receive(replica(2), copy(since)).stream()
        .flatMap(
            effect ->
                effect instanceof Sent(var ignored, CopyReply reply)
                    ? reply.versions().stream().map(Message.CopiedVersion::version)
                    : null)
        .toList();
  }

  /** A clock that was ahead is set back: nothing waits for it to come there again. */
  @Test
  void inquiriesAndRoundsGoOnAfterTheClockWasSetBack() {
    ReplicaOptions options = new ReplicaOptions(500_000, RETENTION, TICK, 1_000_000, 4);
    ReplicaDriver first =
        new ReplicaDriver(replica(0), new Topology(1, 0), options, ReplicaRules.SOUND);
    first.nowMicros = t + 3_600_000_000L;
    first.tickAfter(0);
    first.receive(prepare(first.nowMicros, 0).writes("a", 1, "x").message());
    first.tickAfter(TICK);
    first.nowMicros = t + 2 * RETENTION;
    List<Effect> effects = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      effects.addAll(first.tickAfter(TICK));
    }
    assertThat(effects).anyMatch(effect -> effect instanceof Sent(var to, Message.Inquire ignored));
    assertThat(effects).anyMatch(effect -> effect instanceof Sent(var to, TruncatePrepare ignored));
  }

  @Nested
  class Forgets {

    @Test
    void decidedTransactions() {
      install(t, "a", "x");
      replica.receive(abort(t + 1));
      assertThat(replica.replica.census().transactions()).isEqualTo(2);
      retentionPasses();
      assertThat(replica.replica.census().transactions()).isZero();
      assertThat(replica.replica.outcomeOf(txn(t))).isNull();
    }

    @Test
    void outcomesNotBeforeTheRetentionTime() {
      install(t, "a", "x");
      long late = t + RETENTION - 1;
      replica.nowMicros = late;
      truncated(late - 1);
      truncated(late);
      assertThat(replica.replica.outcomeOf(txn(t))).isEqualTo(committing(0));
      replica.nowMicros++;
      truncated(late + 1);
      assertThat(replica.replica.outcomeOf(txn(t))).isNull();
    }

    @Test
    void executionsAThirdOfTheRetentionTimeAfterTheWatermark() {
      replica.nowMicros += RETENTION;
      install(t, "a", "x");
      replica.truncate(t + RETENTION / 3 - 1);
      assertThat(replica.receive(replica(2), new Fetch(execution(t, 0))))
          .containsExactly(sent(replica(2), prepare(t, 0).writes("a", 1, "x").fetched()));
      replica.truncate(t + RETENTION / 3);
      assertThat(replica.receive(replica(2), new Fetch(execution(t, 0))))
          .containsExactly(sent(replica(2), new Behind(txn(t), watermark(t + RETENTION / 3))));
      assertThat(replica.replica.outcomeOf(txn(t))).isEqualTo(committing(0));
    }

    @Test
    void outcomesNotBeforeEveryPartitionIsPastThem() {
      ReplicaDriver one =
          new ReplicaDriver(replica(1), new Topology(1, 0, 0), OPTIONS, ReplicaRules.SOUND);
      one.receive(abort(t));
      one.nowMicros += 3 * RETENTION;
      long now = one.nowMicros;
      one.truncate(now - 3);
      one.receive(replica(0), new Watermark(0, watermark(now)));
      one.truncate(now - 2);
      assertThat(one.replica.outcomeOf(txn(t))).isEqualTo(Outcome.ABORT);
      one.receive(replica(0), new Watermark(1, watermark(t)));
      one.truncate(now - 1);
      assertThat(one.replica.outcomeOf(txn(t))).isNull();
      assertThat(one.log).endsWith(new LogRecord.Truncated(watermark(now - 1), watermark(t)));
    }

    @Test
    void noOutcomesBecauseOfAWatermarkInTheFuture() {
      install(t, "a", "x");
      replica.nowMicros += 3 * RETENTION;
      long now = replica.nowMicros;
      replica.truncate(now - 3);
      replica.reachedEverywhere(now + 3_600_000_000L);
      replica.truncate(now - 2);
      assertThat(replica.replica.outcomeOf(txn(t))).isEqualTo(committing(0));
      replica.reachedEverywhere(now);
      replica.truncate(now - 1);
      assertThat(replica.replica.outcomeOf(txn(t))).isNull();
    }

    @Test
    void transactionsThatMerelyExecutedAndTellsTheirReaders() {
      install(t, "a", "old");
      replica.receive(put(t + 1, 0, "a", 1, "x"));
      replica.receive(get(t + 2, 0, "a"));
      assertThat(replica.truncate(t + 1))
          .contains(toCoordinator(pushed(t + 2, 0, 2, committed("a", version(t, 1), "old"))));
    }

    @Test
    void transactionsThatMerelyExecutedAndReleasesWhoWaits() {
      replica.receive(put(t, 0, "a", 1, "x"));
      assertThat(replica.receive(prepare(t + 1, 0).reads("a", version(t, 1)).message())).isEmpty();
      assertThat(replica.truncate(t))
          .contains(toCoordinator(voted(t + 1, 0, tentative(Reason.TRUNCATED, absent("a")))));
    }

    @Test
    void subscriptionsOfReadersWhoNeverEnd() {
      replica.receive(get(t, 0, "a"));
      retentionPasses();
      assertThat(replica.replica.census().transactions()).isZero();
      assertThat(replica.receive(put(replica.nowMicros, 0, "a", 1, "x"))).isEmpty();
    }

    @Test
    void voteToCommitOnlyByARoundThatKnowsOfNoCommit() {
      replica.receive(prepare(t, 0).reads("b", INITIAL).writes("a", 1, "x").message());
      assertThat(replica.fence(t))
          .containsExactly(
              sent(
                  replica(0),
                  new TruncateReply(
                      watermark(t), TxnId.INITIAL, List.of(new Standing(txn(t), null)))));
      replica.tickAfter(3 * RETENTION);
      assertThat(replica.replica.holds(execution(t, 0))).isTrue();
      replica.truncate(t);
      assertThat(replica.marks()).contains(Branch.TRUNCATION_DROPS);
      assertThat(replica.replica.holds(execution(t, 0))).isFalse();
      assertThat(replica.receive(prepare(t, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(t, 0, tentative(Reason.TRUNCATED))));
      assertThat(replica.replica.newestCommitted(key("a"))).isNull();
    }

    @Test
    void conditionOnAVoteThatNobodyElseKnowsOf() {
      replica.receive(prepare(t, 0).writes("a", 1, "x").message());
      assertThat(replica.receive(prepare(t + 1, 0).reads("a", version(t, 1)).message()))
          .containsExactly(toCoordinator(voted(t + 1, 0, Vote.COMMIT_ON_CONDITION)));
      replica.tickAfter(3 * RETENTION);
      replica.fence(t);
      assertThat(replica.truncate(t))
          .contains(toCoordinator(voted(t + 1, 0, finalAbandon(Reason.DIRTY_READ, absent("a")))));
      assertThat(replica.marks()).contains(Branch.CONDITION_FAILED);
    }

    @Test
    void noVoteToCommitThatOthersKnowTheOutcomeOf() {
      replica.receive(prepare(t, 0).reads("b", INITIAL).writes("a", 1, "x").message());
      replica.truncate(t, commit(t, 0));
      assertThat(replica.replica.outcomeOf(txn(t))).isEqualTo(committing(0));
      assertThat(replica.replica.newestCommitted(key("a")))
          .isEqualTo(committed("a", version(t, 1), "x"));
      retentionPasses();
      assertThat(replica.replica.census().transactions()).isZero();
    }

    @Test
    void acceptedOutcomeOnlyByARoundThatKnowsOfNoCommit() {
      replica.receive(finalizing(t, Outcome.ABORT));
      assertThat(replica.fence(t))
          .containsExactly(
              sent(
                  replica(0),
                  new TruncateReply(
                      watermark(t), TxnId.INITIAL, List.of(new Standing(txn(t), null)))));
      replica.tickAfter(3 * RETENTION);
      assertThat(replica.replica.undecided()).containsExactly(txn(t));
      replica.truncate(t);
      assertThat(replica.replica.undecided()).isEmpty();
    }

    @Test
    void oldVersionsButNotTheNewestAtOrBelowTheFence() {
      install(t, "a", "1");
      install(t + 1, "a", "2");
      install(t + 2, "a", "3");
      retentionPasses();
      long reader = replica.nowMicros;
      assertThat(replica.receive(get(reader, 0, "a")))
          .containsExactly(
              toCoordinator(got(reader, 0, 1, committed("a", version(t + 2, 1), "3"))));
    }

    @Test
    void aReaderAboveTheFenceStillFindsItsVersion() {
      install(t, "a", "below the fence");
      long later = t + 1_000;
      install(later, "a", "above the fence");
      replica.truncate(later - 10);
      replica.tickAfter(RETENTION);
      assertThat(replica.replica.census().fenceMicros()).isEqualTo(later - 10);
      assertThat(replica.receive(get(later - 1, 0, "a")))
          .containsExactly(
              toCoordinator(
                  got(later - 1, 0, 1, committed("a", version(t, 1), "below the fence"))));
    }

    @Test
    void committedReadsOnlyWhenNoWriterAboveTheFenceIsConcerned() {
      long reader = t + 1_000;
      replica.receive(prepare(reader, 0).reads("a", INITIAL).message());
      replica.receive(commit(reader, 0));
      replica.truncate(reader - 10);
      replica.tickAfter(RETENTION);
      assertThat(replica.replica.census().fenceMicros()).isEqualTo(reader - 10);
      assertThat(replica.receive(prepare(reader - 1, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(reader - 1, 0, tentative(Reason.READ_AS_ABSENT))));
    }
  }

  @Nested
  class ForgetsKeys {

    private void assertKeys(int expected) {
      retentionPasses();
      assertThat(replica.replica.census().keys()).isEqualTo(expected);
    }

    @Test
    void thatWereOnlyReadAndNeverThere() {
      replica.receive(get(t, 0, "a"));
      replica.receive(prepare(t, 0).reads("a", INITIAL).reads("b", INITIAL).message());
      replica.receive(commit(t, 0));
      assertThat(replica.replica.census().keys()).isEqualTo(2);
      assertKeys(0);
    }

    @Test
    void thatWereOnlyWrittenByWhoAborted() {
      replica.receive(put(t, 0, "a", 1, "x"));
      replica.receive(prepare(t, 0).writes("b", 1, "x").message());
      replica.receive(abort(t));
      assertKeys(0);
    }

    @Test
    void thatWereOnlyWrittenByWhoNeverEnded() {
      replica.receive(put(t, 0, "a", 1, "x"));
      assertKeys(0);
    }

    @Test
    void whoseOnlyVersionWasRetractedAfterTheirFirstPruning() {
      replica.receive(get(t, 0, "a"));
      replica.nowMicros += RETENTION - 10;
      long writer = replica.nowMicros;
      replica.receive(put(writer, 0, "a", 1, "x"));
      replica.tickAfter(TICK);
      replica.receive(retract(writer, 1, "a"));
      assertKeys(0);
    }

    @Test
    void whoseOnlyVersionWasTakenBackByAPrepareAfterTheirFirstPruning() {
      replica.receive(get(t, 0, "a"));
      replica.nowMicros += RETENTION - 10;
      long writer = replica.nowMicros;
      replica.receive(put(writer, 0, "a", 1, "x"));
      replica.tickAfter(TICK);
      replica.receive(prepare(writer, 1).writes("b", 1, "x").message());
      replica.receive(commit(writer, 1));
      assertKeys(1);
    }

    @Test
    void butNotThoseThatHoldAValue() {
      install(t, "a", "x");
      assertKeys(1);
      assertKeys(1);
    }

    @Test
    void butNotThoseThatAPreparedExecutionRead() {
      replica.receive(prepare(t, 0).reads("a", INITIAL).message());
      replica.fence(t);
      replica.tickAfter(3 * RETENTION);
      assertThat(replica.replica.census().keys()).isEqualTo(1);
      assertKeys(0); // no round has heard of a commit
    }

    @Test
    void butNotThoseThatAWaitingExecutionWillCountIn() {
      replica.receive(get(t, 0, "a"));
      replica.nowMicros += RETENTION - 10;
      long waiting = replica.nowMicros;
      replica.receive(
          prepare(waiting, 0).reads("a", INITIAL).reads("b", version(waiting - 1, 1)).message());
      replica.tickAfter(TICK); // a is due, and nothing but the waiting execution knows it
      replica.receive(prepare(waiting - 1, 0).writes("b", 1, "x").message());
      assertThat(replica.receive(commit(waiting - 1, 0)))
          .containsExactly(toCoordinator(voted(waiting, 0, Vote.COMMIT)));
      assertThat(replica.receive(prepare(waiting - 2, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(waiting - 2, 0, tentative(Reason.WRITE_MISSED))));
    }
  }

  @Test
  void aRoundThatWasGivenUpTellsNobodyWhatItHadFound() {
    ReplicaDriver proposer =
        new ReplicaDriver(replica(0), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
    proposer.truncate(t - 9);
    proposer.receive(prepare(t, 0).writes("a", 1, "x").message()); // its outcome stays open
    TxnId asked = proposed(proposer);
    assertThat(asked).isGreaterThan(txn(t));
    proposer.receive(replica(0), new TruncateReply(asked, watermark(t - 9), List.of()));
    assertThat(proposer.receive(replica(1), new TruncateReply(asked, watermark(t - 1), List.of())))
        .contains(sent(replica(1), copy(watermark(t - 9))));
    assertThat(proposer.receive(replica(2), new TruncateReply(asked, TxnId.INITIAL, List.of())))
        .isEmpty();
  }

  /** With the longer wait before each round, the watermark could fall behind. */
  @Test
  void aReplicaThatHasTakenOverGoesOnWithoutTheWait() {
    ReplicaDriver successor =
        new ReplicaDriver(
            replica(1), new Topology(1, 0), ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
    for (int second = 0; second < 20; second++) { // a round covers about a second
      successor.nowMicros = t + second * 1_000_000L;
      successor.receive(prepare(successor.nowMicros, 0).writes("a", 1, "x").message());
      successor.receive(commit(successor.nowMicros, 0));
    }
    successor.nowMicros += 3 * RETENTION;
    successor.tickAfter(1);
    long[] waits = new long[3];
    for (int round = 0; round < waits.length; round++) {
      TruncatePrepare proposed = null;
      long begun = successor.nowMicros;
      while (proposed == null) {
        assertThat(successor.nowMicros - begun).isLessThan(100 * RETENTION);
        proposed =
            successor.tickAfter(ReplicaOptions.DEFAULTS.tickMicros()).stream()
                .filter(effect -> effect instanceof Sent(_, TruncatePrepare _))
                .map(effect -> (TruncatePrepare) ((Sent) effect).message())
                .findFirst()
                .orElse(null);
      }
      waits[round] = successor.nowMicros - begun;
      TxnId reached = successor.replica.inspect().watermark();
      for (int other : new int[] {0, 2}) {
        successor.receive(
            replica(other), new TruncateReply(proposed.watermark(), reached, List.of()));
      }
      successor.receive(replica(1), successor.last(TruncateCommit.class));
      for (int i = 0; i < 3; i++) {
        successor.receive(replica(i), new Message.TruncateAck(proposed.watermark()));
      }
      assertThat(successor.replica.census().watermarkMicros())
          .isEqualTo(proposed.watermark().timeMicros());
    }
    assertThat(waits[1]).isLessThan(waits[0] / 2);
    assertThat(waits[2]).isLessThan(waits[0] / 2);
  }

  /** The watermark that the first replica of a partition proposes at its next tick. */
  private static TxnId proposed(ReplicaDriver proposer) {
    return proposer.tickAfter(RETENTION + 2_000_000).stream()
        .flatMap(
            effect ->
                effect instanceof Sent(var ignored, TruncatePrepare prepare)
                    ? Stream.of(prepare.watermark())
                    : null)
        .findFirst()
        .orElseThrow();
  }

  /**
   * A client has its pick of timestamps and participants. A message that is longer than a frame is
   * never sent, so a round with more transactions would never end, and neither would a copy.
   */
  @Nested
  class VeryManyTransactionsInAMoment {
    private static final int PARTITIONS = 1_000;
    private static final int TRANSACTIONS = 6_000;
    private static final int BYTES_OF_EACH = 2 * PARTITIONS;

    private final ReplicaDriver first =
        new ReplicaDriver(
            replica(0), new Topology(1, new int[PARTITIONS]), OPTIONS, ReplicaRules.SOUND);

    @BeforeEach
    void commitThem() {
      List<Integer> all = IntStream.range(0, PARTITIONS).boxed().toList();
      for (int i = 0; i < TRANSACTIONS; i++) {
        TxnId id = new TxnId(t + i, 7, 0);
        first.stepUnchecked(
            new Event.Received(
                client(7), new Message.Prepare(new ExecutionId(id, 0), List.of(), List.of(), all)));
        first.stepUnchecked(new Event.Received(client(7), new Decide(id, Outcome.commit(0, all))));
      }
      first.effects();
      first.tickAfter(0);
    }

    @Test
    void takeSeveralRounds() {
      first.tickAfter(RETENTION + 2_000_000);
      TruncatePrepare asked = first.last(TruncatePrepare.class);
      first.receive(replica(1), new TruncateReply(asked.watermark(), TxnId.INITIAL, List.of()));
      first.receive(replica(0), first.last(TruncatePrepare.class));
      TruncateReply own = first.last(TruncateReply.class);
      first.receive(replica(0), own);
      TruncateCommit commit = first.last(TruncateCommit.class);
      assertThat(commit.watermark()).isEqualTo(own.upTo()).isLessThan(asked.watermark());
      assertThat(commit.commits())
          .as("all up to its watermark")
          .hasSize((int) (commit.watermark().timeMicros() - t + 1))
          .hasSizeBetween(1_000, Limits.MAX_FRAME_BYTES / 2 / BYTES_OF_EACH);
      first.receive(replica(0), commit);
      first.receive(replica(0), new TruncateAck(commit.watermark()));
      first.receive(replica(1), new TruncateAck(commit.watermark()));
      assertThat(first.lastStep).contains(new Broadcast(1, new Watermark(0, commit.watermark())));
      first.tickAfter(RETENTION / 100);
      assertThat(first.last(TruncatePrepare.class).base()).isEqualTo(commit.watermark());
    }

    /** Whoever asks: for a round at a cut, and for one of a replica that joins. */
    @Test
    void takeSeveralAnswers() {
      for (boolean joins : new boolean[] {false, true}) {
        TxnId watermark = watermark(t + TRANSACTIONS);
        first.nowMicros += RETENTION;
        TxnId base = TxnId.INITIAL;
        ArrayList<TxnId> named = new ArrayList<>();
        int answers = 0;
        TruncateReply reply;
        do {
          first.receive(
              replica(1), new TruncatePrepare(base, watermark, joins ? first.nowMicros : 0));
          reply = first.last(TruncateReply.class);
          assertThat(reply.base()).isEqualTo(base);
          assertThat(reply.upTo()).isGreaterThan(base);
          assertThat((long) reply.standings().size() * BYTES_OF_EACH)
              .isLessThan(Limits.MAX_FRAME_BYTES / 3);
          reply.standings().forEach(standing -> named.add(standing.txn()));
          base = reply.upTo();
          answers++;
        } while (base.isBefore(watermark));
        assertThat(base).isEqualTo(joins ? TxnId.HIGHEST : watermark);
        assertThat(named).doesNotHaveDuplicates().hasSize(TRANSACTIONS);
        assertThat(answers).isGreaterThan(2);
      }
    }

    /** A replica that joins asks for what others have decided above its fence as well. */
    @Test
    void takeSeveralAnswersAboveTheFence() {
      TxnId watermark = watermark(t + 10);
      TxnId base = TxnId.INITIAL;
      int named = 0;
      while (!base.equals(TxnId.HIGHEST)) {
        first.receive(replica(1), new TruncatePrepare(base, watermark, first.nowMicros));
        TruncateReply reply = first.last(TruncateReply.class);
        assertThat((long) reply.standings().size() * BYTES_OF_EACH)
            .isLessThan(Limits.MAX_FRAME_BYTES / 3);
        named += reply.standings().size();
        assertThat(reply.upTo()).isGreaterThan(base);
        base = reply.upTo();
      }
      assertThat(named).isEqualTo(TRANSACTIONS);
    }

    @Test
    void areToldToAReplicaThatHasMissedThemInParts() {
      first.nowMicros += RETENTION + 2_000_000;
      first.truncate(t + 1_000_000);
      first.tickAfter(0);
      first.tickAfter(500_000);
      TxnId asked = first.last(TruncatePrepare.class).watermark();
      TxnId own = watermark(t + 1_000_000);
      first.receive(replica(1), new TruncateReply(asked, own, List.of()));
      first.receive(replica(0), new TruncateReply(asked, own, List.of()));
      assertThat(first.last(TruncateCommit.class).commits()).isEmpty();
      TxnId reached = watermark(t - 1);
      first.receive(replica(2), new TruncateReply(asked, reached, List.of()));
      int told = 0;
      while (reached.isBefore(asked)) {
        TruncateCommit part = first.last(TruncateCommit.class);
        first.receive(replica(2), new TruncateAck(reached)); // late
        assertThat(first.lastStep).isEmpty();
        assertThat(part.base()).isEqualTo(reached);
        assertThat(part.watermark()).isGreaterThan(reached);
        assertThat((long) part.commits().size() * BYTES_OF_EACH)
            .isLessThan(Limits.MAX_FRAME_BYTES * 2 / 3);
        told += part.commits().size();
        reached = part.watermark();
        first.receive(replica(2), new TruncateAck(reached));
      }
      assertThat(told).isEqualTo(TRANSACTIONS);
    }

    @Test
    void takeSeveralPartsOfACopy() {
      first.nowMicros += RETENTION + 2_000_000;
      first.truncate(t + 1_000_000);
      int copied = 0;
      TxnId next = TxnId.INITIAL;
      do {
        first.receive(replica(1), new CopyOutcomes(next));
        CopyOutcomesReply part = first.last(CopyOutcomesReply.class);
        assertThat((long) part.outcomes().size() * BYTES_OF_EACH).isLessThan(2L << 20);
        copied += part.outcomes().size();
        next = part.next();
      } while (!next.equals(TxnId.INITIAL));
      assertThat(copied).isEqualTo(TRANSACTIONS);
    }
  }

  @Test
  void aRoundNamesTheCommitsThatTwoOfThreeReplicasHaveReported() {
    ReplicaDriver proposer =
        new ReplicaDriver(replica(0), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
    proposer.receive(prepare(t, 0).writes("a", 1, "x").message());
    proposer.receive(commit(t, 0));
    proposer.tickAfter(0);
    TxnId asked = proposed(proposer);
    List<Standing> known =
        List.of(new Standing(txn(t), committing(0)), new Standing(txn(t + 1), Outcome.ABORT));
    proposer.receive(replica(0), new TruncateReply(asked, TxnId.INITIAL, List.of()));
    assertThat(proposer.receive(replica(1), new TruncateReply(asked, TxnId.INITIAL, known)))
        .contains(
            sent(replica(2), new TruncateCommit(TxnId.INITIAL, asked, List.of(known.getFirst()))));
  }

  /** Nobody would end the recovery: the outcome has been learnt already. */
  @Test
  void aRoundRecoversNoTransactionWhoseOutcomeTheProposerKnows() {
    ReplicaDriver proposer =
        new ReplicaDriver(replica(0), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
    proposer.receive(replica(2), commit(t, 0)); // the execution is missing
    proposer.tickAfter(0);
    TxnId asked = proposed(proposer);
    List<Standing> open = List.of(new Standing(txn(t), null));
    proposer.receive(replica(2), new TruncateReply(asked, TxnId.INITIAL, List.of()));
    assertThat(proposer.receive(replica(1), new TruncateReply(asked, TxnId.INITIAL, open)))
        .noneMatch(
            effect -> effect instanceof Sent one && one.message() instanceof Message.Recover);
    assertThat(proposer.replica.leftovers()).doesNotContain("recoveries");
  }

  @Test
  void allPartitionsLearnAWatermarkThatTwoOfThreeReplicasHaveReached() {
    ReplicaDriver proposer =
        new ReplicaDriver(replica(0), new Topology(1, 0, 0), OPTIONS, ReplicaRules.SOUND);
    proposer.tickAfter(0);
    TxnId asked = proposed(proposer);
    for (int i = 0; i < 2; i++) {
      proposer.receive(replica(i), new TruncateReply(asked, TxnId.INITIAL, List.of()));
    }
    assertThat(proposer.receive(replica(2), new TruncateAck(asked))).isEmpty();
    assertThat(proposer.receive(replica(1), new TruncateAck(asked)))
        .containsExactly(
            new Broadcast(0, new Watermark(0, asked)), new Broadcast(1, new Watermark(0, asked)));
  }

  /** The proposer has discarded executions that a replica lacks, which has missed many rounds. */
  @Test
  void aReplicaThatHasMissedMoreThanIsKeptIsBehind() {
    ReplicaDriver proposer =
        new ReplicaDriver(replica(0), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
    proposer.receive(prepare(t, 0).writes("a", 1, "x").message());
    proposer.receive(commit(t, 0));
    proposer.nowMicros += RETENTION;
    long base = proposer.nowMicros;
    proposer.truncate(base);
    TxnId asked = proposed(proposer);
    for (int i = 0; i < 2; i++) {
      proposer.receive(replica(i), new TruncateReply(asked, watermark(base), List.of()));
    }
    assertThat(proposer.receive(replica(2), new TruncateReply(asked, TxnId.INITIAL, List.of())))
        .containsExactly(sent(replica(2), new Behind(watermark(base), asked)));
  }

  /** The log says which outcomes are discarded, but not which executions. */
  @Test
  void aProposerThatHasRestartedStillKnowsWhichOutcomesItHasDiscarded() {
    ReplicaDriver before =
        new ReplicaDriver(replica(0), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
    before.receive(prepare(t, 0).writes("a", 1, "x").message());
    before.receive(commit(t, 0));
    long base = t;
    for (int i = 0; i < 2; i++) {
      before.nowMicros += RETENTION;
      base = before.nowMicros;
      before.truncate(base);
      before.reachedEverywhere(base);
    }
    before.truncate(base + 1);
    assertThat(before.replica.outcomeOf(txn(t))).isNull();
    ReplicaDriver proposer =
        before.restarted(List.of(new LogRecord.Fenced(watermark(base + 1)), before.log.getLast()));
    assertIsBehind(proposer, base + 1, t - 1);
  }

  /** A copy has all versions, but only the outcomes that the peer has kept. */
  @Test
  void aProposerThatHasCopiedKnowsWhichOutcomesThePeerHadDiscarded() {
    ReplicaDriver proposer =
        new ReplicaDriver(replica(0), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
    long base = t;
    proposer.receive(replica(1), new Behind(watermark(base), watermark(base)));
    proposer.receive(
        replica(1), copyReply(TxnId.INITIAL, "", null, watermark(base), TxnId.INITIAL));
    proposer.receive(
        replica(1),
        new CopyOutcomesReply(
            TxnId.INITIAL, TxnId.INITIAL, watermark(base), watermark(base - 2), List.of()));
    assertThat(proposer.replica.census().watermarkMicros()).isEqualTo(base);
    assertIsBehind(proposer, base, base - 3);
  }

  /** A replica that has reached {@code applied} does not get the commits since from a proposer. */
  private static void assertIsBehind(ReplicaDriver proposer, long base, long applied) {
    proposer.tickAfter(0);
    TxnId asked = proposed(proposer);
    proposer.receive(replica(2), new TruncateReply(asked, watermark(applied), List.of()));
    proposer.receive(replica(0), new TruncateReply(asked, watermark(base), List.of()));
    assertThat(proposer.lastStep).contains(sent(replica(2), new Behind(watermark(base), asked)));
  }

  @Test
  void aPeerThatHasNotReachedTheWatermarkIsNotCopied() {
    replica.receive(replica(2), new Behind(watermark(t), watermark(t)));
    assertThat(
            replica.receive(
                replica(2), copyReply(TxnId.INITIAL, "", null, watermark(t - 1), TxnId.INITIAL)))
        .containsExactly(sent(replica(0), copy(TxnId.INITIAL)));
  }

  /** The peer may have discarded versions below that one since the copy began. */
  @Test
  void aVersionAboveTheWatermarkOfACopyIsTheFloorOfItsKey() {
    TxnId reached = watermark(t + 25);
    replica.receive(replica(2), new Behind(reached, reached));
    replica.receive(replica(2), copyReply(TxnId.INITIAL, "", "m", reached, TxnId.INITIAL));
    Message.CopiedVersion later =
        new Message.CopiedVersion(key("b"), version(t + 60, 1), value("x"), TxnId.INITIAL);
    replica.receive(
        replica(2), copyReply(TxnId.INITIAL, "m", null, watermark(t + 70), TxnId.INITIAL, later));
    assertThat(replica.log).contains(new LogRecord.Floor(key("b"), txn(t + 60)));
  }

  /** The log may end between the two. */
  @Test
  void theFloorOfACopiedVersionIsLoggedBeforeIt() {
    TxnId reached = watermark(t + 25);
    replica.receive(replica(2), new Behind(reached, reached));
    Message.CopiedVersion version =
        new Message.CopiedVersion(key("b"), version(t + 20, 1), value("x"), txn(t + 20));
    replica.receive(
        replica(2), copyReply(TxnId.INITIAL, "", null, reached, TxnId.INITIAL, version));
    assertThat(replica.log)
        .filteredOn(each -> each instanceof LogRecord.Floor || each instanceof LogRecord.Version)
        .containsExactly(
            new LogRecord.Floor(key("b"), txn(t + 20)),
            new LogRecord.Version(key("b"), version(t + 20, 1), value("x")));
  }

  /**
   * This replica has more versions of the key than its limit, too, so it refuses readers below. But
   * its log has all of them, and a server that goes back to a cut reads it without a limit.
   */
  @Test
  void theFloorOfACopiedVersionIsLoggedAlthoughTheKeyHasOne() {
    ReplicaDriver limited =
        new ReplicaDriver(
            replica(1), new Topology(1, 0), OPTIONS.withMaxVersionsPerKey(2), ReplicaRules.SOUND);
    for (long writer : new long[] {t, t + 20, t + 30}) {
      limited.receive(prepare(writer, 0).writes("b", 1, "x").message());
      limited.receive(commit(writer, 0));
    }
    assertThat(limited.replica.inspect().floor(key("b"))).isEqualTo(txn(t + 20));
    assertThat(limited.log).noneMatch(LogRecord.Floor.class::isInstance);
    TxnId reached = watermark(t + 15);
    limited.receive(replica(2), new Behind(reached, reached));
    // The peer has discarded a version below that one, which this replica has never had.
    Message.CopiedVersion version =
        new Message.CopiedVersion(key("b"), version(t + 20, 1), value("x"), txn(t + 20));
    limited.receive(
        replica(2), copyReply(TxnId.INITIAL, "", null, reached, TxnId.INITIAL, version));
    limited.receive(
        replica(2),
        new CopyOutcomesReply(TxnId.INITIAL, TxnId.INITIAL, reached, TxnId.INITIAL, List.of()));
    ReplicaDriver unlimited =
        new ReplicaDriver(replica(1), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND)
            .restarted(limited.log);
    Replica.Memory memory = unlimited.replica.memory(limited.nowMicros);
    assertThat(memory.upTo()).isEqualTo(reached);
    assertThat(memory.holds(reached)).isFalse();
  }

  /**
   * The peer has discarded a version below the copied one. So this replica lacks it as well, and
   * has a floor. Who copies this replica next must not serve readers below either.
   */
  @Test
  void theFloorOfAVersionThatWaitsForItsWriterIsCopied() {
    ReplicaDriver next =
        new ReplicaDriver(replica(0), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
    for (ReplicaDriver each : List.of(replica, next)) {
      each.receive(prepare(t, 0).writes("b", 1, "x").message());
      each.receive(commit(t, 0));
    }
    next.truncate(t + 5);
    replica.receive(prepare(t + 60, 0).writes("b", 1, "z").message());
    TxnId reached = watermark(t + 25);
    Message.CopiedVersion version =
        new Message.CopiedVersion(key("b"), version(t + 60, 1), value("z"), txn(t + 60));
    replica.receive(replica(2), new Behind(reached, reached));
    replica.receive(
        replica(2), copyReply(TxnId.INITIAL, "", null, reached, TxnId.INITIAL, version));
    replica.receive(
        replica(2),
        new CopyOutcomesReply(TxnId.INITIAL, TxnId.INITIAL, reached, TxnId.INITIAL, List.of()));
    assertThat(replica.receive(get(t + 50, 0, "b"))).containsExactly(refused(t + 50, replica));
    next.receive(replica(1), new Behind(reached, reached));
    replica.receive(replica(0), next.last(Copy.class));
    CopyReply reply = replica.last(CopyReply.class);
    assertThat(reply.versions()).containsExactly(version);
    next.receive(replica(1), reply);
    assertThat(next.receive(get(t + 50, 0, "b"))).containsExactly(refused(t + 50, next));
  }

  /**
   * The peer had discarded what lies below the copied version. Another one, which has not reached
   * that watermark, is copied instead.
   */
  @Test
  void aCopyThatIsGivenUpLeavesNoReaderThatWouldMissAVersion() {
    TxnId reached = watermark(t + 25);
    replica.receive(replica(2), new Behind(reached, reached));
    Message.CopiedVersion left =
        new Message.CopiedVersion(key("b"), version(t + 60, 1), value("x"), TxnId.INITIAL);
    replica.receive(
        replica(2), copyReply(TxnId.INITIAL, "", "m", watermark(t + 70), TxnId.INITIAL, left));
    ReplicaDriver restarted = replica.restarted(replica.log);
    assertThat(restarted.receive(get(t + 50, 0, "b"))).containsExactly(refused(t + 50, restarted));
    while (!replica
        .tickAfter(OPTIONS.inquireMicros())
        .contains(sent(replica(0), copy(TxnId.INITIAL)))) {
      assertThat(replica.nowMicros).isLessThan(t + 9 * OPTIONS.inquireMicros());
    }
    replica.receive(replica(0), copyReply(TxnId.INITIAL, "", null, reached, TxnId.INITIAL));
    replica.receive(
        replica(0),
        new CopyOutcomesReply(TxnId.INITIAL, TxnId.INITIAL, reached, TxnId.INITIAL, List.of()));
    assertThat(replica.replica.census().watermarkMicros()).isEqualTo(t + 25);
    assertThat(replica.receive(get(t + 50, 0, "b"))).containsExactly(refused(t + 50, replica));
  }

  private static Effect refused(long at, ReplicaDriver by) {
    return toCoordinator(new Refused(txn(at), Refusal.TRUNCATED, by.nowMicros));
  }

  @Test
  void aCopyBringsTheOutcomesThatThePeerHasKept() {
    TxnId reached = watermark(t + 25);
    replica.receive(replica(2), new Behind(reached, reached));
    replica.receive(replica(2), copyReply(TxnId.INITIAL, "", null, reached, TxnId.INITIAL));
    List<Standing> kept =
        List.of(new Standing(txn(t), committing(0)), new Standing(txn(t + 1), committing(2)));
    replica.receive(
        replica(2),
        new CopyOutcomesReply(TxnId.INITIAL, txn(t), reached, TxnId.INITIAL, kept.subList(0, 1)));
    replica.receive(
        replica(2),
        new CopyOutcomesReply(txn(t), TxnId.INITIAL, reached, TxnId.INITIAL, kept.subList(1, 2)));
    assertThat(replica.replica.outcomeOf(txn(t))).isEqualTo(committing(0));
    assertThat(replica.replica.outcomeOf(txn(t + 1))).isEqualTo(committing(2));
  }

  /** Its outcome is forgotten at the peer, but not that it has committed. */
  @Test
  void aCopiedVersionOfAWriterThatIsOpenHereIsInstalledAtTheEndOfTheCopy() {
    replica.receive(prepare(t, 0).writes("a", 1, "x").message());
    TxnId reached = watermark(t + 25);
    replica.receive(replica(2), new Behind(reached, reached));
    Message.CopiedVersion version =
        new Message.CopiedVersion(key("a"), version(t, 1), value("x"), TxnId.INITIAL);
    replica.receive(
        replica(2), copyReply(TxnId.INITIAL, "", null, reached, TxnId.INITIAL, version));
    assertThat(replica.replica.newestCommitted(key("a"))).isNull();
    replica.receive(
        replica(2),
        new CopyOutcomesReply(TxnId.INITIAL, TxnId.INITIAL, reached, watermark(t), List.of()));
    assertThat(replica.replica.newestCommitted(key("a")))
        .isEqualTo(committed("a", version(t, 1), "x"));
  }

  /** The peer has forgotten the commit that a late message of an earlier round has named. */
  @Test
  void aRoundBelowTheWatermarkOfACopyEndsWithIt() {
    TxnId reached = watermark(t + 25);
    replica.receive(replica(2), new Behind(reached, reached));
    replica.truncate(t + 9, commit(t, 0));
    replica.receive(replica(2), copyReply(TxnId.INITIAL, "", null, reached, TxnId.INITIAL));
    replica.receive(
        replica(2),
        new CopyOutcomesReply(TxnId.INITIAL, TxnId.INITIAL, reached, watermark(t + 8), List.of()));
    assertThat(replica.replica.census().watermarkMicros()).isEqualTo(t + 25);
    assertThat(replica.tickAfter(2 * RETENTION).toString()).contains("TruncatePrepare");
  }

  /** It lacks commits at or below the watermark, which would then count as aborted. */
  @Test
  void outcomesThatEndBelowTheWatermarkOfTheCopyAreIgnored() {
    TxnId reached = watermark(t + 25);
    replica.receive(replica(2), new Behind(reached, reached));
    replica.receive(replica(2), copyReply(TxnId.INITIAL, "", null, reached, TxnId.INITIAL));
    // To a copy that was given up, or from before a restart.
    replica.receive(
        replica(2),
        new CopyOutcomesReply(
            TxnId.INITIAL, TxnId.INITIAL, watermark(t + 24), TxnId.INITIAL, List.of()));
    assertThat(replica.replica.census().watermarkMicros()).isZero();
    assertThat(replica.tickAfter(OPTIONS.inquireMicros()))
        .contains(sent(replica(2), new CopyOutcomes(TxnId.INITIAL)));
    replica.receive(
        replica(2),
        new CopyOutcomesReply(
            TxnId.INITIAL,
            TxnId.INITIAL,
            reached,
            TxnId.INITIAL,
            List.of(new Standing(txn(t + 25), committing(0)))));
    assertThat(replica.replica.census().watermarkMicros()).isEqualTo(t + 25);
    assertThat(replica.receive(new Message.Inquire(txn(t + 25))))
        .containsExactly(toCoordinator(commit(t + 25, 0)));
  }

  @Test
  void anAnswerWithOutcomesSaysUpToWhere() {
    replica.truncate(t + 25);
    assertThat(replica.receive(replica(2), new CopyOutcomes(TxnId.INITIAL)))
        .containsExactly(
            sent(
                replica(2),
                new CopyOutcomesReply(
                    TxnId.INITIAL, TxnId.INITIAL, watermark(t + 25), TxnId.INITIAL, List.of())));
  }

  /** It may have forgotten commits that its round must report to replicas that missed them. */
  @Test
  void aProposerThatWasOvertakenGivesItsRoundUp() {
    ReplicaDriver proposer =
        new ReplicaDriver(replica(0), new Topology(2, 0), OPTIONS, ReplicaRules.SOUND);
    proposer.truncate(t - 9);
    proposer.receive(prepare(t, 0).writes("a", 1, "x").message());
    proposer.receive(commit(t, 0));
    proposer.receive(prepare(t + 1, 0).writes("b", 1, "x").message()); // its outcome stays open
    TxnId asked = proposed(proposer);
    List<Standing> known =
        List.of(new Standing(txn(t), committing(0)), new Standing(txn(t + 1), null));
    for (int i = 0; i < 3; i++) {
      proposer.receive(replica(i), new TruncateReply(asked, watermark(t - 9), known));
    }
    // Another proposer knows the outcome, and its rounds go on.
    proposer.truncate(t + 9, commit(t + 1, 0));
    for (int i = 0; i < 3; i++) {
      proposer.nowMicros += RETENTION;
      proposer.truncate(proposer.nowMicros - RETENTION);
      proposer.reachedEverywhere(proposer.nowMicros - RETENTION);
    }
    assertThat(proposer.replica.outcomeOf(txn(t))).isNull();
    assertThat(proposer.tickAfter(TICK))
        .noneMatch(
            effect ->
                effect instanceof Sent(var ignored, TruncateCommit told)
                    && told.watermark().equals(asked));
  }

  @Test
  void watermarkIsReachedWhenMissingExecutionsWereFetched() {
    assertThat(replica.truncate(t + 9, commit(t, 0)))
        .contains(sent(replica(2), new Fetch(execution(t, 0))));
    for (int i = 0; i < 5; i++) {
      assertThat(replica.tickAfter(OPTIONS.inquireMicros()))
          .contains(sent(replica(2), new Fetch(execution(t, 0))))
          .doesNotContain(sent(replica(0), new TruncateAck(watermark(t + 9))));
      assertThat(replica.replica.census().watermarkMicros()).isZero();
    }
    replica.receive(replica(2), prepare(t, 0).writes("a", 1, "x").fetched());
    assertThat(replica.replica.newestCommitted(key("a")))
        .isEqualTo(committed("a", version(t, 1), "x"));
    assertThat(replica.tickAfter(TICK))
        .contains(sent(replica(0), new TruncateAck(watermark(t + 9))));
    assertThat(replica.replica.census().watermarkMicros()).isEqualTo(t + 9);
    retentionPasses();
    assertThat(replica.replica.census().transactions()).isZero();
  }

  @Test
  void keepsNoMoreAfterManyTransactionsThanAfterFew() {
    int keys = 10;
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 200; i++) {
        long at = replica.nowMicros + i;
        String key = "k" + i % keys;
        replica.receive(get(at, 0, key));
        replica.receive(put(at, 0, key, 1, "v" + i));
        if (i % 3 == 0) {
          replica.receive(abort(at));
        } else if (i % 3 == 1) {
          replica.receive(prepare(at, 0).writes(key, 1, "v" + i).message());
          replica.receive(commit(at, 0));
        }
      }
      assertThat(replica.replica.census().transactions()).isEqualTo(200);
      replica.nowMicros += 1_000;
      retentionPasses();
      assertThat(replica.replica.census().transactions()).isZero();
      assertThat(replica.replica.census().keys()).isEqualTo(keys);
    }
  }
}
