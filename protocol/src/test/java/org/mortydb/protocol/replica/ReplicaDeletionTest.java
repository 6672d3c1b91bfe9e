package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.INITIAL;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.copy;
import static org.mortydb.protocol.testing.Make.copyReply;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.got;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.range;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.scan;
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
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.CopiedVersion;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.CutReply;
import org.mortydb.protocol.message.Message.CutState;
import org.mortydb.protocol.message.Message.ReadCut;
import org.mortydb.protocol.message.Message.ScanReply;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;

/** Old deletions are shown as absence, and dropped (docs/protocol.md, section 6). */
class ReplicaDeletionTest {
  private static final long RETENTION = ReplicaOptions.DEFAULTS.retentionMicros();

  private final ReplicaDriver replica = new ReplicaDriver();
  private final long t = ReplicaDriver.START_MICROS;

  private static void install(ReplicaDriver at, long writer, String key) {
    at.receive(prepare(writer, 0).writes(key, 1, "v").message());
    at.receive(commit(writer, 0));
  }

  private static void delete(ReplicaDriver at, long writer, String key) {
    at.receive(prepare(writer, 0).deletes(key, 1).message());
    at.receive(commit(writer, 0));
  }

  /** Time passes, and the watermark follows; then all that was queued before is pruned. */
  private static void retentionPasses(ReplicaDriver at) {
    at.nowMicros += 2 * RETENTION;
    at.truncate(at.nowMicros - RETENTION);
    at.tickAfter(0);
  }

  private int keys() {
    return replica.replica.census().keys();
  }

  private static List<LogRecord> checkpoint(ReplicaDriver of, int mark) {
    List<LogRecord> records = new ArrayList<>();
    of.replica.copyRecords(mark, records::add);
    of.replica.copyVersions(0, Integer.MAX_VALUE, records::add);
    return records;
  }

  @Test
  void messagesPruneInSmallPortionsAndATickPrunesTheRest() {
    int deleted = 10 * Housekeeping.PRUNED_AT_ONCE + 8;
    for (int i = 0; i < deleted; i++) {
      delete(replica, t + i, "k" + i);
    }
    replica.nowMicros += 2 * RETENTION;
    replica.truncate(replica.nowMicros - RETENTION);
    replica.receive(get(replica.nowMicros, 0, "other"));
    int before = keys();
    replica.receive(get(replica.nowMicros + 1, 0, "other"));
    assertThat(before - keys()).isEqualTo(Housekeeping.PRUNED_AT_ONCE);

    replica.tickAfter(0);
    int pruned = keys();
    replica.receive(get(replica.nowMicros + 2, 0, "other"));
    assertThat(keys()).as("keys, when none is due").isEqualTo(pruned);
    retentionPasses(replica);
    assertThat(keys()).isLessThanOrEqualTo(1);
  }

  @Test
  void isDroppedWithItsKeyOnceTheWatermarkHasLongPassedIt() {
    install(replica, t, "a");
    delete(replica, t + 1, "a");
    install(replica, t + 2, "b");
    retentionPasses(replica);
    assertThat(replica.marks()).contains(Branch.DELETION_DROPPED);
    assertThat(replica.log).contains(new LogRecord.Erased(txn(t + 1), List.of(key("a"))));
    assertThat(keys()).isEqualTo(1);
    assertThat(replica.replica.newestCommitted(key("b"))).isNotNull();
  }

  /** A copy of changes since an earlier place would lack the deletions up to the latest one. */
  @Test
  void theLatestOfSeveralThatAreDroppedIsNoted() {
    install(replica, t, "a");
    install(replica, t + 1, "b");
    delete(replica, t + 5, "a");
    delete(replica, t + 4, "b");
    retentionPasses(replica);
    assertThat(replica.log).contains(new LogRecord.Erased(txn(t + 5), List.of(key("a"), key("b"))));
  }

  @Test
  void staysAboveTheExecutionsThatPeersMayFetch() {
    replica.nowMicros = t + RETENTION;
    delete(replica, t + RETENTION, "a");
    replica.nowMicros = t + 3 * RETENTION;
    replica.truncate(t + RETENTION + RETENTION / 4);
    replica.tickAfter(0);
    assertThat(keys()).isEqualTo(1);
    replica.truncate(t + RETENTION + RETENTION / 2);
    replica.tickAfter(2 * RETENTION);
    assertThat(keys()).isZero();
  }

  @Test
  void isShownAsAbsenceBelowTheWatermark() {
    install(replica, t, "a");
    delete(replica, t + 1, "a");
    replica.truncate(t + 1);
    assertThat(replica.receive(get(t + 5, 0, "a")))
        .containsExactly(toCoordinator(got(t + 5, 0, 1, absent("a"))));
    replica.receive(scan(t + 6, 0, range("a", "f"), 10));
    assertThat(replica.last(ScanReply.class).rows()).isEmpty();
  }

  @Test
  void keyComesAliveAgain() {
    install(replica, t, "a");
    delete(replica, t + 1, "a");
    retentionPasses(replica);
    long later = replica.nowMicros;
    install(replica, later, "a");
    assertThat(replica.receive(get(later + 5, 0, "a")))
        .containsExactly(
            toCoordinator(got(later + 5, 0, 1, committed("a", version(later, 1), "v"))));
  }

  @Test
  void whoHasReadItAfterItWasDroppedVotesAgainForAbsence() {
    install(replica, t, "a");
    delete(replica, t + 1, "a");
    retentionPasses(replica);
    long reader = replica.nowMicros;
    assertThat(replica.receive(prepare(reader, 0).reads("a", version(t + 1, 1)).message()))
        .containsExactly(toCoordinator(voted(reader, 0, tentative(Reason.TRUNCATED, absent("a")))));
    assertThat(replica.receive(prepare(reader, 1).reads("a", INITIAL).message()))
        .containsExactly(toCoordinator(voted(reader, 1, Vote.COMMIT)));
  }

  /** After a restart, only the version can show that the condition of the vote holds. */
  @Test
  void staysWhileAVoteHasReadIt() {
    install(replica, t, "a");
    replica.receive(prepare(t + 1, 0).deletes("a", 1).message());
    long reader = t + 3 * RETENTION;
    replica.nowMicros = reader;
    replica.receive(prepare(reader, 0).reads("a", version(t + 1, 1)).message());
    replica.receive(commit(t + 1, 0));
    replica.nowMicros += 2 * RETENTION;
    replica.truncate(reader - 1);
    replica.tickAfter(RETENTION);
    assertThat(replica.replica.newestCommitted(key("a"))).isNotNull();
    replica.receive(commit(reader, 0));
    retentionPasses(replica);
    retentionPasses(replica);
    assertThat(keys()).isZero();
  }

  @Test
  void staysAboveWhatACutNeeds() {
    install(replica, t, "a");
    replica.receive(new ReadCut(txn(t + 1), KeyRange.ALL, 0));
    delete(replica, t + 2, "a");
    replica.nowMicros += 2 * RETENTION;
    replica.truncate(replica.nowMicros - RETENTION);
    replica.receive(new ReadCut(txn(t + 1), KeyRange.ALL, 0));
    replica.tickAfter(0);
    replica.receive(new ReadCut(txn(t + 1), KeyRange.ALL, 1 << 20));
    assertThat(replica.last(CutReply.class).rows())
        .containsExactly(committed("a", version(t, 1), "v"));
    replica.nowMicros += 2 * RETENTION + 1;
    retentionPasses(replica);
    retentionPasses(replica);
    assertThat(keys()).isZero();
  }

  /** A cut in the past can be held if nothing has committed since; but something has. */
  @Test
  void noCutBelowADroppedDeletionIsHeld() {
    install(replica, t, "a");
    delete(replica, t + 1_000, "a");
    retentionPasses(replica);
    replica.nowMicros = t - RETENTION; // so that the watermark is in the future
    replica.receive(new ReadCut(txn(t + 500), KeyRange.ALL, 1));
    assertThat(replica.last(CutReply.class).state()).isEqualTo(CutState.GONE);
  }

  @Nested
  class AfterARestart {

    @Test
    void isStillGoneWhereTheWriteBelowItWasLoggedLater() {
      delete(replica, t + 2 * RecordTable.BUCKET_MICROS, "a");
      int kept = replica.log.size();
      replica.replica.mark(1);
      install(replica, t, "a");
      retentionPasses(replica);
      assertThat(keys()).isZero();
      List<LogRecord> stored = checkpoint(replica, 1);
      stored.addAll(replica.log.subList(kept, replica.log.size()));
      assertThat(replica.restarted(stored).replica.newestCommitted(key("a"))).isNull();
    }

    @Test
    void isStillGoneInTheNextCheckpoint() {
      install(replica, t, "a");
      delete(replica, t + 1, "a");
      retentionPasses(replica);
      ReplicaDriver next = replica.restarted(replica.log);
      assertThat(next.replica.newestCommitted(key("a"))).isNull();
      ReplicaDriver third = next.restarted(checkpoint(next, Replica.NO_LOG));
      assertThat(third.replica.newestCommitted(key("a"))).isNull();
    }

    @Test
    void aPeerIsStillToldThatDeletionsAreGone() {
      install(replica, t, "a");
      delete(replica, t + 1, "a");
      retentionPasses(replica);
      ReplicaDriver next = replica.restarted(checkpoint(replica, Replica.NO_LOG));
      next.receive(replica(1), copy(TxnId.INITIAL));
      assertThat(next.last(CopyReply.class).erased()).isEqualTo(txn(t + 1));
    }
  }

  @Nested
  class Copying {
    private static final TxnId NONE = TxnId.INITIAL;

    private void outcomes(TxnId after, Standing... commits) {
      replica.receive(
          replica(1),
          new CopyOutcomesReply(after, NONE, watermark(t + 1_000), NONE, List.of(commits)));
    }

    private CopiedVersion copied(long writer, String key) {
      return new CopiedVersion(key(key), version(writer, 1), value("v"), NONE);
    }

    /** The replica knows a, b and c up to a watermark, and falls behind. */
    private TxnId fallsBehind() {
      install(replica, t, "a");
      install(replica, t + 1, "b");
      install(replica, t + 2, "c");
      replica.truncate(t + 2);
      replica.receive(replica(1), new Behind(watermark(t + 50), watermark(t + 50)));
      assertThat(replica.lastStep).contains(sent(replica(1), copy(watermark(t + 2))));
      return watermark(t + 2);
    }

    @Test
    void ofChangesBeginsAgainWithAllKeysIfThePeerHasDroppedDeletions() {
      TxnId since = fallsBehind();
      replica.receive(replica(1), copyReply(since, "", null, watermark(t + 50), txn(t + 10)));
      assertThat(replica.lastStep).contains(sent(replica(1), copy(NONE)));
      assertThat(replica.marks()).contains(Branch.COPIED_AGAIN);
      // The peer lists c as it is at its watermark, and of b only what came later.
      replica.receive(
          replica(1),
          copyReply(
              NONE,
              "",
              null,
              watermark(t + 50),
              txn(t + 10),
              copied(t + 2, "c"),
              copied(t + 60, "b")));
      outcomes(since);
      assertThat(replica.replica.census().watermarkMicros()).isEqualTo(t + 50);
      for (ReplicaDriver one : List.of(replica, replica.restarted(replica.log))) {
        assertThat(one.replica.newestCommitted(key("a"))).isNull();
        assertThat(one.replica.newestCommitted(key("c"))).isNotNull();
        assertThat(one.receive(get(t + 55, 0, "b")))
            .containsExactly(toCoordinator(got(t + 55, 0, 1, absent("b"))));
      }
    }

    /** The peer has answered twice, because the answer was slow or the network has doubled it. */
    @Test
    void ofAllKeysIgnoresALateAnswerToTheOneOfChanges() {
      TxnId since = fallsBehind();
      CopyReply ofChanges = copyReply(since, "", null, watermark(t + 50), txn(t + 10));
      replica.receive(replica(1), ofChanges);
      assertThat(replica.lastStep).contains(sent(replica(1), copy(NONE)));
      assertThat(replica.receive(replica(1), ofChanges)).isEmpty();
      replica.receive(
          replica(1), copyReply(NONE, "", null, watermark(t + 50), txn(t + 10), copied(t, "a")));
      outcomes(since);
      assertThat(replica.replica.census().watermarkMicros()).isEqualTo(t + 50);
      for (ReplicaDriver one : List.of(replica, replica.restarted(replica.log))) {
        assertThat(one.replica.newestCommitted(key("a"))).isNotNull();
        assertThat(one.replica.newestCommitted(key("b"))).isNull();
      }
    }

    /** An earlier copy of the same peer may have asked for it; it lacks what came since. */
    @Test
    void ignoresAPartThatIsOlderThanTheFirstOne() {
      replica.receive(replica(1), new Behind(watermark(t + 50), watermark(t + 50)));
      replica.receive(replica(1), copyReply(NONE, "", "m", watermark(t + 50), NONE));
      assertThat(replica.lastStep).contains(sent(replica(1), copy(NONE, "m", watermark(t + 50))));
      assertThat(replica.receive(replica(1), copyReply(NONE, "m", null, watermark(t + 20), NONE)))
          .isEmpty();
      replica.receive(
          replica(1), copyReply(NONE, "m", null, watermark(t + 50), NONE, copied(t + 30, "a")));
      outcomes(NONE);
      assertThat(replica.replica.newestCommitted(key("a"))).isNotNull();
    }

    @Test
    void ofChangesGoesOnIfNoDeletionIsMissing() {
      TxnId since = fallsBehind();
      replica.receive(replica(1), copyReply(since, "", null, watermark(t + 50), txn(t + 1)));
      outcomes(since);
      assertThat(replica.replica.newestCommitted(key("a"))).isNotNull();
    }

    /** The peer still knows of the commit; but the value was deleted since. */
    @Test
    void erasesAlsoWhatItsOutcomesInstall() {
      replica.receive(prepare(t, 0).writes("a", 1, "v").message());
      replica.receive(replica(1), new Behind(watermark(t + 50), watermark(t + 50)));
      replica.receive(replica(1), copyReply(NONE, "", null, watermark(t + 50), txn(t + 10)));
      outcomes(NONE, new Standing(txn(t), committing(0)));
      assertThat(replica.replica.newestCommitted(key("a"))).isNull();
      assertThat(replica.restarted(replica.log).replica.newestCommitted(key("a"))).isNull();
    }

    /** A version that waited for its writer when a copy failed is in the log. */
    @Test
    void erasesAlsoWhatAnEarlierCopyHadLeft() {
      replica.receive(prepare(t, 0).writes("a", 1, "v").message());
      replica.receive(replica(1), new Behind(watermark(t + 5), watermark(t + 5)));
      replica.receive(replica(1), copyReply(NONE, "", "m", watermark(t + 5), NONE, copied(t, "a")));
      for (int i = 0; i < 5; i++) {
        replica.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros());
      }
      assertThat(replica.lastStep).contains(sent(replica(2), copy(NONE)));
      replica.receive(replica(2), copyReply(NONE, "", null, watermark(t + 50), txn(t + 10)));
      replica.receive(
          replica(2), new CopyOutcomesReply(NONE, NONE, watermark(t + 50), NONE, List.of()));
      assertThat(replica.replica.census().watermarkMicros()).isEqualTo(t + 50);
      assertThat(replica.replica.newestCommitted(key("a"))).isNull();
      assertThat(replica.restarted(replica.log).replica.newestCommitted(key("a"))).isNull();
    }

    /** The version waits for its writer, so its key has no version yet when it may be forgotten. */
    @Test
    void keepsWhatItHasListedAlthoughItTakesLongerThanTheRetention() {
      replica.receive(replica(1), new Message.Decide(txn(t), committing(0)));
      replica.receive(replica(1), new Behind(watermark(t + 50), watermark(t + 50)));
      replica.receive(
          replica(1), copyReply(NONE, "", null, watermark(t + 50), txn(t + 10), copied(t, "a")));
      replica.nowMicros += 2 * RETENTION;
      replica.tickAfter(0);
      replica.receive(
          replica(1), new CopyOutcomesReply(NONE, NONE, watermark(t + 50), NONE, List.of()));
      assertThat(replica.replica.census().watermarkMicros()).isEqualTo(t + 50);
      for (ReplicaDriver one : List.of(replica, replica.restarted(replica.log))) {
        assertThat(one.replica.newestCommitted(key("a"))).isNotNull();
      }
    }

    /** The outcome wakes the vote, so what it has committed must be here before. */
    @Test
    void showsAVersionBeforeItsOutcome() {
      replica.receive(replica(1), new Message.Decide(txn(t), committing(0)));
      replica.receive(prepare(t + 60, 0).reads("a", version(t, 1)).message());
      replica.receive(replica(1), new Behind(watermark(t + 50), watermark(t + 50)));
      replica.receive(
          replica(1), copyReply(NONE, "", null, watermark(t + 50), NONE, copied(t, "a")));
      replica.receive(
          replica(1),
          new CopyOutcomesReply(
              NONE, NONE, watermark(t + 50), NONE, List.of(new Standing(txn(t), committing(0)))));
      assertThat(replica.lastStep).contains(toCoordinator(voted(t + 60, 0, Vote.COMMIT)));
    }

    /** A round of truncation may be faster than the copy. */
    @Test
    void bringsNothingBackThatWasDroppedMeanwhile() {
      install(replica, t, "a");
      delete(replica, t + 1, "a");
      replica.receive(replica(1), new Behind(watermark(t + 50), watermark(t + 50)));
      retentionPasses(replica);
      assertThat(keys()).isZero();
      replica.receive(
          replica(1), copyReply(NONE, "", null, watermark(t + 50), NONE, copied(t, "a")));
      assertThat(replica.replica.newestCommitted(key("a"))).isNull();
      assertThat(replica.restarted(replica.log).replica.newestCommitted(key("a"))).isNull();
    }

    @Test
    void makesThePeerKeepDeletionsForTheNextCopy() {
      install(replica, t, "a");
      replica.truncate(t);
      replica.receive(replica(1), copy(NONE));
      delete(replica, t + 1, "a");
      for (int part = 1; part < 6; part++) {
        replica.nowMicros += RETENTION;
        replica.receive(replica(1), copy(NONE, "k" + part, watermark(t)));
        replica.truncate(replica.nowMicros - RETENTION + part);
        replica.tickAfter(0);
      }
      assertThat(keys()).as("while the copy lasts").isEqualTo(1);
      replica.tickAfter(2 * RETENTION);
      retentionPasses(replica);
      assertThat(keys()).as("some time later").isZero();
    }
  }
}
