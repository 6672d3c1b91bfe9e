package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.finalAbandon;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.prepared;
import static org.mortydb.protocol.testing.Make.put;
import static org.mortydb.protocol.testing.Make.range;
import static org.mortydb.protocol.testing.Make.scan;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.uncommitted;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.PushRow;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.Retract;
import org.mortydb.protocol.message.Message.ScanReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.Sent;
import org.mortydb.protocol.testing.Make.Prepares;

/** Scans of ranges at a replica (docs/protocol.md, sections 2 and 3). */
class ReplicaScanTest {
  private final ReplicaDriver replica = new ReplicaDriver();

  private void install(long writer, String key) {
    replica.receive(prepare(writer, 0).writes(key, 1, "v" + writer).message());
    replica.receive(commit(writer, 0));
  }

  private static VersionedValue row(long writer, String key) {
    return committed(key, version(writer, 1), "v" + writer);
  }

  private static Effect rows(long reader, int request, String next, VersionedValue... rows) {
    return toCoordinator(
        new ScanReply(txn(reader), request, List.of(rows), next.isEmpty() ? null : key(next)));
  }

  private static Effect pushed(long reader, int request, int sequence, VersionedValue row) {
    return toCoordinator(new PushRow(txn(reader), request, sequence, row));
  }

  @Nested
  class Answers {

    @BeforeEach
    void install() {
      ReplicaScanTest.this.install(13, "c");
      ReplicaScanTest.this.install(11, "a");
      ReplicaScanTest.this.install(14, "d");
      ReplicaScanTest.this.install(12, "b");
    }

    @Test
    void areInTheOrderOfTheKeys() {
      assertThat(replica.receive(scan(50, 0, KeyRange.ALL, 9)))
          .containsExactly(rows(50, 0, "", row(11, "a"), row(12, "b"), row(13, "c"), row(14, "d")));
    }

    @Test
    void areOfTheRangeAlone() {
      assertThat(replica.receive(scan(50, 0, range("b", "d"), 9)))
          .containsExactly(rows(50, 0, "", row(12, "b"), row(13, "c")));
    }

    @Test
    void areOfWhatIsBelowTheReader() {
      ReplicaScanTest.this.install(51, "aa");
      assertThat(replica.receive(scan(50, 0, range("a", "c"), 9)))
          .containsExactly(rows(50, 0, "", row(11, "a"), row(12, "b")));
    }

    @Test
    void endWithTheLimitAndSayWhere() {
      assertThat(replica.receive(scan(50, 0, KeyRange.ALL, 2)))
          .containsExactly(rows(50, 0, "c", row(11, "a"), row(12, "b")));
    }

    @Test
    void areCompleteWhenTheLimitIsReachedWithTheLastKey() {
      assertThat(replica.receive(scan(50, 0, range("a", "c"), 2)))
          .containsExactly(rows(50, 0, "", row(11, "a"), row(12, "b")));
    }

    @Test
    void haveUncommittedVersions() {
      replica.receive(put(20, 0, "bb", 1, "x"));
      assertThat(replica.receive(scan(50, 0, range("b", "c"), 9)))
          .containsExactly(rows(50, 0, "", row(12, "b"), uncommitted("bb", version(20, 1), "x")));
    }

    @Test
    void haveNothingWhereNothingIs() {
      assertThat(replica.receive(scan(50, 0, range("x", "z"), 9))).containsExactly(rows(50, 0, ""));
    }

    @Test
    void areGivenOnce() {
      replica.receive(scan(50, 0, KeyRange.ALL, 9));
      assertThat(replica.receive(scan(50, 0, KeyRange.ALL, 9))).isEmpty();
    }

    @Test
    void areRefusedBeyondTheLimits() {
      Effect refused = toCoordinator(new Refused(txn(50), Refusal.OVERSIZED, replica.nowMicros));
      assertThat(replica.receive(scan(50, 0, KeyRange.ALL, Limits.MAX_SCAN_ROWS + 1)))
          .containsExactly(refused);
      assertThat(replica.receive(scan(50, 0, KeyRange.ALL, 0))).containsExactly(refused);
      String longKey = "k".repeat(Limits.MAX_KEY_BYTES + 2);
      assertThat(replica.receive(scan(50, 0, range(longKey, ""), 9))).containsExactly(refused);
      assertThat(replica.receive(scan(50, 0, range("a", longKey), 9))).containsExactly(refused);
      String aboveLongest = longKey.substring(1); // the lowest key above the longest one
      assertThat(replica.receive(scan(50, 0, range("e", aboveLongest), 9)))
          .containsExactly(rows(50, 0, ""));
    }
  }

  @Nested
  class Pushes {

    @BeforeEach
    void scanned() {
      install(11, "b");
      replica.receive(scan(50, 3, range("a", "f"), 9));
    }

    @Test
    void tellOfANewKey() {
      assertThat(replica.receive(put(20, 0, "c", 1, "x")))
          .containsExactly(pushed(50, 3, 1, uncommitted("c", version(20, 1), "x")));
    }

    @Test
    void tellOfAChange() {
      assertThat(replica.receive(put(20, 0, "b", 1, "x")))
          .containsExactly(pushed(50, 3, 1, uncommitted("b", version(20, 1), "x")));
    }

    @Test
    void tellThatAKeyIsGoneAgain() {
      replica.receive(put(20, 0, "c", 1, "x"));
      assertThat(replica.receive(new Retract(txn(20), 1, List.of(key("c")))))
          .containsExactly(pushed(50, 3, 2, absent("c")));
    }

    @Test
    void tellThatANewKeyHasSettled() {
      replica.receive(put(20, 0, "c", 1, "x"));
      assertThat(replica.receive(prepare(20, 0).writes("c", 1, "x").message()))
          .contains(pushed(50, 3, 2, prepared("c", version(20, 1), "x")));
    }

    @Test
    void areNotOfOthersRanges() {
      assertThat(replica.receive(put(20, 0, "f", 1, "x"))).isEmpty();
    }

    @Test
    void areNotOfWhatIsAboveTheReader() {
      assertThat(replica.receive(put(51, 0, "c", 1, "x"))).isEmpty();
    }

    @Test
    void areNotOfWhatTheLimitHasCutOff() {
      replica.receive(scan(40, 0, range("a", "f"), 1));
      install(12, "c");
      replica.receive(scan(41, 0, range("a", "f"), 1)); // ends before c
      assertThat(replica.receive(put(20, 0, "d", 1, "x")))
          .containsExactly(
              pushed(40, 0, 2, uncommitted("d", version(20, 1), "x")),
              pushed(50, 3, 2, uncommitted("d", version(20, 1), "x")));
    }

    @Test
    void endWithTheOutcome() {
      replica.receive(abort(50));
      assertThat(replica.receive(put(20, 0, "c", 1, "x"))).isEmpty();
    }
  }

  @Nested
  class Votes {

    @Test
    void commitWhatHasNotMissedAnything() {
      install(11, "b");
      assertThat(
              replica.receive(prepare(50, 0).reads("b", version(11, 1)).scans("a", "f").message()))
          .containsExactly(toCoordinator(voted(50, 0, Vote.COMMIT)));
    }

    @Test
    void abandonWhatHasMissedACommittedKey() {
      install(11, "b");
      assertThat(replica.receive(prepare(50, 0).scans("a", "f").message()))
          .containsExactly(
              toCoordinator(voted(50, 0, tentative(Reason.MISSED_WRITE, row(11, "b")))));
    }

    /** A longer list is a malformed message, so the reader would lose its connection. */
    @Test
    void tellNoMoreMissedKeysThanAMessageHas() {
      for (int writer = 10; writer < 12; writer++) {
        Prepares bulk = prepare(writer, 0);
        for (int i = 0; i < Limits.MAX_OPERATIONS; i++) {
          bulk.writes("b" + writer + i, 1, "x");
        }
        replica.receive(bulk.message());
      }
      Sent reply = (Sent) replica.receive(prepare(50, 0).scans("a", "f").message()).getFirst();
      PrepareAnswer.Voted voted =
          (PrepareAnswer.Voted) ((Message.PrepareReply) reply.message()).answer();
      assertThat(((Vote.Abandon) voted.vote()).fresh().size()).isEqualTo(Limits.MAX_OPERATIONS);
    }

    @Test
    void abandonForAWhileWhatHasMissedAnUncommittedKey() {
      replica.receive(put(20, 0, "b", 1, "x"));
      assertThat(replica.receive(prepare(50, 0).scans("a", "f").message()))
          .containsExactly(
              toCoordinator(
                  voted(
                      50,
                      0,
                      tentative(Reason.MISSED_WRITE, uncommitted("b", version(20, 1), "x")))));
    }

    @Test
    void areRefusedToSetsBeyondTheLimits() {
      Prepares many = prepare(50, 0);
      for (int i = 0; i <= Limits.MAX_SCANS; i++) {
        many.scans("a" + i, "b");
      }
      Effect refused = toCoordinator(new Refused(txn(50), Refusal.OVERSIZED, replica.nowMicros));
      assertThat(replica.receive(many.message())).containsExactly(refused);
      String longKey = "k".repeat(Limits.MAX_KEY_BYTES + 2);
      assertThat(replica.receive(prepare(50, 0).scans(longKey, "").message()))
          .containsExactly(refused);
      assertThat(replica.receive(prepare(50, 0).scans("a", longKey).message()))
          .containsExactly(refused);
    }

    @Test
    void doNotMindKeysOutsideOrAbove() {
      install(11, "f");
      install(60, "b");
      assertThat(replica.receive(prepare(50, 0).scans("a", "f").message()))
          .containsExactly(toCoordinator(voted(50, 0, Vote.COMMIT)));
    }

    @Test
    void doNotMindWhatTheExecutionWritesItself() {
      assertThat(replica.receive(prepare(50, 0).scans("a", "f").writes("b", 1, "own").message()))
          .containsExactly(toCoordinator(voted(50, 0, Vote.COMMIT)));
    }

    @Test
    void abandonForAWhileWhoInsertsBelowAPreparedScan() {
      replica.receive(prepare(50, 0).scans("a", "f").message());
      assertThat(replica.receive(prepare(40, 0).writes("b", 1, "x").message()))
          .contains(toCoordinator(voted(40, 0, tentative(Reason.WRITE_MISSED))));
      assertThat(replica.receive(prepare(41, 0).writes("f", 1, "x").message()))
          .containsExactly(toCoordinator(voted(41, 0, Vote.COMMIT)));
    }

    @Test
    void abandonForGoodWhoInsertsBelowACommittedScan() {
      replica.receive(prepare(50, 0).scans("a", "f").message());
      replica.receive(commit(50, 0));
      assertThat(replica.receive(prepare(40, 0).writes("b", 1, "x").message()))
          .contains(toCoordinator(voted(40, 0, tentative(Reason.READ_AS_ABSENT))));
      assertThat(replica.receive(prepare(60, 0).writes("b", 1, "x").message()))
          .containsExactly(toCoordinator(voted(60, 0, Vote.COMMIT)));
    }

    @Test
    void letInsertWhereAScanWasTakenBack() {
      replica.receive(prepare(50, 0).scans("a", "f").message());
      replica.receive(prepare(50, 1).scans("x", "z").message());
      assertThat(replica.receive(prepare(40, 0).writes("b", 1, "x").message()))
          .containsExactly(toCoordinator(voted(40, 0, Vote.COMMIT)));
    }

    @Test
    void outliveARestart() {
      replica.receive(prepare(50, 0).scans("a", "f").message());
      ReplicaDriver next = replica.restarted(replica.log);
      assertThat(next.receive(prepare(40, 0).writes("b", 1, "x").message()))
          .contains(toCoordinator(voted(40, 0, tentative(Reason.WRITE_MISSED))));
      next.receive(commit(50, 0));
      assertThat(next.restarted(next.log).receive(prepare(41, 0).writes("b", 1, "x").message()))
          .contains(toCoordinator(voted(41, 0, tentative(Reason.READ_AS_ABSENT))));
    }

    @Test
    void leaveKeysThatWereSeenToTheRulesOfReads() {
      install(11, "b");
      replica.receive(prepare(50, 0).reads("b", version(11, 1)).scans("a", "f").message());
      replica.receive(commit(50, 0));
      // Above the version that was read, below its reader.
      assertThat(replica.receive(prepare(40, 0).writes("b", 1, "x").message()))
          .contains(toCoordinator(voted(40, 0, finalAbandon(Reason.WRITE_MISSED))));
      // Below the version that was read.
      assertThat(replica.receive(prepare(10, 0).writes("b", 1, "x").message()))
          .containsExactly(toCoordinator(voted(10, 0, Vote.COMMIT)));
    }
  }
}
