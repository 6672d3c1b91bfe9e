package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.copyReply;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.Copy;
import org.mortydb.protocol.message.Message.CopyOutcomes;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Found;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.message.Message.TruncateAck;
import org.mortydb.protocol.message.Message.TruncateCommit;
import org.mortydb.protocol.message.Message.TruncatePrepare;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.testing.EffectRecorder;
import org.mortydb.protocol.testing.EffectRecorder.Appended;
import org.mortydb.protocol.testing.EffectRecorder.Broadcast;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.HeldUntilDurable;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/** How a partition begins (docs/protocol.md, section 9). */
class FoundingTest {
  private final EffectRecorder out = new EffectRecorder();

  /** Replica 0 in incarnation 5; the others are 6 and 7. */
  private final Founding founding = new Founding(replica(0), 3, 5);

  private static Found found(boolean locked, long... incarnations) {
    return new Found(Arrays.stream(incarnations).boxed().toList(), locked, false);
  }

  private boolean hears(int from, Found found) {
    return founding.onFound(replica(from), found, out);
  }

  private List<Effect> told() {
    out.take();
    founding.send(out);
    return out.take();
  }

  private static List<Effect> toBoth(Found found) {
    return List.of(sent(replica(1), found), sent(replica(2), found));
  }

  private static List<Effect> toBothOnceDurable(Found found) {
    return List.of(new HeldUntilDurable(), sent(replica(1), found), sent(replica(2), found));
  }

  private static LogRecord.Locked locked(long... incarnations) {
    return new LogRecord.Locked(Arrays.stream(incarnations).boxed().toList());
  }

  @Test
  void anIncarnationIsPositive() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Founding(replica(0), 3, 0))
        .withMessageContaining("positive");
  }

  @Nested
  class Locking {

    @Test
    void waitsForAllIncarnations() {
      assertThat(told()).isEqualTo(toBoth(found(false, 5, 0, 0)));
      hears(1, found(false, 0, 6, 0));
      assertThat(told()).isEqualTo(toBoth(found(false, 5, 6, 0)));
    }

    @Test
    void tellsAtOnceWhenAllAreKnown() {
      hears(1, found(false, 0, 6, 0));
      assertThat(out.take()).isEmpty();
      hears(2, found(false, 0, 0, 7));
      ArrayList<Effect> expected = new ArrayList<>();
      expected.add(new Appended(locked(5, 6, 7)));
      expected.addAll(toBothOnceDurable(found(true, 5, 6, 7)));
      assertThat(out.take()).isEqualTo(expected);
    }

    @Test
    void takesNobodysWordForAnother() {
      hears(1, found(false, 5, 6, 7));
      assertThat(told()).isEqualTo(toBoth(found(false, 5, 6, 0)));
    }

    @Test
    void isUndoneByANewIncarnationOfAnother() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      assertThat(hears(1, found(false, 0, 9, 0))).isFalse();
      assertThat(out.take()).contains(new Appended(locked(5, 9, 7)));
      assertThat(told()).isEqualTo(toBothOnceDurable(found(true, 5, 9, 7)));
    }

    @Test
    void outlivesARestart() {
      Founding resumed = Founding.resumed(replica(0), List.of(5L, 6L, 7L));
      resumed.send(out);
      assertThat(out.take()).isEqualTo(toBothOnceDurable(found(true, 5, 6, 7)));
      assertThat(resumed.onFound(replica(1), found(true, 5, 6, 7), out)).isFalse();
      assertThat(resumed.onFound(replica(2), found(true, 5, 6, 7), out)).isTrue();
      assertThat(out.take()).isEmpty(); // it is stored already
    }
  }

  @Nested
  class Founded {

    @Test
    void whenAllThreeHaveLockedOnTheSame() {
      hears(1, found(false, 0, 6, 0));
      assertThat(hears(2, found(true, 5, 6, 7))).isFalse();
      assertThat(hears(1, found(true, 5, 6, 7))).isTrue();
    }

    @Test
    void onTheWordOfOneThatServesAndKnowsThisIncarnation() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      hears(1, found(false, 0, 9, 0)); // replica 1 died, and this one locks on its new life
      assertThat(hears(2, new Found(List.of(5L, 6L, 7L), true, true))).isTrue();
    }

    @Test
    void notOnTheWordOfOneThatServesWithAnEarlierLifeOfThisReplica() {
      assertThat(hears(2, new Found(List.of(4L, 6L, 7L), true, true))).isFalse();
    }

    @Test
    void isToldToFellowFoundersButNotToThoseThatServe() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      hears(1, found(true, 5, 6, 7));
      founding.serve();
      out.take();
      founding.confirm(replica(2), found(true, 5, 6, 7), out);
      assertThat(out.take())
          .containsExactly(sent(replica(2), new Found(List.of(5L, 6L, 7L), true, true)));
      founding.confirm(replica(2), new Found(List.of(5L, 6L, 7L), true, true), out);
      founding.confirm(replica(1), found(false, 0, 9, 0), out);
      assertThat(out.take()).isEmpty();
    }

    @Test
    void notByTwoWhateverTheySay() {
      for (int i = 0; i < 5; i++) {
        assertThat(hears(1, found(true, 5, 6, 7))).isFalse();
      }
    }

    @Test
    void notByOneWhoHasNotLocked() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      assertThat(hears(1, found(false, 5, 6, 7))).isFalse();
      assertThat(hears(1, found(true, 5, 6, 7))).isTrue();
    }

    @Test
    void notByOneWhoLockedOnAnEarlierLifeOfThisReplica() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      assertThat(hears(1, found(true, 4, 6, 7))).isFalse();
      assertThat(hears(1, found(true, 5, 6, 7))).isTrue();
    }

    @Test
    void notByAnOldLifeOfAnother() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 9, 7));
      hears(1, found(false, 0, 9, 0));
      assertThat(hears(2, found(true, 5, 9, 7))).isFalse();
      assertThat(hears(1, found(true, 5, 6, 7))).isFalse(); // late, from before it died
      assertThat(hears(1, found(true, 5, 9, 7))).isTrue();
    }

    @Test
    void notByWhatWasConfirmedBeforeANewIncarnation() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      hears(1, found(false, 0, 9, 0));
      assertThat(hears(1, found(true, 5, 9, 7))).isFalse(); // replica 2 locked on 6
      assertThat(hears(2, found(true, 5, 9, 7))).isTrue();
    }

    @Test
    void notByStrangers() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      assertThat(founding.onFound(new ReplicaId(1, 1), found(true, 5, 6, 7), out)).isFalse();
      assertThat(hears(0, found(true, 5, 6, 7))).isFalse();
      assertThat(hears(1, found(true, 5, 6))).isFalse();
      assertThat(hears(1, found(true, 5, 0, 7))).isFalse();
      assertThat(hears(1, found(true, 5, 6, 7))).isTrue();
    }
  }

  @Nested
  class Confirming {

    @Test
    void aFounderWhoWasOneOfThem() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      hears(1, found(true, 5, 6, 7));
      out.take();
      founding.confirm(replica(1), found(true, 5, 6, 7), out);
      assertThat(out.take())
          .containsExactly(sent(replica(1), new Found(List.of(5L, 6L, 7L), true, true)));
    }

    @Test
    void nobodyWhoHasLostHisMemorySince() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      hears(1, found(true, 5, 6, 7));
      out.take();
      founding.confirm(replica(1), found(false, 0, 9, 0), out);
      assertThat(out.take()).isEmpty();
    }
  }

  @Nested
  class OfAReplica {
    private final ReplicaDriver replica =
        new ReplicaDriver(
            replica(0), new Topology(1, 0), ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
    private final long t = ReplicaDriver.START_MICROS;

    @Test
    void servesWhenThePartitionIsFoundedAndNotBefore() {
      replica.replica.join(5, false);
      replica.tickAfter(0);
      assertThat(replica.receive(get(t, 0, "a")))
          .containsExactly(toCoordinator(new Refused(txn(t), Refusal.NOT_SERVING, t)));
      // Otherwise a client would wait for a vote until it sends its requests again.
      assertThat(replica.receive(prepare(t, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(new Refused(txn(t), Refusal.NOT_SERVING, t)));
      replica.receive(replica(1), found(false, 0, 6, 0));
      replica.receive(replica(2), found(true, 5, 6, 7));
      assertThat(replica.replica.isServing()).isFalse();
      replica.receive(replica(1), found(true, 5, 6, 7));
      assertThat(replica.replica.isServing()).isTrue();
      assertThat(replica.marks()).contains(Branch.FOUNDED);
      assertThat(replica.log).containsExactly(locked(5, 6, 7), new LogRecord.Serving(true));
    }

    @Test
    void confirmsAfterwardsButNotToAnotherLife() {
      replica.replica.join(5, false);
      replica.receive(replica(1), found(false, 0, 6, 0));
      replica.receive(replica(2), found(true, 5, 6, 7));
      replica.receive(replica(1), found(true, 5, 6, 7));
      assertThat(replica.receive(replica(2), found(true, 5, 6, 7)))
          .containsExactly(sent(replica(2), new Found(List.of(5L, 6L, 7L), true, true)));
      assertThat(replica.receive(replica(2), found(false, 0, 0, 8))).isEmpty();
    }

    @Test
    void isWholeAfterARestartOnlyIfItHasServed() {
      replica.replica.join(5, false);
      assertThat(replica.restarted(replica.log).replica.isWhole()).isFalse();
      replica.receive(replica(1), found(false, 0, 6, 0));
      replica.receive(replica(2), found(true, 5, 6, 7));
      replica.receive(replica(1), found(true, 5, 6, 7));
      assertThat(replica.restarted(replica.log).replica.isWhole()).isTrue();
    }

    @Test
    void isNotWholeAnyMoreOnceItHasBegunToJoinAgain() {
      ReplicaDriver next = replica.restarted(List.of(new LogRecord.Serving(true)));
      next.replica.join(6, true);
      next.tickAfter(0);
      assertThat(next.restarted(next.log).replica.isWhole()).isFalse();
    }

    private List<Effect> toldAtATick(ReplicaDriver driver) {
      return driver.tickAfter(0).stream()
          .filter(effect -> effect instanceof Sent(var ignored, Found ignoredToo))
          .toList();
    }

    @Test
    void isTheSameFounderAfterARestartThatFoundItsLock() {
      replica.replica.join(5, false);
      replica.receive(replica(1), found(false, 0, 6, 0));
      replica.receive(replica(2), found(false, 0, 0, 7));
      ReplicaDriver next = replica.restarted(replica.log);
      assertThat(next.replica.isWhole()).isFalse();
      next.replica.join(8, false);
      assertThat(toldAtATick(next)).isEqualTo(toBoth(found(true, 5, 6, 7)));
      next.receive(replica(1), new Found(List.of(5L, 6L, 7L), true, true));
      assertThat(next.replica.isServing()).isTrue();
    }

    @Test
    void isAnotherFounderWithoutItsLock() {
      replica.replica.join(5, false);
      replica.receive(replica(1), found(false, 0, 6, 0));
      ReplicaDriver next = replica.restarted(replica.log);
      next.replica.join(8, false);
      assertThat(toldAtATick(next)).isEqualTo(toBoth(found(false, 8, 0, 0)));
    }

    @Test
    void isNoFounderWhenItMayHaveForgottenWhatItPromised() {
      replica.replica.join(5, false);
      replica.receive(replica(1), found(false, 0, 6, 0));
      replica.receive(replica(2), found(false, 0, 0, 7));
      ReplicaDriver next = replica.restarted(replica.log);
      next.replica.join(8, true);
      assertThat(toldAtATick(next)).isEmpty();
      assertThat(next.receive(replica(1), found(false, 8, 6, 7))).isEmpty();
      assertThat(next.receive(replica(2), found(true, 8, 6, 7))).isEmpty();
      assertThat(next.replica.isServing()).isFalse();
      ReplicaDriver third = next.restarted(next.log);
      third.replica.join(9, false);
      assertThat(toldAtATick(third)).isEqualTo(toBoth(found(false, 9, 0, 0)));
    }

    @Test
    void confirmsAfterARestart() {
      replica.replica.join(5, false);
      replica.receive(replica(1), found(false, 0, 6, 0));
      replica.receive(replica(2), found(true, 5, 6, 7));
      replica.receive(replica(1), found(true, 5, 6, 7));
      ReplicaDriver next = replica.restarted(replica.log);
      assertThat(next.receive(replica(2), found(true, 5, 6, 7)))
          .containsExactly(sent(replica(2), new Found(List.of(5L, 6L, 7L), true, true)));
      assertThat(next.receive(replica(2), found(false, 0, 0, 8))).isEmpty();
    }

    @Test
    void aCheckpointHasTheLock() {
      replica.replica.join(5, false);
      replica.receive(replica(1), found(false, 0, 6, 0));
      replica.receive(replica(2), found(true, 5, 6, 7));
      replica.receive(replica(1), found(true, 5, 6, 7));
      ArrayList<LogRecord> checkpoint = new ArrayList<>();
      replica.replica.copyRecords(Replica.NO_LOG, checkpoint::add);
      ReplicaDriver next = replica.restarted(checkpoint);
      assertThat(next.replica.isWhole()).isTrue();
      assertThat(next.receive(replica(2), found(true, 5, 6, 7)))
          .containsExactly(sent(replica(2), new Found(List.of(5L, 6L, 7L), true, true)));
    }

    /** Another replica's clock may have been ahead when this one voted: by the allowed skew. */
    @Test
    void fencesAllThatItMayHaveVotedOnBeforeItJoins() {
      ReplicaDriver joiner = joiner();
      assertThat(joiner.last(TruncatePrepare.class).watermark().timeMicros())
          .isEqualTo(joiner.nowMicros + ReplicaOptions.DEFAULTS.allowedSkewMicros());
    }

    @Test
    void knowsAnAbortAboveItsFenceBeforeItServes() {
      ReplicaDriver joiner = joiner();
      TruncatePrepare asked = joiner.last(TruncatePrepare.class);
      TxnId ahead = txn(asked.watermark().timeMicros() + 1_000_000);
      List<Standing> standings = List.of(new Standing(ahead, Outcome.ABORT));
      for (int i = 2; i < 5; i++) {
        joiner.receive(replica(i), new TruncateReply(asked.watermark(), TxnId.INITIAL, standings));
      }
      assertThat(joiner.last(TruncateCommit.class).commits()).isEmpty();
      assertThat(joiner.replica.outcomeOf(ahead)).isEqualTo(Outcome.ABORT);
      assertThat(joiner.log).contains(new LogRecord.Decided(ahead, Outcome.ABORT));
    }

    @Test
    void copiesEveryPartBeforeItServes() {
      ReplicaDriver joiner = joiner();
      TruncatePrepare asked = joiner.last(TruncatePrepare.class);
      for (int i = 2; i < 5; i++) {
        joiner.receive(replica(i), new TruncateReply(asked.watermark(), TxnId.INITIAL, List.of()));
      }
      TruncateCommit commit = joiner.last(TruncateCommit.class);
      for (int i = 2; i < 5; i++) {
        joiner.receive(replica(i), new TruncateAck(commit.watermark()));
      }
      joiner.tickAfter(1);
      joiner.receive(
          replica(2), copyReply(TxnId.INITIAL, "", "m", commit.watermark(), TxnId.INITIAL));
      assertThat(joiner.last(Copy.class).from()).isEqualTo(key("m"));
      joiner.receive(
          replica(2), copyReply(TxnId.INITIAL, "m", null, commit.watermark(), TxnId.INITIAL));
      assertThat(joiner.last(CopyOutcomes.class).after()).isEqualTo(TxnId.INITIAL);
      assertThat(joiner.replica.isServing()).isFalse();
    }

    private static ReplicaDriver joiner() {
      ReplicaDriver joiner =
          new ReplicaDriver(
              replica(0), new Topology(2, 0), ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
      joiner.replica.join(5, false);
      joiner.tickAfter(0);
      return joiner;
    }

    /** Each part is a round of its own: f+1 replicas have named all up to its watermark. */
    @Test
    void goesOnWhereTheAnswersEnd() {
      ReplicaDriver joiner = joiner();
      TxnId asked = joiner.last(TruncatePrepare.class).watermark();
      long now = joiner.nowMicros;
      Standing low = new Standing(txn(now - 500), committing(0));
      Standing high = new Standing(txn(now - 200), committing(0));
      joiner.receive(replica(2), part(asked, TxnId.INITIAL, watermark(now - 300), low));
      joiner.receive(replica(2), part(asked, TxnId.INITIAL, watermark(now - 300), low)); // again
      joiner.receive(replica(3), part(asked, TxnId.INITIAL, watermark(now - 100), high));
      assertThat(joiner.lastStep).doesNotHaveAnyElementsOfTypes(Sent.class);
      joiner.receive(replica(4), part(asked, TxnId.INITIAL, watermark(now - 400)));
      TruncateCommit first = joiner.last(TruncateCommit.class);
      assertThat(first)
          .isEqualTo(new TruncateCommit(TxnId.INITIAL, watermark(now - 400), List.of(low)));
      joiner.receive(replica(2), new TruncateAck(first.watermark()));
      joiner.tickAfter(0);
      assertThat(joiner.lastStep)
          .as("copies nobody yet")
          .noneMatch(effect -> effect instanceof Sent(_, Copy _));
      joiner.receive(replica(3), new TruncateAck(first.watermark()));
      joiner.receive(replica(4), new TruncateAck(first.watermark()));
      TruncatePrepare further = joiner.last(TruncatePrepare.class);
      assertThat(further).isEqualTo(new TruncatePrepare(watermark(now - 400), asked, now));
      // The third one's first answer, which has come late, names nothing of what is asked for now.
      joiner.receive(replica(4), part(asked, TxnId.INITIAL, watermark(now - 400)));
      joiner.receive(replica(2), part(asked, further.base(), TxnId.HIGHEST, high));
      joiner.receive(replica(3), part(asked, TxnId.INITIAL, watermark(now - 100), high));
      assertThat(joiner.lastStep).doesNotHaveAnyElementsOfTypes(Sent.class);
      joiner.receive(replica(4), part(asked, further.base(), TxnId.HIGHEST));
      TruncateCommit second = joiner.last(TruncateCommit.class);
      assertThat(second)
          .isEqualTo(new TruncateCommit(further.base(), watermark(now - 100), List.of(high)));
      for (int i = 2; i < 5; i++) {
        joiner.receive(replica(i), new TruncateAck(second.watermark()));
      }
      assertThat(joiner.last(TruncatePrepare.class).base()).isEqualTo(second.watermark());
      for (int i = 2; i < 5; i++) {
        joiner.receive(replica(i), part(asked, second.watermark(), TxnId.HIGHEST));
      }
      assertThat(joiner.last(TruncateCommit.class).watermark()).isEqualTo(asked);
      joiner.receive(replica(3), new TruncateAck(asked));
      joiner.tickAfter(1);
      assertThat(joiner.lastStep)
          .anyMatch(effect -> effect instanceof Sent(var to, Copy _) && to.equals(replica(3)));
    }

    /** What it has named is below the watermark of another replica, where all is decided. */
    @Test
    void asksAReplicaThatLagsForWhatIsAboveTheWatermarkOfOthers() {
      ReplicaDriver joiner = joiner();
      TxnId asked = joiner.last(TruncatePrepare.class).watermark();
      long now = joiner.nowMicros;
      TxnId reached = watermark(now - 300);
      Standing low = new Standing(txn(now - 500), null);
      joiner.receive(replica(2), part(asked, TxnId.INITIAL, watermark(now - 400), low));
      joiner.receive(replica(3), new TruncateReply(asked, reached, List.of()));
      joiner.receive(replica(4), new TruncateReply(asked, reached, List.of()));
      assertThat(joiner.lastStep).noneMatch(effect -> effect instanceof Sent(_, TruncateCommit _));
      joiner.receive(replica(2), part(asked, TxnId.INITIAL, watermark(now - 400), low));
      assertThat(joiner.lastStep)
          .containsExactly(sent(replica(2), new TruncatePrepare(reached, asked, now)));
      joiner.receive(replica(2), part(asked, reached, TxnId.HIGHEST));
      assertThat(joiner.last(TruncateCommit.class))
          .isEqualTo(new TruncateCommit(reached, asked, List.of()));
    }

    /** An answer to a question of this replica before it began again leaves out what is below. */
    @Test
    void doesNotCountAnAnswerThatBeginsAboveItsBase() {
      ReplicaDriver joiner = joiner();
      TxnId asked = joiner.last(TruncatePrepare.class).watermark();
      joiner.receive(replica(2), new TruncateReply(asked, TxnId.INITIAL, List.of()));
      joiner.receive(replica(3), new TruncateReply(asked, TxnId.INITIAL, List.of()));
      TxnId later = watermark(joiner.nowMicros - 300);
      assertThat(joiner.receive(replica(4), part(asked, later, TxnId.HIGHEST))).isEmpty();
    }

    private static TruncateReply part(TxnId asked, TxnId base, TxnId upTo, Standing... standings) {
      return new TruncateReply(
          asked, base, TxnId.INITIAL, upTo, List.of(standings), null, TxnId.INITIAL, 0);
    }

    /** Only a peer that lags reports them. The others have settled them, and may have forgotten. */
    @Test
    void settlesNothingThatAnotherHasSettled() {
      ReplicaDriver joiner = joiner();
      TxnId asked = joiner.last(TruncatePrepare.class).watermark();
      TxnId reached = watermark(joiner.nowMicros - 100);
      Standing old = new Standing(txn(joiner.nowMicros - 200), null);
      joiner.receive(replica(2), new TruncateReply(asked, reached, List.of()));
      joiner.receive(replica(3), new TruncateReply(asked, reached, List.of()));
      joiner.receive(replica(4), new TruncateReply(asked, TxnId.INITIAL, List.of(old)));
      assertThat(joiner.last(TruncateCommit.class).watermark()).isEqualTo(asked);
    }

    @Test
    void votesAndPromisesNothingWhileItJoins() {
      ReplicaDriver joiner = joiner();
      long later = joiner.nowMicros + 1;
      assertThat(joiner.receive(prepare(later, 0).writes("a", 1, "x").message()))
          .containsExactly(
              toCoordinator(new Refused(txn(later), Refusal.NOT_SERVING, joiner.nowMicros)));
      assertThat(joiner.receive(replica(1), new Recover(txn(later), new View(1, 7)))).isEmpty();
    }

    /** Otherwise it could propose twice in one view: it has forgotten its views. */
    @Test
    void recoversUnderANumberOfItsIncarnation() {
      assertThat(proposerOfIncarnation(5)).isNotEqualTo(proposerOfIncarnation(6));
    }

    private static long proposerOfIncarnation(long incarnation) {
      ReplicaDriver joiner =
          new ReplicaDriver(
              replica(0), new Topology(2, 0), ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
      joiner.replica.join(incarnation, false);
      joiner.tickAfter(0);
      TxnId asked = joiner.last(TruncatePrepare.class).watermark();
      List<Standing> open = List.of(new Standing(txn(joiner.nowMicros), null));
      for (int i = 2; i < 5; i++) {
        joiner.receive(replica(i), new TruncateReply(asked, TxnId.INITIAL, open));
      }
      return joiner.lastStep.stream()
          .flatMap(
              effect ->
                  effect instanceof Broadcast(int ignored, Recover recover)
                      ? Stream.of(recover.view().proposer())
                      : null)
          .findFirst()
          .orElseThrow();
    }

    /** All others have lost their memory while it copied one of them. */
    @Test
    void doesNotFoundWithPartsOfACopy() {
      ReplicaDriver joiner =
          partition()
              .restarted(
                  List.of(new LogRecord.Version(key("a"), version(1, 1), Value.of("copied"))));
      joiner.replica.join(5, false);
      joiner.receive(replica(1), found(false, 0, 6, 0));
      joiner.receive(replica(2), found(false, 0, 0, 7));
      joiner.receive(replica(1), found(true, 5, 6, 7));
      joiner.receive(replica(2), found(true, 5, 6, 7));
      assertThat(joiner.replica.isServing()).isFalse();
      assertThat(joiner.tickAfter(0))
          .noneMatch(effect -> effect instanceof Sent(var ignored, Found told));
    }

    /** It died while it took in a copy without a version. */
    @Test
    void doesNotFoundWithTheFenceOfACopy() {
      ReplicaDriver joiner =
          partition().restarted(List.of(new LogRecord.Fenced(watermark(900_000))));
      joiner.replica.join(5, false);
      assertThat(joiner.tickAfter(0))
          .noneMatch(effect -> effect instanceof Sent(var ignored, Found told));
    }

    /** Its writer was open here, so no key shows the version yet. */
    @Test
    void doesNotFoundWithACopiedVersionThatWaitsForItsWriter() {
      Outcome commit = new Outcome.Commit(1, List.of(0));
      ReplicaDriver joiner =
          partition()
              .restarted(
                  List.of(
                      new LogRecord.Decided(txn(1), commit),
                      new LogRecord.Version(key("a"), version(1, 1), Value.of("copied"))));
      joiner.replica.join(5, false);
      assertThat(joiner.tickAfter(0))
          .noneMatch(effect -> effect instanceof Sent(var ignored, Found told));
    }

    /** Otherwise the others would wait for it for ever: none of them serves, so it cannot join. */
    @Test
    void foundsWithOutcomesThatOtherPartitionsHaveTold() {
      ReplicaDriver founder = partition();
      founder.replica.join(5, false);
      founder.tickAfter(0);
      founder.receive(new ReplicaId(1, 0), new Decide(txn(1), Outcome.ABORT));
      assertThat(founder.replica.outcomeOf(txn(1))).isEqualTo(Outcome.ABORT);
      ReplicaDriver next = founder.restarted(founder.log);
      next.replica.join(8, false);
      assertThat(next.replica.outcomeOf(txn(1))).isEqualTo(Outcome.ABORT);
      next.receive(replica(1), found(false, 0, 6, 0));
      next.receive(replica(2), found(true, 8, 6, 7));
      next.receive(replica(1), found(true, 8, 6, 7));
      assertThat(next.replica.isServing()).isTrue();
    }

    private static ReplicaDriver partition() {
      return new ReplicaDriver(
          replica(0), new Topology(1, 0), ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
    }

    /**
     * It proposed this watermark, and died before it told the others. If it named its watermark as
     * the base, they would copy it, which does not answer.
     */
    @Test
    void beginsAtTheWatermarkOfTheOthersIfItHasReachedMore() {
      TxnId own = watermark(900_000);
      Outcome commit = new Outcome.Commit(0, List.of(0));
      ReplicaDriver joiner =
          partition()
              .restarted(
                  List.of(
                      new LogRecord.Serving(true),
                      new LogRecord.Fenced(own),
                      new LogRecord.Settled(txn(800_000), commit),
                      new LogRecord.Truncated(own, TxnId.INITIAL)));
      joiner.replica.join(5, true);
      joiner.tickAfter(0);
      TxnId asked = joiner.last(TruncatePrepare.class).watermark();
      TxnId reached = watermark(700_000);
      List<Standing> standings =
          List.of(new Standing(txn(750_000), null), new Standing(txn(800_000), null));
      joiner.receive(replica(1), new TruncateReply(asked, TxnId.INITIAL, standings));
      joiner.receive(replica(2), new TruncateReply(asked, reached, standings));
      assertThat(joiner.lastStep)
          .contains(
              sent(
                  replica(2),
                  new TruncateCommit(reached, asked, List.of(new Standing(txn(800_000), commit)))),
              sent(replica(1), new Behind(reached, asked)));
    }

    /** Its answer was on its way while it reached the watermark at which the round begins. */
    @Test
    void countsAReplicaThatHasReachedTheBeginningOfTheRoundMeanwhile() {
      ReplicaDriver joiner = partition();
      joiner.replica.join(5, true);
      joiner.tickAfter(0);
      TxnId asked = joiner.last(TruncatePrepare.class).watermark();
      TxnId reached = watermark(700_000);
      joiner.receive(replica(1), new TruncateReply(asked, watermark(600_000), List.of()));
      joiner.receive(replica(2), new TruncateReply(asked, reached, List.of()));
      assertThat(joiner.lastStep).contains(sent(replica(1), new Behind(reached, asked)));
      joiner.receive(replica(1), new TruncateAck(reached));
      assertThat(joiner.lastStep)
          .containsExactly(sent(replica(1), new TruncateCommit(reached, asked, List.of())));
    }

    @Test
    void confirmsNobodyWhenItHasJoinedOtherwise() {
      ReplicaDriver joiner =
          new ReplicaDriver(
              replica(0), new Topology(2, 0), ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
      joiner.replica.join(5, false);
      joiner.receive(replica(1), found(false, 0, 6, 0, 0, 0)); // it has lost its memory as well
      joiner.tickAfter(0);
      TruncatePrepare asked = joiner.last(TruncatePrepare.class);
      for (int i = 2; i < 5; i++) {
        joiner.receive(replica(i), new TruncateReply(asked.watermark(), TxnId.INITIAL, List.of()));
      }
      TruncateCommit commit = joiner.last(TruncateCommit.class);
      for (int i = 2; i < 5; i++) {
        joiner.receive(replica(i), new TruncateAck(commit.watermark()));
      }
      joiner.tickAfter(1);
      joiner.receive(
          replica(2), copyReply(TxnId.INITIAL, "", null, commit.watermark(), TxnId.INITIAL));
      CopyOutcomes outcomes = joiner.last(CopyOutcomes.class);
      joiner.receive(
          replica(2),
          new CopyOutcomesReply(
              outcomes.after(), TxnId.INITIAL, commit.watermark(), TxnId.INITIAL, List.of()));
      assertThat(joiner.replica.isServing()).isTrue();
      assertThat(joiner.receive(replica(1), found(false, 5, 6, 0, 0, 0))).isEmpty();
      assertThat(joiner.restarted(joiner.log).receive(replica(1), found(false, 5, 6, 0, 0, 0)))
          .isEmpty();
    }
  }
}
