package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.INITIAL;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.committing;
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
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message.Fetch;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.testing.EffectRecorder.Armed;

/** The fence, and what a replica forgets behind it (docs/protocol.md, section 5). */
class ReplicaRetentionTest {
  private static final long RETENTION = 10_000_000;
  private static final long TICK = 50_000;
  private static final ReplicaOptions OPTIONS =
      new ReplicaOptions(500_000, RETENTION, TICK, 60_000_000, 4);

  private final ReplicaDriver replica = new ReplicaDriver(OPTIONS);

  /** A timestamp that is new now and old one retention time later. */
  private long t = ReplicaDriver.START_MICROS;

  private void retentionPasses() {
    replica.tickAfter(RETENTION + TICK);
    // What becomes due in the first tick may put more into the queues.
    replica.tickAfter(RETENTION + TICK);
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
    void followsTheClockAtTheRetentionTime() {
      replica.tickAfter(RETENTION);
      assertThat(replica.replica.census().fenceMicros()).isEqualTo(t);
    }

    @Test
    void neverFalls() {
      replica.tickAfter(RETENTION);
      replica.tickAfter(-500_000);
      assertThat(replica.replica.census().fenceMicros()).isEqualTo(t);
    }

    @Test
    void readAtOrBelowItIsRefused() {
      replica.tickAfter(RETENTION);
      assertThat(replica.receive(get(t, 0, "a")))
          .containsExactly(
              toCoordinator(new Refused(txn(t), Refusal.TRUNCATED, replica.nowMicros)));
      assertThat(replica.marks()).containsExactly(Branch.TRUNCATED_REFUSED);
      assertThat(replica.receive(get(t + 1, 0, "a")))
          .containsExactly(toCoordinator(got(t + 1, 0, 1, absent("a"))));
    }

    @Test
    void writeAtOrBelowItIsRefused() {
      replica.tickAfter(RETENTION);
      assertThat(replica.receive(put(t, 0, "a", 1, "x")))
          .containsExactly(
              toCoordinator(new Refused(txn(t), Refusal.TRUNCATED, replica.nowMicros)));
    }

    @Test
    void unknownTransactionAtOrBelowItGetsATentativeAbandon() {
      replica.tickAfter(RETENTION);
      assertThat(replica.receive(prepare(t, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(t, 0, tentative(Reason.TRUNCATED))));
      assertThat(replica.replica.census().transactions()).isZero();
    }

    @Test
    void knownTransactionAtOrBelowItGetsATentativeAbandon() {
      replica.nowMicros += RETENTION - 1;
      replica.receive(put(t, 0, "a", 1, "x"));
      replica.tickAfter(1);
      assertThat(replica.receive(prepare(t, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(t, 0, tentative(Reason.TRUNCATED))));
      assertThat(replica.replica.holds(execution(t, 0))).isFalse();
    }

    @Test
    void voteGivenBeforeIsRepeated() {
      replica.receive(prepare(t, 0).writes("a", 1, "x").message());
      retentionPasses();
      assertThat(replica.receive(prepare(t, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(t, 0, Vote.COMMIT)));
    }

    @Test
    void waitingVoteIsAbandonedWhenItsDependencyIsDecidedTooLate() {
      replica.nowMicros += RETENTION - 1;
      replica.receive(prepare(t - 1, 0).writes("a", 1, "x").message());
      replica.receive(prepare(t, 0).reads("a", version(t - 1, 1)).message());
      replica.tickAfter(1);
      assertThat(replica.receive(commit(t - 1, 0)))
          .containsExactly(toCoordinator(voted(t, 0, tentative(Reason.TRUNCATED))));
    }

    @Test
    void finalConflictIsReportedBelowItAsWell() {
      replica.nowMicros += RETENTION - 1;
      install(t - 1, "a", "x");
      replica.receive(put(t, 0, "b", 1, "y"));
      replica.tickAfter(1);
      assertThat(replica.receive(prepare(t, 0).reads("a", INITIAL).message()))
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
    void notBeforeTheRetentionTime() {
      install(t, "a", "x");
      replica.tickAfter(RETENTION - 1);
      assertThat(replica.replica.outcomeOf(txn(t))).isEqualTo(committing(0));
    }

    @Test
    void transactionsThatMerelyExecutedAndTellsTheirReaders() {
      install(t, "a", "old");
      replica.receive(put(t + 1, 0, "a", 1, "x"));
      replica.nowMicros += RETENTION;
      long reader = replica.nowMicros;
      replica.receive(get(reader, 0, "a"));
      assertThat(replica.tickAfter(TICK))
          .contains(toCoordinator(pushed(reader, 0, 2, committed("a", version(t, 1), "old"))));
    }

    @Test
    void transactionsThatMerelyExecutedAndReleasesWhoWaits() {
      replica.receive(put(t, 0, "a", 1, "x"));
      replica.nowMicros += RETENTION;
      long reader = replica.nowMicros;
      assertThat(replica.receive(prepare(reader, 0).reads("a", version(t, 1)).message())).isEmpty();
      assertThat(replica.tickAfter(TICK))
          .contains(toCoordinator(voted(reader, 0, tentative(Reason.TRUNCATED))));
    }

    @Test
    void subscriptionsOfReadersWhoNeverEnd() {
      replica.receive(get(t, 0, "a"));
      retentionPasses();
      assertThat(replica.replica.census().transactions()).isZero();
      assertThat(replica.receive(put(replica.nowMicros, 0, "a", 1, "x"))).isEmpty();
    }

    @Test
    void neverAVoteToCommitWithoutAnOutcome() {
      replica.receive(prepare(t, 0).reads("b", INITIAL).writes("a", 1, "x").message());
      retentionPasses();
      assertThat(replica.replica.holds(execution(t, 0))).isTrue();
      replica.receive(commit(t, 0));
      assertThat(replica.receive(get(replica.nowMicros, 0, "a")))
          .containsExactly(
              toCoordinator(got(replica.nowMicros, 0, 1, committed("a", version(t, 1), "x"))));
      retentionPasses();
      assertThat(replica.replica.census().transactions()).isZero();
    }

    @Test
    void neverAnAcceptedOutcomeThatIsNotDecided() {
      replica.receive(finalizing(t, Outcome.ABORT));
      retentionPasses();
      assertThat(replica.replica.undecided()).containsExactly(txn(t));
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
      replica.nowMicros = later;
      install(later, "a", "above the fence");
      replica.tickAfter(RETENTION - 10);
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
      replica.nowMicros = reader;
      replica.tickAfter(RETENTION - 10);
      assertThat(replica.replica.census().fenceMicros()).isEqualTo(reader - 10);
      assertThat(replica.receive(prepare(reader - 1, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(reader - 1, 0, finalAbandon(Reason.WRITE_MISSED))));
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
      assertKeys(1);
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
  void committedExecutionThatIsNotHereYetIsFetchedForEver() {
    replica.receive(commit(t, 0));
    for (int i = 0; i < 10; i++) {
      retentionPasses();
    }
    assertThat(replica.tickAfter(OPTIONS.inquireMicros()))
        .contains(sent(replica(1), new Fetch(execution(t, 0))));
    replica.receive(replica(1), prepare(t, 0).writes("a", 1, "x").fetched());
    assertThat(replica.replica.newestCommitted(key("a")))
        .isEqualTo(committed("a", version(t, 1), "x"));
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

  /** A key that is written faster than the retention time allows for. */
  @Nested
  class KeyFloor {

    private void installMany() {
      for (int i = 1; i <= 5; i++) { // the limit is 4, and 3 are kept once it is exceeded
        install(t + 10L * i, "a", "v" + i);
      }
    }

    @Test
    void readerBelowItIsRefused() {
      installMany();
      assertThat(replica.receive(get(t + 25, 0, "a")))
          .containsExactly(
              toCoordinator(new Refused(txn(t + 25), Refusal.TRUNCATED, replica.nowMicros)));
    }

    @Test
    void readerAboveItIsServed() {
      installMany();
      assertThat(replica.receive(get(t + 35, 0, "a")))
          .containsExactly(
              toCoordinator(got(t + 35, 0, 1, committed("a", version(t + 30, 1), "v3"))));
    }

    @Test
    void otherKeysAreServed() {
      installMany();
      assertThat(replica.receive(get(t + 25, 0, "b")))
          .containsExactly(toCoordinator(got(t + 25, 0, 1, absent("b"))));
    }

    @Test
    void prepareThatReadBelowItIsAbandoned() {
      installMany();
      assertThat(replica.receive(prepare(t + 25, 0).reads("a", version(t + 20, 1)).message()))
          .containsExactly(toCoordinator(voted(t + 25, 0, tentative(Reason.TRUNCATED))));
    }

    @Test
    void prepareThatWritesBelowItIsAbandoned() {
      installMany();
      assertThat(replica.receive(prepare(t + 25, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(t + 25, 0, tentative(Reason.TRUNCATED))));
    }

    @Test
    void readOfAVersionThatIsGoneIsAMissedWrite() {
      installMany();
      assertThat(replica.receive(prepare(t + 60, 0).reads("a", version(t + 10, 1)).message()))
          .containsExactly(
              toCoordinator(
                  voted(
                      t + 60,
                      0,
                      finalAbandon(
                          Reason.MISSED_WRITE, committed("a", version(t + 50, 1), "v5")))));
    }

    @Test
    void writerThatWasPreparedBelowItStillCommits() {
      replica.receive(prepare(t + 5, 0).writes("a", 1, "early").message());
      installMany();
      assertThat(replica.receive(commit(t + 5, 0))).isEmpty();
      assertThat(replica.replica.outcomeOf(txn(t + 5))).isEqualTo(committing(0));
      assertThat(replica.receive(get(t + 35, 0, "a")))
          .containsExactly(
              toCoordinator(got(t + 35, 0, 1, committed("a", version(t + 30, 1), "v3"))));
    }
  }
}
