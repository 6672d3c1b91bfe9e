package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.finalizing;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.testing.EffectRecorder.Broadcast;
import org.mortydb.protocol.testing.EffectRecorder.Effect;

/** What a replica promises to recoveries (docs/protocol.md, section 5). */
class ReplicaPromiseTest {
  private static final View VIEW = new View(1, 7);
  private static final View HIGHER = new View(2, 6);

  private final ReplicaDriver replica = new ReplicaDriver();

  private List<Effect> recover(int index, View view) {
    return replica.receive(replica(index), new Recover(txn(50), view));
  }

  private static Effect promised(
      int index, View view, RecoverAnswer.@Nullable Accepted accepted, boolean votedCommit) {
    return sent(
        replica(index),
        new RecoverReply(
            txn(50), view, new RecoverAnswer.Promised(accepted, 0, votedCommit, List.of(0))));
  }

  @Test
  void tellsOfAVoteToCommit() {
    replica.receive(prepare(50, 0).writes("a", 1, "x").message());
    assertThat(recover(2, VIEW)).containsExactly(promised(2, VIEW, null, true));
  }

  /** Recoveries that begin while another one runs would outrank each other for long. */
  @Test
  void holdsBackTheReplicasOwnRecovery() {
    replica.receive(prepare(50, 0).writes("a", 1, "x").message());
    long pace = ReplicaOptions.DEFAULTS.inquireMicros();
    replica.tickAfter(pace);
    assertThat(recoversAfter(pace)).isTrue();
    for (int round = 2; round < 20; round++) {
      recover(2, new View(round, 7));
      assertThat(recoversAfter(pace - 1)).isFalse();
    }
    replica.tickAfter(64 * pace);
    assertThat(replica.log).contains(new LogRecord.Promised(txn(50), new View(20, 1)));
  }

  /** It would outrank the other one, which has its promise already. */
  @Test
  void holdsBackARecoveryThatHasNotBegun() {
    replica.receive(prepare(50, 0).writes("a", 1, "x").message());
    long pace = ReplicaOptions.DEFAULTS.inquireMicros();
    replica.tickAfter(pace - 2);
    recover(2, VIEW);
    assertThat(recoversAfter(1)).isFalse();
    assertThat(recoversAfter(pace - 2)).isFalse();
    assertThat(recoversAfter(pace + 1)).isTrue();
    assertThat(replica.log).contains(new LogRecord.Promised(txn(50), new View(2, 1)));
  }

  @Test
  void ofATransactionWithoutAVoteIsNoReasonToRecoverIt() {
    recover(2, VIEW);
    assertThat(recoversAfter(200 * ReplicaOptions.DEFAULTS.inquireMicros())).isFalse();
  }

  private boolean recoversAfter(long micros) {
    return replica.tickAfter(micros).stream()
        .anyMatch(effect -> effect instanceof Broadcast sent && sent.message() instanceof Recover);
  }

  /** A replica whose clock was ahead may have voted on it, and needs the outcome. */
  @Test
  void isGivenForATransactionFarAheadOfTheClockAndToldToAReplicaThatJoins() {
    long ahead = replica.nowMicros + 3_600_000_000L;
    assertThat(replica.receive(replica(2), new Recover(txn(ahead), VIEW)))
        .containsExactly(
            sent(
                replica(2),
                new RecoverReply(
                    txn(ahead),
                    VIEW,
                    new RecoverAnswer.Promised(
                        null, RecoverAnswer.NO_EXECUTION, false, List.of()))));
    TxnId fence = watermark(replica.nowMicros + 500_000);
    assertThat(replica.receive(replica(1), new Message.TruncatePrepare(fence, replica.nowMicros)))
        .containsExactly(
            sent(
                replica(1),
                new Message.TruncateReply(
                    fence, TxnId.INITIAL, List.of(new Message.Standing(txn(ahead), null)))));
  }

  /** The replica that joins may have accepted it, and not know the outcome. */
  @Test
  void isToldToAReplicaThatJoinsWithTheOutcomeAlsoIfTheClockIsAheadOfItsFence() {
    long ahead = replica.nowMicros + 300_000;
    replica.receive(replica(2), new Recover(txn(ahead), VIEW));
    replica.receive(replica(2), new Message.Decide(txn(ahead), Outcome.ABORT));
    TxnId fence = watermark(replica.nowMicros - 100_000);
    replica.receive(replica(1), new Message.TruncatePrepare(fence, replica.nowMicros));
    assertThat(replica.last(Message.TruncateReply.class).standings())
        .containsExactly(new Message.Standing(txn(ahead), Outcome.ABORT));
  }

  /** The coordinator may know already what this replica does not. */
  @Nested
  class OfAVoteOnCondition {

    @BeforeEach
    void vote() {
      replica.receive(prepare(40, 0).writes("a", 1, "x").message());
      replica.receive(prepare(50, 0).reads("a", version(40, 1)).writes("b", 1, "y").message());
    }

    @Test
    void comesWhenTheConditionHolds() {
      assertThat(recover(2, VIEW)).isEmpty();
      assertThat(replica.marks()).contains(Branch.PROMISE_AWAITS_CONDITION);
      assertThat(replica.receive(commit(40, 0))).containsExactly(promised(2, VIEW, null, true));
    }

    @Test
    void comesWhenTheConditionFails() {
      assertThat(recover(2, VIEW)).isEmpty();
      assertThat(replica.receive(abort(40))).containsExactly(promised(2, VIEW, null, false));
    }

    @Test
    void bindsFromTheBeginning() {
      recover(2, VIEW);
      replica.receive(prepare(50, 1).writes("c", 1, "z").message());
      assertThat(replica.replica.holds(execution(50, 0))).isTrue();
      assertThat(replica.receive(commit(40, 0))).containsExactly(promised(2, VIEW, null, true));
    }

    @Test
    void goesToWhoAskedForTheHighestView() {
      recover(2, VIEW);
      assertThat(recover(0, HIGHER)).isEmpty();
      assertThat(recover(2, VIEW))
          .containsExactly(
              sent(replica(2), new RecoverReply(txn(50), VIEW, new RecoverAnswer.Fenced(HIGHER))));
      assertThat(replica.receive(commit(40, 0))).containsExactly(promised(0, HIGHER, null, true));
    }

    @Test
    void isGivenAtOnceWithAnAcceptedOutcome() {
      replica.receive(finalizing(50, committing(0)));
      RecoverAnswer.Accepted accepted = new RecoverAnswer.Accepted(View.CLIENT, committing(0));
      assertThat(recover(2, VIEW)).containsExactly(promised(2, VIEW, accepted, false));
    }

    @Test
    void isOverWithTheOutcome() {
      recover(2, VIEW);
      replica.receive(commit(50, 0));
      assertThat(replica.receive(commit(40, 0))).isEmpty();
      assertThat(recover(2, VIEW))
          .containsExactly(
              sent(
                  replica(2),
                  new RecoverReply(txn(50), VIEW, new RecoverAnswer.Decided(committing(0)))));
    }

    @Test
    void outlivesARestart() {
      recover(2, VIEW);
      ReplicaDriver next = replica.restarted(replica.log);
      assertThat(next.receive(replica(2), new Recover(txn(50), VIEW))).isEmpty();
      assertThat(next.receive(commit(40, 0))).containsExactly(promised(2, VIEW, null, true));
    }
  }
}
