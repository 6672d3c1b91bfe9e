package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.INITIAL;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.put;
import static org.mortydb.protocol.testing.Make.register;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.voted;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.InquireReply;
import org.mortydb.protocol.message.Message.TruncateAck;
import org.mortydb.protocol.message.Message.TruncateCommit;
import org.mortydb.protocol.message.Message.TruncatePrepare;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/** A watermark that is close to the clock waits for open transactions (section 16). */
class ReplicaOpenTransactionsTest {
  private static final long RETENTION = 9_000_000;
  private static final long LAG = 1_000_000;
  private static final long TICK = 50_000;
  private static final ReplicaOptions OPTIONS =
      new ReplicaOptions(500_000, RETENTION, TICK, 500_000, 4).withWatermarkLagMicros(LAG);

  private final ReplicaDriver proposer =
      new ReplicaDriver(replica(0), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);

  private boolean clientLives = true;
  private boolean lastPeerLives = true;
  private int inquiries;

  /** Ticks, and answers what is proposed as two of three replicas with these reports would. */
  private void runFor(long micros, TxnId... open) {
    long end = proposer.nowMicros + micros;
    while (proposer.nowMicros < end) {
      List<Effect> effects = proposer.tickAfter(TICK);
      answerInquiries(effects);
      TxnId asked = proposed(effects);
      if (asked != null) {
        complete(asked, open);
      }
    }
  }

  /** Answers for the client, if it lives. */
  private void answerInquiries(List<Effect> effects) {
    for (Effect effect : effects) {
      if (effect instanceof Sent(ClientId client, Inquire inquire)) {
        inquiries++;
        if (clientLives) {
          proposer.receive(client, new InquireReply(inquire.txn()));
        }
      }
    }
  }

  private void complete(TxnId asked, TxnId... open) {
    TxnId applied = reached();
    for (int i = 1; i < (lastPeerLives ? 3 : 2); i++) {
      TxnId reported = open.length == 0 ? TxnId.INITIAL : open[(i - 1) % open.length];
      proposer.receive(replica(i), new TruncateReply(asked, applied, List.of(), null, reported, 0));
    }
    proposer.receive(replica(0), new TruncateReply(asked, applied, List.of()));
    proposer.receive(replica(0), new TruncateCommit(applied, asked, List.of()));
    proposer.receive(replica(1), new TruncateAck(asked));
    proposer.receive(replica(lastPeerLives ? 2 : 0), new TruncateAck(asked));
  }

  private TxnId reached() {
    long reached = proposer.replica.census().watermarkMicros();
    return reached == 0 ? TxnId.INITIAL : watermark(reached);
  }

  private static @Nullable TxnId proposed(List<Effect> effects) {
    return effects.stream()
        .flatMap(
            effect ->
                effect instanceof Sent(var ignored, TruncatePrepare prepare)
                    ? Stream.of(prepare.watermark())
                    : null)
        .findFirst()
        .orElse(null);
  }

  private long behind() {
    return proposer.nowMicros - proposer.replica.census().watermarkMicros();
  }

  @Test
  void theWatermarkFollowsTheClockWhileNothingIsOpen() {
    runFor(3 * RETENTION);
    assertThat(behind()).isBetween(LAG, LAG + 300_000);
  }

  /** A tick, with a transaction that commits at once. Returns what was proposed. */
  private @Nullable TxnId busyTick() {
    List<Effect> effects = proposer.tickAfter(TICK);
    answerInquiries(effects);
    proposer.receive(prepare(proposer.nowMicros, 0).writes("a", 1, "x").message());
    proposer.receive(commit(proposer.nowMicros, 0));
    return proposed(effects);
  }

  /** Rounds take three seconds. Returns how far the watermark was behind at most. */
  private long runSlowlyFor(long micros) {
    TxnId pending = null;
    long dueMicros = 0;
    long longest = 0;
    long end = proposer.nowMicros + micros;
    while (proposer.nowMicros < end) {
      TxnId asked = busyTick();
      if (asked != null && !asked.equals(pending)) {
        pending = asked;
        dueMicros = proposer.nowMicros + 3_000_000;
      } else if (pending != null && proposer.nowMicros >= dueMicros) {
        complete(pending);
        pending = null;
      }
      longest = Math.max(longest, behind());
    }
    return longest;
  }

  /** Disks and networks may be slow. A round of one second would take three. */
  @Test
  void theWatermarkFollowsTheClockWhileRoundsTakeLong() {
    runFor(RETENTION);
    assertThat(runSlowlyFor(10 * RETENTION)).isLessThan(RETENTION + 10_000_000);
    runFor(1_000_000);
    assertThat(behind()).as("it catches up").isLessThan(LAG + 10_000_000);
  }

  /** An answer that is longer than a frame is never sent. */
  @Test
  void aRoundThatFailsAgainAndAgainCoversLess() {
    runFor(RETENTION);
    runSlowlyFor(3 * RETENTION);
    TxnId last = TxnId.INITIAL;
    long end = proposer.nowMicros + 10 * RETENTION;
    while (proposer.nowMicros < end) {
      TxnId asked = proposed(proposer.tickAfter(TICK));
      last = asked == null ? last : asked;
    }
    assertThat(last.timeMicros() - reached().timeMicros()).isBetween(1L, 1_000_000L);
    complete(last);
    end = proposer.nowMicros + RETENTION;
    while (proposer.nowMicros < end) {
      TxnId asked = busyTick();
      if (asked != null) {
        assertThat(asked.timeMicros() - reached().timeMicros()).isLessThanOrEqualTo(1_000_000);
        complete(asked);
      }
    }
  }

  /** It has stood still, but not because rounds took long. Each step stays short. */
  @Test
  void aWatermarkThatHasWaitedRisesByOneSecondAtATime() {
    runFor(2 * RETENTION);
    long at = proposer.nowMicros;
    proposer.receive(put(at, 0, "b", 1, "x"));
    long longest = 0;
    long end = at + 6 * LAG;
    while (proposer.nowMicros < end + 2 * LAG) {
      if (proposer.nowMicros == end) {
        assertThat(proposer.replica.census().watermarkMicros()).isLessThan(at);
        proposer.receive(abort(at));
      }
      TxnId asked = busyTick();
      if (asked != null) {
        longest = Math.max(longest, asked.timeMicros() - reached().timeMicros());
        complete(asked);
      }
    }
    assertThat(longest).isLessThanOrEqualTo(1_000_000);
    assertThat(behind()).isBetween(LAG, LAG + 300_000);
  }

  @Test
  void theWatermarkStaysBelowATransactionThatShowsAWrite() {
    runFor(2 * RETENTION);
    long at = proposer.nowMicros;
    proposer.receive(put(at, 0, "a", 1, "x"));
    runFor(4 * LAG);
    assertThat(proposer.replica.census().fenceMicros()).isBetween(at - 2 * TICK, at - 1);
    assertThat(proposer.receive(prepare(at, 0).writes("a", 1, "x").message()))
        .contains(toCoordinator(voted(at, 0, Vote.COMMIT)));
    runFor(2 * LAG);
    assertThat(proposer.replica.census().fenceMicros()).isLessThan(at);
    proposer.receive(commit(at, 0));
    runFor(LAG);
    assertThat(behind()).isBetween(LAG, LAG + 300_000);
  }

  @Test
  void theWatermarkStaysBelowATransactionThatReads() {
    runFor(2 * RETENTION);
    long at = proposer.nowMicros;
    proposer.receive(get(at, 0, "a"));
    runFor(4 * LAG);
    assertThat(proposer.replica.census().fenceMicros()).isBetween(at - 2 * TICK, at - 1);
  }

  /** The client has had its deadline by then. */
  @Test
  void noTransactionHoldsTheWatermarkForLongerThanTheRetention() {
    runFor(2 * RETENTION);
    long at = proposer.nowMicros;
    proposer.receive(put(at, 0, "a", 1, "x"));
    runFor(RETENTION + LAG);
    assertThat(proposer.replica.census().watermarkMicros()).isGreaterThanOrEqualTo(at);
    assertThat(behind()).isLessThan(RETENTION + 300_000);
  }

  @Test
  void aClientThatDoesNotAnswerHoldsTheWatermarkForAWhileOnly() {
    runFor(2 * RETENTION);
    long at = proposer.nowMicros;
    proposer.receive(get(at, 0, "a"));
    proposer.receive(put(at + 1, 0, "b", 1, "x"));
    clientLives = false;
    runFor(LAG + OPTIONS.inquireMicros() + 4 * TICK);
    assertThat(inquiries).as("two questions for each").isEqualTo(4);
    assertThat(proposer.replica.census().fenceMicros()).isLessThan(at);
    runFor(3 * OPTIONS.inquireMicros() + 8 * TICK);
    assertThat(inquiries).isEqualTo(6);
    assertThat(behind()).isBetween(LAG, LAG + 300_000);
  }

  @Test
  void aClientThatAnswersIsAskedAgainAfterAWhile() {
    runFor(2 * RETENTION);
    long at = proposer.nowMicros;
    proposer.receive(get(at, 0, "a"));
    runFor(LAG + 6 * OPTIONS.inquireMicros());
    assertThat(inquiries).isBetween(4, 6);
    assertThat(proposer.replica.census().fenceMicros()).isLessThan(at);
  }

  /** What it has reported last has probably ended since, and nobody will say so. */
  @Test
  void aPeerThatDiesHoldsTheWatermarkForAWhileOnly() {
    runFor(2 * RETENTION);
    TxnId open = txn(proposer.nowMicros);
    runFor(2 * LAG, TxnId.INITIAL, open);
    assertThat(proposer.replica.census().fenceMicros()).isLessThan(open.timeMicros());
    lastPeerLives = false;
    runFor(3 * OPTIONS.inquireMicros());
    assertThat(proposer.replica.census().fenceMicros()).isLessThan(open.timeMicros());
    runFor(4 * OPTIONS.inquireMicros());
    assertThat(behind()).isBetween(LAG, LAG + 300_000);
  }

  /** What has a vote is decided by a recovery. */
  @Test
  void aTransactionWithAVoteIsNotPassedBecauseItsClientIsSilent() {
    runFor(2 * RETENTION);
    long at = proposer.nowMicros;
    proposer.receive(put(at, 0, "b", 1, "x"));
    clientLives = false;
    runFor(LAG + 6 * OPTIONS.inquireMicros());
    assertThat(proposer.replica.census().fenceMicros()).isGreaterThan(at);
    long voted = proposer.nowMicros;
    proposer.receive(prepare(voted, 0).writes("a", 1, "x").message());
    runFor(LAG + 6 * OPTIONS.inquireMicros());
    assertThat(proposer.replica.census().fenceMicros()).isLessThan(voted);
  }

  @Test
  void theWatermarkStaysBelowWhatAPeerReports() {
    runFor(2 * RETENTION);
    TxnId open = txn(proposer.nowMicros);
    runFor(4 * LAG, TxnId.INITIAL, open);
    assertThat(proposer.replica.census().fenceMicros())
        .isBetween(open.timeMicros() - 2 * TICK, open.timeMicros() - 1);
    runFor(2 * LAG);
    assertThat(behind()).isBetween(LAG, LAG + 300_000);
  }

  @Test
  void aReplicaReportsItsLowestOpenTransactionAboveTheFence() {
    long t = ReplicaDriver.START_MICROS;
    proposer.receive(put(t + 2, 0, "a", 1, "x"));
    proposer.receive(put(t + 1, 0, "b", 1, "x"));
    proposer.receive(put(t, 0, "c", 1, "x"));
    proposer.nowMicros += 2 * LAG;
    proposer.receive(replica(1), new TruncatePrepare(watermark(t), 0));
    assertThat(proposer.last(TruncateReply.class).open()).isEqualTo(txn(t + 1));
    proposer.receive(abort(t + 1));
    proposer.receive(abort(t + 2));
    proposer.receive(replica(1), new TruncatePrepare(watermark(t), 0));
    assertThat(proposer.last(TruncateReply.class).open()).isEqualTo(TxnId.INITIAL);
  }

  /** Others may have registered the reader, and nobody says so. */
  @Test
  void aReaderWhoseRegistrationWasAbandonedIsNotOpen() {
    long t = ReplicaDriver.START_MICROS;
    proposer.receive(prepare(t - 1, 0).writes("a", 1, "x").message());
    proposer.receive(commit(t - 1, 0));
    proposer.receive(get(t + 5, 0, "a"));
    proposer.receive(register(t + 5, 0, new Read(key("a"), INITIAL)));
    proposer.nowMicros += 2 * LAG;
    proposer.receive(replica(1), new TruncatePrepare(watermark(t), 0));
    assertThat(proposer.last(TruncateReply.class).open()).isEqualTo(TxnId.INITIAL);
  }

  /** Where the lag is the retention, nothing is reported and nothing waits. */
  @Test
  void aWatermarkThatIsFarBehindWaitsForNothing() {
    ReplicaDriver far =
        new ReplicaDriver(
            replica(0),
            new Topology(1, 0),
            OPTIONS.withWatermarkLagMicros(RETENTION),
            ReplicaRules.SOUND);
    long t = far.nowMicros;
    far.receive(put(t, 0, "a", 1, "x"));
    far.tickAfter(0);
    assertThat(proposed(far.tickAfter(RETENTION + 2 * LAG))).isGreaterThan(txn(t));
    far.receive(replica(1), new TruncatePrepare(watermark(t - 1), 0));
    assertThat(far.last(TruncateReply.class).open()).isEqualTo(TxnId.INITIAL);
  }
}
