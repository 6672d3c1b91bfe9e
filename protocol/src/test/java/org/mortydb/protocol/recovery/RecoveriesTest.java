package org.mortydb.protocol.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.recovery.Recoveries.MOST_ATTEMPTS;
import static org.mortydb.protocol.testing.Make.txn;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.testing.EffectRecorder;
import org.mortydb.protocol.testing.EffectRecorder.Broadcast;
import org.mortydb.protocol.testing.EffectRecorder.Effect;

/** Section 5 of docs/protocol.md: how many recoveries a replica runs at once, and which. */
class RecoveriesTest {
  private static final long TIMEOUT = 1_000;
  private static final ReplicaId SELF = new ReplicaId(0, 0);
  private static final View OTHER = new View(1, 9);

  private final EffectRecorder out = new EffectRecorder();
  private final Recoveries recoveries = new Recoveries(SELF, _ -> 1, TIMEOUT, true, (_, _) -> true);
  private long nowMicros = 1;

  @Test
  void noMoreAttemptsRunAtOnceThanThereIsRoomFor() {
    begin(1, 3 * MOST_ATTEMPTS);
    assertThat(begun()).containsExactlyElementsOf(times(1, MOST_ATTEMPTS));
    assertThat(tick()).isEmpty();
    decide(5, 7);
    assertThat(tick())
        .as("the lowest ones take the room of those that have ended")
        .containsExactlyElementsOf(times(MOST_ATTEMPTS + 1, MOST_ATTEMPTS + 3));
  }

  @Test
  void allTransactionsAreDecidedHoweverManyThereAre() {
    begin(1, 5 * MOST_ATTEMPTS);
    List<Long> all = new ArrayList<>();
    for (List<Long> some = begun(); !some.isEmpty(); some = tick()) {
      assertThat(some.size()).isLessThanOrEqualTo(MOST_ATTEMPTS);
      some.forEach(time -> decide(time, time));
      all.addAll(some);
    }
    assertThat(all).containsExactlyElementsOf(times(1, 5 * MOST_ATTEMPTS));
  }

  /** Promises wait for the conditions of votes, so for lower transactions. */
  @Test
  void attemptsThatWaitForALowerTransactionMakeRoomForIt() {
    begin(2, MOST_ATTEMPTS + 1);
    begun();
    begin(1, 1);
    assertThat(tick()).isEmpty();
    nowMicros += TIMEOUT;
    assertThat(tick()).startsWith(1L);
  }

  @Test
  void whatAnotherReplicaRecoversIsRecoveredIfThatTakesTooLong() {
    recoveries.promised(txn(1), OTHER, true, nowMicros, out);
    begin(1, 1);
    assertThat(begun()).as("it has just promised the other view").isEmpty();
    nowMicros += TIMEOUT - 2;
    assertThat(tick()).isEmpty();
    nowMicros += TIMEOUT;
    assertThat(tick()).containsExactly(1L);
  }

  @Test
  void whatHindersNobodyHereIsLeftToOthers() {
    recoveries.promised(txn(1), OTHER, false, nowMicros, out);
    nowMicros += 200 * TIMEOUT;
    assertThat(tick()).isEmpty();
  }

  @Test
  void aProposalOfTheClientIsNoRecovery() {
    recoveries.promised(txn(1), View.CLIENT, true, nowMicros, out);
    nowMicros += 200 * TIMEOUT;
    assertThat(tick()).isEmpty();
    begin(1, 1);
    assertThat(begun()).containsExactly(1L);
  }

  @Test
  void aRecoveryThatPausesEndsWithTheOutcome() {
    recoveries.promised(txn(1), OTHER, true, nowMicros, out);
    recoveries.decided(txn(1));
    nowMicros += 200 * TIMEOUT;
    assertThat(tick()).isEmpty();
  }

  private void begin(long from, long to) {
    for (long time = from; time <= to; time++) {
      recoveries.begin(txn(time), View.CLIENT, nowMicros, out);
    }
  }

  private List<Long> tick() {
    recoveries.onTick(++nowMicros, out);
    return begun();
  }

  private void decide(long from, long to) {
    for (long time = from; time <= to; time++) {
      TxnId id = txn(time);
      RecoverAnswer known = new RecoverAnswer.Decided(Outcome.ABORT);
      RecoverReply reply = new RecoverReply(id, View.CLIENT, known);
      recoveries.onRecoverReply(nowMicros, new ReplicaId(0, 1), reply, out);
    }
  }

  /** The times of the transactions whose recovery has begun an attempt. */
  private List<Long> begun() {
    List<Long> times = new ArrayList<>();
    for (Effect effect : out.take()) {
      if (effect instanceof Broadcast(int ignored, Recover(TxnId id, View view))) {
        times.add(id.timeMicros());
      }
    }
    return times;
  }

  private static List<Long> times(long from, long to) {
    return LongStream.rangeClosed(from, to).boxed().toList();
  }
}
