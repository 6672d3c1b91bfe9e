package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.INITIAL;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.accepted;
import static org.mortydb.protocol.testing.Make.answered;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.finalAbandon;
import static org.mortydb.protocol.testing.Make.finalizing;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.Message.RegistrationLogged;
import org.mortydb.protocol.message.Message.TruncateAck;
import org.mortydb.protocol.message.Message.TruncateCommit;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.testing.EffectRecorder.Appended;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.HeldUntilDurable;
import org.mortydb.protocol.testing.EffectRecorder.HeldUntilWritten;

/** What is said that must not be forgotten leaves when it is durable (docs/protocol.md, 8). */
class ReplicaDurabilityTest {
  private static final View VIEW = new View(1, 7);
  private static final Effect HELD = new HeldUntilDurable();

  private final ReplicaDriver replica =
      new ReplicaDriver(
          replica(1), new Topology(1, 0), ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
  private final long t = ReplicaDriver.START_MICROS;

  private static Effect appended(LogRecord logged) {
    return new Appended(logged);
  }

  private static Effect prepared(Prepare prepare) {
    return prepared(prepare, false);
  }

  private static Effect prepared(Prepare prepare, boolean onCondition) {
    return appended(
        new LogRecord.Prepared(
            prepare.execution(),
            prepare.reads(),
            prepare.writes(),
            prepare.participants(),
            onCondition));
  }

  @Test
  void voteToCommit() {
    Prepare prepare = prepare(t, 0).reads("a", INITIAL).writes("b", 1, "x").message();
    replica.receive(prepare);
    assertThat(replica.lastStep)
        .containsExactly(prepared(prepare), HELD, toCoordinator(voted(t, 0, Vote.COMMIT)));
    replica.receive(prepare);
    assertThat(replica.lastStep).containsExactly(HELD, toCoordinator(voted(t, 0, Vote.COMMIT)));
  }

  /** The bound of written votes is durable, far above. */
  private void coverWrittenVotes() {
    replica.receive(prepare(t - 1, 0).writes("z", 1, "z").async().message());
    LogRecord bound = replica.log.getLast();
    assertThat(bound).isInstanceOf(LogRecord.Registering.class);
    replica.receive(
        replica(1), new RegistrationLogged(((LogRecord.Registering) bound).upTo(), true));
  }

  @Test
  void voteThatIsToldWhenItIsWritten() {
    coverWrittenVotes();
    Prepare prepare = prepare(t, 0).writes("b", 1, "x").async().message();
    replica.receive(prepare);
    assertThat(replica.lastStep)
        .containsExactly(
            prepared(prepare),
            new HeldUntilWritten(),
            toCoordinator(answered(t, 0, new PrepareAnswer.Written())),
            HELD,
            toCoordinator(voted(t, 0, Vote.COMMIT)));
  }

  @Test
  void voteThatNoBoundCoversIsNotToldBefore() {
    Prepare prepare = prepare(t, 0).writes("b", 1, "x").async().message();
    replica.receive(prepare);
    assertThat(replica.lastStep)
        .contains(toCoordinator(voted(t, 0, Vote.COMMIT)))
        .doesNotContain(toCoordinator(answered(t, 0, new PrepareAnswer.Written())));
  }

  @Test
  void voteOnConditionIsToldOnlyOnceItHolds() {
    coverWrittenVotes();
    replica.receive(prepare(t, 0).writes("a", 1, "x").message());
    replica.receive(prepare(t + 1, 0).reads("a", version(t, 1)).async().message());
    Effect written = toCoordinator(answered(t + 1, 0, new PrepareAnswer.Written()));
    assertThat(replica.lastStep)
        .contains(toCoordinator(voted(t + 1, 0, Vote.COMMIT_ON_CONDITION)))
        .doesNotContain(written);
    replica.receive(commit(t, 0));
    assertThat(replica.lastStep)
        .containsSubsequence(written, toCoordinator(voted(t + 1, 0, Vote.COMMIT)));
  }

  @Test
  void aPromiseIsVagueWhereARestartMayHaveForgottenAVote() {
    coverWrittenVotes();
    ReplicaDriver next = replica.restarted(List.of(replica.log.getLast()));
    next.receive(replica(2), new Recover(txn(t), VIEW));
    assertThat(next.lastStep)
        .contains(
            sent(
                replica(2),
                new RecoverReply(
                    txn(t),
                    VIEW,
                    new RecoverAnswer.Promised(
                        null, RecoverAnswer.NO_EXECUTION, false, List.of(), true))));
    long above = ((LogRecord.Registering) replica.log.getLast()).upTo().timeMicros() + 1;
    next.receive(replica(2), new Recover(txn(above), VIEW));
    assertThat(next.lastStep)
        .contains(
            sent(
                replica(2),
                new RecoverReply(
                    txn(above),
                    VIEW,
                    new RecoverAnswer.Promised(
                        null, RecoverAnswer.NO_EXECUTION, false, List.of()))));
  }

  @Test
  void voteToCommitThatHadWaited() {
    Prepare waiting = prepare(t + 1, 0).reads("a", version(t, 1)).message();
    replica.receive(waiting);
    assertThat(replica.lastStep).isEmpty();
    Prepare first = prepare(t, 0).writes("a", 1, "x").message();
    replica.receive(first);
    assertThat(replica.lastStep)
        .containsExactly(
            prepared(first),
            HELD,
            toCoordinator(voted(t, 0, Vote.COMMIT)),
            prepared(waiting, true),
            HELD,
            toCoordinator(voted(t + 1, 0, Vote.COMMIT_ON_CONDITION)));
  }

  @Test
  void voteWhoseConditionHolds() {
    replica.receive(prepare(t, 0).writes("a", 1, "x").message());
    Prepare reader = prepare(t + 1, 0).reads("a", version(t, 1)).message();
    replica.receive(reader);
    assertThat(replica.lastStep)
        .containsExactly(
            prepared(reader, true), HELD, toCoordinator(voted(t + 1, 0, Vote.COMMIT_ON_CONDITION)));
    replica.receive(commit(t, 0));
    assertThat(replica.lastStep)
        .containsExactly(
            appended(new LogRecord.Decided(txn(t), committing(0))),
            HELD,
            toCoordinator(voted(t + 1, 0, Vote.COMMIT)));
  }

  /**
   * Without the record, a restart would count the vote again that the coordinator knows as fallen.
   */
  @Test
  void conditionThatFails() {
    replica.receive(prepare(t, 0).writes("a", 1, "x").message());
    replica.receive(prepare(t + 1, 0).reads("a", version(t, 1)).message());
    replica.receive(abort(t));
    assertThat(replica.lastStep)
        .containsExactly(
            appended(new LogRecord.Decided(txn(t), Outcome.ABORT)),
            appended(new LogRecord.Dropped(txn(t + 1), 1)),
            HELD,
            toCoordinator(voted(t + 1, 0, finalAbandon(Reason.DIRTY_READ, absent("a")))));
  }

  @Test
  void voteToAbandonBindsNobody() {
    replica.receive(prepare(t, 0).writes("a", 1, "x").message());
    replica.receive(commit(t, 0));
    replica.receive(prepare(t + 1, 0).reads("a", INITIAL).message());
    assertThat(replica.lastStep)
        .containsExactly(
            toCoordinator(
                voted(
                    t + 1, 0, tentative(Reason.MISSED_WRITE, committed("a", version(t, 1), "x")))));
  }

  @Test
  void voteThatIsTakenBack() {
    replica.receive(prepare(t, 0).writes("a", 1, "x").message());
    Prepare next = prepare(t, 1).writes("b", 1, "y").message();
    replica.receive(next);
    assertThat(replica.lastStep)
        .containsExactly(
            appended(new LogRecord.Dropped(txn(t), 1)),
            prepared(next),
            HELD,
            toCoordinator(voted(t, 1, Vote.COMMIT)));
  }

  @Test
  void promise() {
    Effect reply =
        sent(
            replica(2),
            new RecoverReply(
                txn(t),
                VIEW,
                new RecoverAnswer.Promised(null, RecoverAnswer.NO_EXECUTION, false, List.of())));
    replica.receive(replica(2), new Recover(txn(t), VIEW));
    assertThat(replica.lastStep)
        .containsExactly(appended(new LogRecord.Promised(txn(t), VIEW)), HELD, reply);
    replica.receive(replica(2), new Recover(txn(t), VIEW));
    assertThat(replica.lastStep).containsExactly(HELD, reply);
  }

  @Test
  void acceptance() {
    replica.receive(finalizing(t, committing(0)));
    assertThat(replica.lastStep)
        .containsExactly(
            appended(new LogRecord.Accepted(txn(t), View.CLIENT, committing(0))),
            HELD,
            toCoordinator(accepted(t)));
    replica.receive(finalizing(t, committing(0)));
    assertThat(replica.lastStep).containsExactly(HELD, toCoordinator(accepted(t)));
  }

  @Test
  void fence() {
    Effect reply = sent(replica(0), new TruncateReply(watermark(t), TxnId.INITIAL, List.of()));
    replica.fence(t);
    assertThat(replica.lastStep)
        .containsExactly(appended(new LogRecord.Fenced(watermark(t))), HELD, reply);
    replica.fence(t);
    assertThat(replica.lastStep).containsExactly(HELD, reply);
  }

  @Test
  void watermarkThatWasReached() {
    TruncateCommit commit = new TruncateCommit(TxnId.INITIAL, watermark(t), List.of());
    Effect ack = sent(replica(0), new TruncateAck(watermark(t)));
    replica.receive(replica(0), commit);
    assertThat(replica.lastStep)
        .containsExactly(
            appended(new LogRecord.Fenced(watermark(t))),
            appended(new LogRecord.Truncated(watermark(t), TxnId.INITIAL)),
            HELD,
            ack);
    replica.receive(replica(0), commit);
    assertThat(replica.lastStep).containsExactly(HELD, ack);
  }

  @Test
  void executionThatWasFetched() {
    replica.receive(commit(t, 0));
    replica.receive(replica(2), prepare(t, 0).writes("a", 1, "x").fetched());
    Prepare executed = prepare(t, 0).writes("a", 1, "x").message();
    assertThat(replica.log)
        .containsExactly(
            new LogRecord.Decided(txn(t), committing(0)),
            new LogRecord.Executed(
                execution(t, 0), executed.reads(), executed.writes(), executed.participants()));
  }
}
