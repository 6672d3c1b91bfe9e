package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.answered;
import static org.mortydb.protocol.testing.Make.client;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.finalizing;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Fetch;
import org.mortydb.protocol.message.Message.Finalize;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.InquireReply;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.message.Message.TruncateAck;
import org.mortydb.protocol.message.Message.TruncateCommit;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.message.Message.Watermark;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.testing.EffectRecorder.HeldUntilDurable;

/**
 * What a replica says of transactions that it has no record of, at or below its fence, its
 * watermark, or what it has forgotten (docs/protocol.md, sections 5 and 6).
 */
class ReplicaBelowWatermarkTest {
  private static final View VIEW = new View(1, 7);
  private static final RecoverAnswer NOTHING =
      new RecoverAnswer.Promised(null, RecoverAnswer.NO_EXECUTION, false, List.of());

  /** A replica of the other partition, whose recovery asks. */
  private static final ReplicaId OTHER = new ReplicaId(1, 0);

  private final ReplicaOptions options = ReplicaOptions.DEFAULTS;
  private final ReplicaDriver replica =
      new ReplicaDriver(replica(1), new Topology(1, 0, 0), options, ReplicaRules.SOUND);
  private final long t = ReplicaDriver.START_MICROS;

  private static TxnId homedAtTheOther(long t) {
    return new TxnId(t, t, 1);
  }

  /** Everything up to {@code t} is forgotten, and the watermark well above it. */
  private void forget() {
    replica.nowMicros = t + 2 * options.retentionMicros();
    replica.truncate(t + options.retentionMicros());
    replica.reachedEverywhere(t);
    replica.truncate(t + options.retentionMicros() + 1);
  }

  @Nested
  class BetweenWatermarkAndFence {

    @Test
    void unknownTransactionIsPromisedToARecovery() {
      replica.truncate(t - 1);
      replica.fence(t);
      assertThat(replica.receive(OTHER, new Recover(txn(t), VIEW)))
          .containsExactly(sent(OTHER, new RecoverReply(txn(t), VIEW, NOTHING)));
      assertThat(replica.receive(prepare(t, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(answered(t, 0, new PrepareAnswer.Fenced(VIEW))));
    }

    @Test
    void unknownTransactionOfAnotherHomeIsPromisedAsWell() {
      TxnId id = homedAtTheOther(t);
      replica.truncate(t - 1);
      replica.fence(t);
      assertThat(replica.receive(OTHER, new Recover(id, VIEW)))
          .containsExactly(sent(OTHER, new RecoverReply(id, VIEW, NOTHING)));
    }

    @Test
    void unknownTransactionIsNotSaidToHaveAborted() {
      replica.truncate(t - 1);
      replica.fence(t);
      assertThat(replica.receive(OTHER, new Inquire(txn(t))))
          .containsExactly(sent(OTHER, new InquireReply(txn(t))));
      assertThat(replica.marks()).doesNotContain(Branch.FORGOTTEN_ABORT_TOLD);
    }

    @Test
    void recoverysProposalIsAccepted() {
      replica.fence(t);
      replica.receive(OTHER, new Recover(txn(t), VIEW));
      assertThat(replica.receive(OTHER, new Finalize(txn(t), VIEW, Outcome.ABORT)))
          .containsExactly(
              sent(OTHER, new FinalizeReply(txn(t), VIEW, new FinalizeAnswer.Accepted())));
    }
  }

  @Nested
  class BelowTheWatermark {

    @Test
    void homeTellsTheAbortToARecovery() {
      replica.truncate(t);
      assertThat(replica.receive(OTHER, new Recover(txn(t), VIEW)))
          .containsExactly(
              sent(
                  OTHER, new RecoverReply(txn(t), VIEW, new RecoverAnswer.Decided(Outcome.ABORT))));
      assertThat(replica.marks()).contains(Branch.FORGOTTEN_ABORT_TOLD);
    }

    @Test
    void homeTellsTheAbortToWhoInquires() {
      replica.truncate(t);
      assertThat(replica.receive(OTHER, new Inquire(txn(t))))
          .containsExactly(sent(OTHER, new Decide(txn(t), Outcome.ABORT)));
      assertThat(replica.receive(client(t), new Inquire(txn(t))))
          .containsExactly(sent(client(t), new Decide(txn(t), Outcome.ABORT)));
    }

    @Test
    void homeTellsTheAbortToWhoProposesACommit() {
      replica.truncate(t);
      assertThat(replica.receive(finalizing(t, committing(0))))
          .containsExactly(
              toCoordinator(
                  new FinalizeReply(
                      txn(t), View.CLIENT, new FinalizeAnswer.Decided(Outcome.ABORT))));
      assertThat(replica.replica.census().transactions()).isZero();
    }

    @Test
    void homeTellsTheCommitThatTheRoundHasTold() {
      replica.receive(prepare(t, 0).writes("a", 1, "x").message());
      replica.truncate(t, commit(t, 0));
      assertThat(replica.receive(OTHER, new Recover(txn(t), VIEW)))
          .containsExactly(
              sent(
                  OTHER, new RecoverReply(txn(t), VIEW, new RecoverAnswer.Decided(committing(0)))));
    }

    @Test
    void participantThatIsNotTheHomePromisesWithoutARecord() {
      TxnId id = homedAtTheOther(t);
      replica.truncate(t);
      assertThat(replica.receive(OTHER, new Recover(id, VIEW)))
          .containsExactly(sent(OTHER, new RecoverReply(id, VIEW, NOTHING)));
      assertThat(replica.replica.census().transactions()).isZero();
    }

    /**
     * The promise rests on the watermark, and must not be told before that is safe from a crash.
     */
    @Test
    void promiseWithoutARecordLeavesOnceTheWatermarkIsDurable() {
      TxnId id = homedAtTheOther(t);
      replica.truncate(t);
      replica.receive(OTHER, new Recover(id, VIEW));
      assertThat(replica.lastStep)
          .containsExactly(
              new HeldUntilDurable(), sent(OTHER, new RecoverReply(id, VIEW, NOTHING)));
    }

    @Test
    void participantThatIsNotTheHomeKnowsNoOutcome() {
      TxnId id = homedAtTheOther(t);
      replica.truncate(t);
      assertThat(replica.receive(OTHER, new Inquire(id)))
          .containsExactly(sent(OTHER, new InquireReply(id)));
    }

    @Test
    void peerWhoAsksIsToldThatItIsBehind() {
      TxnId id = homedAtTheOther(t);
      replica.truncate(t);
      assertThat(replica.receive(replica(2), new Inquire(id)))
          .containsExactly(sent(replica(2), new Behind(id, watermark(t))));
      assertThat(replica.receive(replica(2), new Fetch(execution(t, 0))))
          .containsExactly(sent(replica(2), new Behind(txn(t), watermark(t))));
    }
  }

  @Nested
  class Forgotten {

    private final TxnId reached = watermark(t + options.retentionMicros() + 1);

    @Test
    void homeDoesNotClaimAnAbort() {
      forget();
      assertThat(replica.receive(OTHER, new Inquire(txn(t))))
          .containsExactly(sent(OTHER, new Behind(txn(t), reached)));
      assertThat(replica.receive(OTHER, new Recover(txn(t), VIEW)))
          .containsExactly(sent(OTHER, new Behind(txn(t), reached)));
      assertThat(replica.marks()).doesNotContain(Branch.FORGOTTEN_ABORT_TOLD);
    }

    @Test
    void clientHearsNoOutcome() {
      forget();
      assertThat(replica.receive(client(t), new Inquire(txn(t))))
          .containsExactly(sent(client(t), new InquireReply(txn(t))));
      assertThat(replica.receive(finalizing(t, committing(0))))
          .containsExactly(
              toCoordinator(new Refused(txn(t), Refusal.TRUNCATED, replica.nowMicros)));
    }

    @Test
    void participantThatIsNotTheHomePromisesNothing() {
      forget();
      TxnId id = homedAtTheOther(t);
      assertThat(replica.receive(OTHER, new Recover(id, VIEW)))
          .containsExactly(sent(OTHER, new Behind(id, reached)));
    }

    @Test
    void whatIsJustAboveIsStillKnownToHaveAborted() {
      forget();
      assertThat(replica.receive(OTHER, new Inquire(txn(t + 1))))
          .containsExactly(sent(OTHER, new Decide(txn(t + 1), Outcome.ABORT)));
    }
  }

  @Nested
  class ARoundsCommit {

    @Test
    void thatBeginsAboveTheWatermarkIsNotAppliedButFencedAndAnswered() {
      replica.truncate(t - 10);
      replica.receive(prepare(t - 5, 0).writes("a", 1, "x").message());
      TruncateCommit later =
          new TruncateCommit(
              watermark(t - 1), watermark(t), List.of(new Standing(txn(t), committing(0))));
      assertThat(replica.receive(replica(0), later))
          .containsExactly(
              sent(
                  replica(0),
                  new TruncateReply(
                      watermark(t),
                      TxnId.INITIAL,
                      watermark(t - 10),
                      watermark(t),
                      List.of(new Standing(txn(t - 5), null)),
                      null,
                      TxnId.INITIAL,
                      0)));
      assertThat(replica.replica.census().fenceMicros()).isEqualTo(t);
      assertThat(replica.replica.census().watermarkMicros()).isEqualTo(t - 10);
      assertThat(replica.replica.holds(execution(t - 5, 0))).isTrue();
      assertThat(replica.replica.outcomeOf(txn(t))).isNull();
    }

    @Test
    void thatBeginsBelowTheWatermarkIsAppliedAboveItAlone() {
      replica.truncate(t - 10);
      TruncateCommit commit =
          new TruncateCommit(
              watermark(t - 20),
              watermark(t),
              List.of(new Standing(txn(t - 15), committing(0, 1))));
      assertThat(replica.receive(replica(0), commit))
          .containsExactly(sent(replica(0), new TruncateAck(watermark(t))));
      assertThat(replica.replica.census().watermarkMicros()).isEqualTo(t);
      assertThat(replica.replica.census().transactions()).isZero();
    }

    @Test
    void thatWasReachedIsAcknowledgedAgain() {
      replica.truncate(t);
      assertThat(
              replica.receive(
                  replica(2), new TruncateCommit(watermark(t - 20), watermark(t - 1), List.of())))
          .containsExactly(sent(replica(2), new TruncateAck(watermark(t - 1))));
      assertThat(replica.replica.census().watermarkMicros()).isEqualTo(t);
    }

    @Test
    void ofAnUnknownPartitionsWatermarkIsIgnored() {
      replica.receive(OTHER, new Watermark(2, watermark(t)));
      replica.receive(OTHER, new Watermark(-1, watermark(t)));
      replica.nowMicros = t + 3 * options.retentionMicros();
      replica.truncate(t + options.retentionMicros());
      assertThat(replica.receive(OTHER, new Inquire(txn(t))))
          .containsExactly(sent(OTHER, new Decide(txn(t), Outcome.ABORT)));
    }
  }
}
