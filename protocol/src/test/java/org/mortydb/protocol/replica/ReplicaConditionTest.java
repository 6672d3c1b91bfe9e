package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.copyReply;
import static org.mortydb.protocol.testing.Make.finalAbandon;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.keyIn;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.value;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.CopiedVersion;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.Make.Prepares;

/**
 * What a vote on condition depends on is not forgotten before the reader is decided, or nobody
 * might ever answer its recovery (docs/protocol.md, sections 5 and 6).
 */
class ReplicaConditionTest {
  private static final ReplicaOptions OPTIONS =
      new ReplicaOptions(500_000, 10_000_000, 50_000, 60_000_000, 4);
  private static final View VIEW = new View(1, 7);

  private final ReplicaDriver replica = new ReplicaDriver(OPTIONS);
  private static final long START = ReplicaDriver.START_MICROS;
  private final long t = START;
  private final long reader = t + 30;

  private void install(ReplicaDriver at, long writer, String key) {
    at.receive(prepare(writer, 0).writes(key, 1, "v").message());
    at.receive(commit(writer, 0));
  }

  private List<Effect> recover(ReplicaDriver at) {
    return at.receive(replica(2), new Recover(txn(reader), VIEW));
  }

  private Effect promised(boolean votedCommit) {
    return sent(
        replica(2),
        new RecoverReply(
            txn(reader), VIEW, new RecoverAnswer.Promised(null, 0, votedCommit, List.of(0))));
  }

  @BeforeEach
  void vote() {
    install(replica, t + 10, "a");
    replica.receive(prepare(t + 20, 0).writes("b", 1, "v").message());
    replica.receive(
        prepare(reader, 0).reads("a", version(t + 10, 1)).reads("b", version(t + 20, 1)).message());
  }

  @Test
  void keepsWhatWasReadWhileTheFenceIsAboveTheReader() {
    install(replica, t + 40, "a");
    replica.truncate(t + 15);
    replica.fence(t + 50);
    assertThat(recover(replica)).isEmpty();
    replica.tickAfter(OPTIONS.retentionMicros() + 1);
    replica.tickAfter(OPTIONS.tickMicros());
    assertThat(replica.receive(commit(t + 20, 0))).contains(promised(true));
  }

  /** The writer's execution is forgotten, so only its version shows that it has committed. */
  @Test
  void keepsTheVersionOfAForgottenExecution() {
    ReplicaDriver one = new ReplicaDriver(OPTIONS);
    install(one, t + 10, "a");
    long later = t + OPTIONS.retentionMicros() / 3 + 100;
    one.nowMicros = later;
    one.receive(prepare(later + 20, 0).writes("b", 1, "v").message());
    one.receive(
        prepare(later + 30, 0)
            .reads("a", version(t + 10, 1))
            .reads("b", version(later + 20, 1))
            .message());
    install(one, later + 40, "a");
    one.truncate(later);
    one.fence(later + 50);
    one.tickAfter(OPTIONS.retentionMicros() + 1);
    one.tickAfter(OPTIONS.tickMicros());
    assertThat(one.receive(commit(later + 20, 0)))
        .contains(toCoordinator(voted(later + 30, 0, Vote.COMMIT)));
  }

  @Test
  void keepsItAfterARestart() {
    install(replica, t + 40, "a");
    replica.truncate(t + 15);
    replica.fence(t + 50);
    replica.tickAfter(OPTIONS.retentionMicros() + 1);
    ReplicaDriver next = replica.restarted(replica.log);
    next.tickAfter(OPTIONS.retentionMicros() + 1);
    assertThat(recover(next)).isEmpty();
    assertThat(next.receive(commit(t + 20, 0))).contains(promised(true));
  }

  @Test
  void keepsItWhereAKeyHasTooManyVersions() {
    for (int i = 0; i < 20; i++) { // the limit is 4
      install(replica, t + 40 + i, "a");
    }
    assertThat(committedVersions("a")).hasSizeBetween(4, 5).contains(version(t + 10, 1));
    assertThat(recover(replica)).isEmpty();
    assertThat(replica.receive(commit(t + 20, 0))).containsExactly(promised(true));
  }

  @Test
  void forgetsItOnceTheReaderIsDecided() {
    replica.receive(commit(t + 20, 0));
    replica.receive(commit(reader, 0));
    for (int i = 0; i < 20; i++) {
      install(replica, t + 40 + i, "a");
    }
    assertThat(committedVersions("a")).hasSizeBetween(3, 4).doesNotContain(version(t + 10, 1));
  }

  private List<WriteId> committedVersions(String key) {
    ArrayList<WriteId> versions = new ArrayList<>();
    replica.replica.copyVersions(
        0,
        Integer.MAX_VALUE,
        logged -> {
          if (logged instanceof LogRecord.Version(Key name, WriteId id, Value ignored)
              && name.equals(key(key))) {
            versions.add(id);
          }
        });
    return versions;
  }

  /** A reader of "a" and "b", whose condition waits for the writer of "a" first. */
  private ReplicaDriver waitsForTheLaterOfTwoWriters(long earlier, long later) {
    ReplicaDriver one = new ReplicaDriver(OPTIONS);
    one.receive(prepare(earlier, 0).writes("b", 1, "v").message());
    one.nowMicros = later;
    one.receive(prepare(later, 0).writes("a", 1, "v").message());
    one.receive(
        prepare(later + 10, 0)
            .reads("a", version(later, 1))
            .reads("b", version(earlier, 1))
            .message());
    return one;
  }

  /** All partitions reach a watermark, and nobody can ask for what is far below any more. */
  private List<Effect> forgetBelow(ReplicaDriver one, long watermarkMicros) {
    one.nowMicros += OPTIONS.retentionMicros();
    one.reachedEverywhere(watermarkMicros);
    return one.truncate(watermarkMicros);
  }

  private static Effect dirty(long reader) {
    return toCoordinator(voted(reader, 0, finalAbandon(Vote.Reason.DIRTY_READ, absent("b"))));
  }

  /** Once its outcome is forgotten, nobody could tell whether the version of a writer is gone. */
  @Test
  void failsBeforeTheAbortOfAWriterIsForgotten() {
    long later = t + OPTIONS.retentionMicros() / 3 + 100;
    ReplicaDriver one = waitsForTheLaterOfTwoWriters(t + 10, later + 20);
    one.receive(abort(t + 10));
    assertThat(forgetBelow(one, later)).contains(dirty(later + 30));
    one.receive(commit(later + 20, 0));
    Recover recover = new Recover(txn(later + 30), VIEW);
    Effect promised =
        sent(
            replica(2),
            new RecoverReply(
                recover.txn(), VIEW, new RecoverAnswer.Promised(null, 0, false, List.of(0))));
    assertThat(one.receive(replica(2), recover)).containsExactly(promised);
    assertThat(one.restarted(one.log).receive(replica(2), recover)).contains(promised);
  }

  /** One round drops the writer, which can never commit, and forgets outcomes above it. */
  @Test
  void failsWithAWriterThatTruncationDrops() {
    long later = t + OPTIONS.retentionMicros() / 3 + 100;
    ReplicaDriver one = waitsForTheLaterOfTwoWriters(t + 10, later + 20);
    assertThat(forgetBelow(one, later)).contains(dirty(later + 30));
  }

  /** The outcome stays for longer, but it does not say what the execution wrote. */
  @Test
  void failsBeforeAnExecutionIsForgottenThatDidNotWriteTheKey() {
    long later = t + OPTIONS.retentionMicros() / 3 + 100;
    ReplicaDriver one = waitsForTheLaterOfTwoWriters(t + 10, later + 20);
    one.receive(prepare(t + 10, 1).writes("c", 1, "v").message());
    one.receive(commit(t + 10, 1));
    assertThat(one.truncate(later)).contains(dirty(later + 30));
  }

  @Test
  void failsBeforeACopyForgetsTheAbortOfAWriter() {
    ReplicaDriver one = waitsForTheLaterOfTwoWriters(t + 10, t + 20);
    one.truncate(t + 15);
    one.receive(replica(1), new Behind(watermark(t + 16), watermark(t + 16)));
    TxnId since = watermark(t + 15);
    one.receive(replica(1), copyReply(since, "", null, watermark(t + 16), TxnId.INITIAL));
    assertThat(
            one.receive(
                replica(1),
                new CopyOutcomesReply(
                    since, TxnId.INITIAL, watermark(t + 16), watermark(t + 16), List.of())))
        .contains(dirty(t + 30));
  }

  /** Then the copy brings nothing new but what the peer has forgotten. */
  @Test
  void failsBeforeACopyForgetsTheAbortOfAWriterThatARoundOfTruncationHasPassed() {
    ReplicaDriver one = waitsForTheLaterOfTwoWriters(t + 10, t + 20);
    one.truncate(t + 5);
    one.receive(replica(1), new Behind(watermark(t + 16), watermark(t + 16)));
    TxnId since = watermark(t + 5);
    one.receive(replica(1), copyReply(since, "", null, watermark(t + 16), TxnId.INITIAL));
    assertThat(one.truncate(t + 18)).doesNotContain(dirty(t + 30));
    assertThat(
            one.receive(
                replica(1),
                new CopyOutcomesReply(
                    since, TxnId.INITIAL, watermark(t + 16), watermark(t + 16), List.of())))
        .contains(dirty(t + 30));
  }

  // ---- a peer that this replica copies has forgotten a writer that is undecided here ------------

  /** A reader of "b" at t + 30, whose writer at t + 20 is undecided. */
  private static ReplicaDriver awaits(Prepares writer) {
    ReplicaDriver one = new ReplicaDriver(OPTIONS);
    one.receive(prepare(START + 5, 0).writes("b", 1, "u").message());
    one.receive(commit(START + 5, 0));
    one.truncate(START + 10);
    return votesOnCondition(one, writer);
  }

  private static ReplicaDriver votesOnCondition(ReplicaDriver one, Prepares writer) {
    one.receive(writer.message());
    assertThat(one.receive(prepare(START + 30, 0).reads("b", version(START + 20, 1)).message()))
        .contains(toCoordinator(voted(START + 30, 0, Vote.COMMIT_ON_CONDITION)));
    return one;
  }

  /** A copy up to t + 25 of a peer that has forgotten all outcomes up to there. */
  private static List<Effect> copy(
      ReplicaDriver one, TxnId since, TxnId erased, CopiedVersion... versions) {
    one.receive(replica(1), new Behind(watermark(START + 25), watermark(START + 25)));
    one.receive(replica(1), copyReply(since, "", null, watermark(START + 25), erased, versions));
    return forgetCopied(one, since);
  }

  private static List<Effect> forgetCopied(ReplicaDriver one, TxnId after) {
    TxnId forgotten = watermark(START + 25);
    return one.receive(
        replica(1), new CopyOutcomesReply(after, TxnId.INITIAL, forgotten, forgotten, List.of()));
  }

  private static Prepares writer() {
    return prepare(START + 20, 0).writes("b", 1, "v");
  }

  private void assertAnswers(ReplicaDriver one, boolean votedCommit) {
    assertThat(recover(one)).containsExactly(promised(votedCommit));
    assertThat(recover(one.restarted(one.log))).contains(promised(votedCommit));
  }

  /** If the writer had committed, the key would not show an older version after the copy. */
  @Test
  void failsWhereACopyLeavesAnOlderVersion() {
    ReplicaDriver one = awaits(writer());
    VersionedValue older = new VersionedValue(key("b"), version(START + 5, 1), value("u"), true);
    assertThat(copy(one, watermark(START + 10), TxnId.INITIAL))
        .contains(toCoordinator(voted(reader, 0, finalAbandon(Vote.Reason.DIRTY_READ, older))));
    assertAnswers(one, false);
  }

  @Test
  void showsAKeyOnceOfWhichTwoVersionsWereRead() {
    ReplicaDriver one = new ReplicaDriver(OPTIONS);
    Value five = Merge.apply(Value.ABSENT, Merge.add(5));
    one.receive(prepare(START + 5, 0).writes("b", 1, "u").message());
    one.receive(commit(START + 5, 0));
    one.truncate(START + 10);
    one.receive(prepare(START + 20, 0).merges("b", 1, five).message());
    one.receive(prepare(START + 22, 0).merges("b", 1, Merge.add(1)).message());
    one.receive(
        prepare(reader, 0)
            .reads("b", version(START + 20, 1))
            .reads("b", version(START + 22, 1))
            .message());
    VersionedValue older = new VersionedValue(key("b"), version(START + 5, 1), value("u"), true);
    assertThat(copy(one, watermark(START + 10), TxnId.INITIAL))
        .contains(toCoordinator(voted(reader, 0, finalAbandon(Vote.Reason.DIRTY_READ, older))));
  }

  /** The peer has folded the merge at t + 22: what was below it may have committed, or not. */
  @Test
  void isOpenWhereAMergeThatWasReadMayHaveTakenTheVersionIn() {
    ReplicaDriver one = new ReplicaDriver(OPTIONS);
    Value five = Merge.apply(Value.ABSENT, Merge.add(5));
    Value six = Merge.apply(five, Merge.add(1));
    one.receive(prepare(START + 20, 0).merges("b", 1, five).message());
    one.receive(prepare(START + 22, 0).merges("b", 1, Merge.add(1)).message());
    Prepares both =
        prepare(reader, 0).reads("b", version(START + 20, 1)).reads("b", version(START + 22, 1));
    assertThat(one.receive(both.message()))
        .contains(toCoordinator(voted(reader, 0, Vote.COMMIT_ON_CONDITION)));
    CopiedVersion folded = new CopiedVersion(key("b"), version(START + 22, 1), six, TxnId.INITIAL);
    assertThat(copy(one, TxnId.INITIAL, TxnId.INITIAL, folded))
        .noneMatch(effect -> effect.toString().contains("DIRTY_READ"));
    assertThat(recover(one)).isEmpty();
  }

  /** The vote waits for another writer, and would not look at this one any more. */
  @Test
  void failsWhereACopyLeavesAnOlderVersionWhileItWaitsForAnother() {
    ReplicaDriver one = waitsForTheLaterOfTwoWriters(t + 10, t + 40);
    assertThat(copy(one, TxnId.INITIAL, TxnId.INITIAL)).contains(dirty(t + 50));
  }

  /** A deletion that was dropped may have followed the write, but then the reader missed it. */
  @Test
  void failsWhereACopyLeavesNothingOfAValue() {
    ReplicaDriver one = awaits(writer());
    assertThat(copyOfAllKeys(one)).contains(dirty(reader));
    assertAnswers(one, false);
  }

  private static List<Effect> copyOfAllKeys(ReplicaDriver one) {
    one.receive(replica(1), new Behind(watermark(START + 25), watermark(START + 25)));
    TxnId erased = watermark(START + 22);
    one.receive(
        replica(1), copyReply(watermark(START + 10), "", null, watermark(START + 25), erased));
    one.receive(replica(1), copyReply(TxnId.INITIAL, "", null, watermark(START + 25), erased));
    return forgetCopied(one, watermark(START + 10));
  }

  /** Perhaps the writer's deletion has committed, and was dropped: the vote may be counted. */
  @Test
  void isOpenWhereACopyLeavesNothingOfADeletion() {
    ReplicaDriver one = awaits(prepare(START + 20, 0).deletes("b", 1));
    assertThat(copyOfAllKeys(one)).noneMatch(effect -> effect.toString().contains("DIRTY_READ"));
    assertThat(recover(one)).isEmpty();
  }

  /** All deletions above the peer's are at hand, and the writer's is not among them. */
  @Test
  void failsWhereACopyHasNoDeletionOfTheWriter() {
    ReplicaDriver one = awaits(prepare(START + 20, 0).deletes("b", 1));
    copy(one, watermark(START + 10), TxnId.INITIAL);
    assertAnswers(one, false);
  }

  @Test
  void holdsWhereACopyBringsTheVersion() {
    ReplicaDriver one = awaits(writer());
    CopiedVersion committed =
        new CopiedVersion(key("b"), version(START + 20, 1), value("v"), TxnId.INITIAL);
    assertThat(copy(one, watermark(START + 10), TxnId.INITIAL, committed))
        .contains(toCoordinator(voted(reader, 0, Vote.COMMIT)));
    assertAnswers(one, true);
  }

  /** A later part of the copy lacks the version that the key had at the watermark of the first. */
  @Test
  void isOpenWhereACopyLacksTheHistoryOfTheKey() {
    ReplicaDriver one = awaits(writer());
    TxnId since = watermark(START + 10);
    one.receive(replica(1), new Behind(watermark(START + 25), watermark(START + 25)));
    one.receive(replica(1), copyReply(since, "", "a", watermark(START + 25), TxnId.INITIAL));
    CopiedVersion later =
        new CopiedVersion(key("b"), version(START + 60, 1), value("w"), TxnId.INITIAL);
    one.receive(
        replica(1), copyReply(since, "a", null, watermark(START + 70), TxnId.INITIAL, later));
    assertThat(forgetCopied70(one, since)).doesNotContain(dirty(reader));
    assertThat(recover(one)).isEmpty();
  }

  private static List<Effect> forgetCopied70(ReplicaDriver one, TxnId after) {
    return one.receive(
        replica(1),
        new CopyOutcomesReply(
            after, TxnId.INITIAL, watermark(START + 70), watermark(START + 25), List.of()));
  }

  /** The committed execution is not here, so what an earlier one showed here never commits. */
  @Test
  void failsWhereTheCommittedExecutionHasLeftThePartition() {
    ReplicaDriver other = ReplicaDriver.of(1, 2);
    String name = keyIn(1, 2, 0).toString();
    other.receive(prepare(t + 20, 0).writes(name, 1, "v").at(0, 1).message());
    assertThat(other.receive(prepare(reader, 0).reads(name, version(t + 20, 1)).at(0, 1).message()))
        .containsExactly(toCoordinator(voted(reader, 0, Vote.COMMIT_ON_CONDITION)));
    assertThat(other.receive(commit(t + 20, 1, 0)))
        .containsExactly(
            toCoordinator(voted(reader, 0, finalAbandon(Vote.Reason.DIRTY_READ, absent(name)))));
  }

  /** The copy lacks older versions; but what committed is at hand. */
  @Test
  void knowsWhatCommittedAccordingToACopy() {
    assertThat(recover(replica)).isEmpty();
    replica.receive(replica(1), new Behind(watermark(t + 25), watermark(t + 25)));
    replica.receive(
        replica(1), copyReply(TxnId.INITIAL, "", "m", watermark(t + 25), TxnId.INITIAL));
    CopiedVersion later =
        new CopiedVersion(key("b"), version(t + 60, 1), value("w"), TxnId.INITIAL);
    replica.receive(
        replica(1), copyReply(TxnId.INITIAL, "m", null, watermark(t + 70), TxnId.INITIAL, later));
    assertThat(
            replica.receive(
                replica(1),
                new CopyOutcomesReply(
                    TxnId.INITIAL,
                    TxnId.INITIAL,
                    watermark(t + 70),
                    TxnId.INITIAL,
                    List.of(
                        new Standing(txn(t + 10), committing(0)),
                        new Standing(txn(t + 20), committing(0))))))
        .contains(promised(true));
    assertThat(replica.replica.census().watermarkMicros()).isEqualTo(t + 25);
  }
}
