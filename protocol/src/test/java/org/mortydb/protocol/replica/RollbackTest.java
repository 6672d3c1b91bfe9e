package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.AskMaps;
import org.mortydb.protocol.message.Message.Copy;
import org.mortydb.protocol.message.Message.Maps;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.TruncateAck;
import org.mortydb.protocol.message.Message.TruncateCommit;
import org.mortydb.protocol.message.Message.TruncatePrepare;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.replica.Replica.Memory;
import org.mortydb.protocol.testing.Make;

/** Which state a cluster goes back to. */
class RollbackTest {
  private final Map<ReplicaId, Memory> memories = new LinkedHashMap<>();

  /** Of the records of maps. */
  private final Map<ReplicaId, List<MapRecordVersion>> versions = new LinkedHashMap<>();

  private static TxnId cut(long micros) {
    return new TxnId(micros, Long.MAX_VALUE, 0);
  }

  private static MapHistory unchanged(int partitions) {
    return new MapHistory(ClusterMap.first(1, partitions));
  }

  private @Nullable Rollback of(int partitions) {
    return Rollback.of(unchanged(partitions), memories, versions);
  }

  private void remembers(int partition, int index, long from, long upTo) {
    memories.put(
        new ReplicaId(partition, index), new Memory(true, cut(from), cut(upTo), 1_000 + index));
  }

  @Test
  void goesBackToTheHighestCutThatEnoughReplicasOfAllPartitionsHold() {
    remembers(0, 0, 0, 300);
    remembers(0, 1, 0, 200);
    remembers(0, 2, 0, 100);
    remembers(1, 0, 0, 400);
    remembers(1, 1, 0, 250);
    remembers(1, 2, 220, 250);
    Rollback rollback = of(2);
    assertThat(rollback).isNotNull();
    assertThat(rollback.cut()).isEqualTo(cut(200));
    assertThat(rollback.sources())
        .isEqualTo(
            Set.of(
                new ReplicaId(0, 0),
                new ReplicaId(0, 1),
                new ReplicaId(1, 0),
                new ReplicaId(1, 1)));
    // Above all that any replica may have voted on.
    assertThat(rollback.fence()).isEqualTo(cut(1_003));
  }

  @Test
  void aReplicaThatRemembersNothingIsNoSource() {
    remembers(0, 0, 0, 300);
    memories.put(new ReplicaId(0, 1), new Memory(false, TxnId.INITIAL, TxnId.INITIAL, 5_000));
    memories.put(new ReplicaId(0, 2), new Memory(false, TxnId.INITIAL, TxnId.INITIAL, 5_000));
    assertThat(of(1)).isNull();
    Rollback toNothing = Rollback.toNothing(unchanged(1), memories);
    assertThat(toNothing.cut()).isEqualTo(TxnId.INITIAL);
    assertThat(toNothing.fence()).isEqualTo(cut(5_001));
  }

  /** A replica that is no source must not believe what it hears of undone commits. */
  @Test
  void aReplicaThatIsNoSourceIsFencedAndHoldsNoCut() {
    remembers(0, 0, 0, 200);
    remembers(0, 1, 0, 200);
    remembers(0, 2, 0, 100);
    ReplicaId other = new ReplicaId(0, 2);
    Rollback rollback = of(1);
    assertThat(rollback).isNotNull();
    ReplicaDriver joining =
        new ReplicaDriver(
            other, new Topology(1, new int[] {0}), ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
    rollback.copy(other, joining.replica, logged -> joining.replica.restore(1, logged));
    assertThat(joining.replica.isWhole()).isFalse();
    Memory memory = joining.replica.memory(1);
    assertThat(memory.upTo()).isEqualTo(rollback.fence());
    assertThat(memory.holds(rollback.cut())).isFalse();
    assertThat(memory.holds(rollback.fence())).isFalse();
    joining.replica.join(1, false);
    TxnId undone = new TxnId(150, 7, 0);
    joining.receive(new ReplicaId(0, 0), new Message.Decide(undone, Outcome.commit(0, List.of(0))));
    assertThat(joining.replica.outcomeOf(undone)).isNull();
    // Its watermark stands for nothing that it holds: it copies everything.
    joining.tickAfter(0);
    TruncatePrepare asked = joining.last(TruncatePrepare.class);
    for (int peer = 0; peer < 2; peer++) {
      joining.receive(
          new ReplicaId(0, peer),
          new TruncateReply(asked.watermark(), rollback.fence(), List.of()));
    }
    TruncateCommit commit = joining.last(TruncateCommit.class);
    joining.receive(new ReplicaId(0, 0), new TruncateAck(commit.watermark()));
    joining.receive(new ReplicaId(0, 1), new TruncateAck(commit.watermark()));
    joining.tickAfter(1);
    assertThat(joining.last(Copy.class).since()).isEqualTo(TxnId.INITIAL);
  }

  /** Two commits, with the cut between them. */
  @Test
  void aSourceKeepsTheStateAtTheCutAndServesAboveTheFence() {
    ReplicaDriver before = new ReplicaDriver();
    before.receive(Make.prepare(100, 0).writes("a", 1, "kept").message());
    before.receive(Make.commit(100, 0));
    before.receive(Make.prepare(300, 0).writes("a", 1, "undone").writes("b", 1, "x").message());
    before.receive(Make.commit(300, 0));
    ReplicaId self = new ReplicaId(0, 0);
    List<LogRecord> records = new ArrayList<>();
    new Rollback(cut(200), cut(400), unchanged(1), Set.of(self))
        .copy(self, before.replica, records::add);
    ReplicaDriver after = before.restarted(records);
    assertThat(after.replica.newestCommitted(Make.key("a")))
        .isEqualTo(Make.committed("a", Make.version(100, 1), "kept"));
    assertThat(after.replica.newestCommitted(Make.key("b"))).isNull();
    assertThat(after.replica.outcomeOf(Make.txn(100))).isEqualTo(Make.committing(0));
    assertThat(after.replica.outcomeOf(Make.txn(300))).isNull();
    assertThat(after.replica.census().fenceMicros()).isEqualTo(400);
    assertThat(after.replica.census().watermarkMicros()).isEqualTo(400);
  }

  /** What the merge is made of is not in the state. */
  @Test
  void aSourceKeepsWhatMergesBelowTheCutMake() {
    ReplicaDriver before = new ReplicaDriver();
    before.receive(Make.prepare(100, 0).merges("a", 1, Merge.add(5)).message());
    before.receive(Make.commit(100, 0));
    before.receive(Make.prepare(150, 0).merges("a", 1, Merge.add(2)).message());
    before.receive(Make.commit(150, 0));
    ReplicaId self = new ReplicaId(0, 0);
    List<LogRecord> records = new ArrayList<>();
    new Rollback(cut(200), cut(400), unchanged(1), Set.of(self))
        .copy(self, before.replica, records::add);
    assertThat(before.restarted(records).replica.newestCommitted(Make.key("a")))
        .isEqualTo(
            new VersionedValue(
                Make.key("a"),
                Make.version(150, 1),
                Merge.apply(Value.ABSENT, Merge.add(7)),
                true));
  }

  @Test
  void votesMayReachAsFarAsTheFenceAndEveryVoteThatIsKnown() {
    Replica replica = new ReplicaDriver().replica;
    long skew = ReplicaOptions.DEFAULTS.allowedSkewMicros();
    assertThat(replica.memory(1_000).latestMicros()).isEqualTo(1_000 + skew);
    replica.restore(1_000, new LogRecord.Fenced(cut(2_000 + skew)));
    assertThat(replica.memory(1_000).latestMicros()).isEqualTo(2_000 + skew);
    ExecutionId ahead = new ExecutionId(new TxnId(3_000 + skew, 7, 0), 0);
    replica.restore(
        1_000, new LogRecord.Prepared(ahead, List.of(), List.of(), List.of(), List.of(0), false));
    assertThat(replica.memory(1_000).latestMicros()).isEqualTo(3_000 + skew);
    // Others have voted for it, and may have lost their votes.
    replica.restore(
        1_000,
        new LogRecord.Accepted(
            new TxnId(4_000 + skew, 7, 0), View.CLIENT, Outcome.commit(0, List.of(0))));
    assertThat(replica.memory(1_000).latestMicros()).isEqualTo(4_000 + skew);
  }

  @Test
  void aCheckpointSaysFromWhereOnItsHistoryIsWhole() {
    LogRecord.HistoryFrom history = new LogRecord.HistoryFrom(cut(50));
    Replica replica = new ReplicaDriver().restarted(List.of(history)).replica;
    List<LogRecord> checkpoint = new ArrayList<>();
    replica.copyVersions(0, 1, checkpoint::add);
    assertThat(checkpoint).contains(history);
  }

  @Test
  void aPartitionWhoseHistoryBeginsTooLateHasNoCommonCut() {
    for (int index = 0; index < 3; index++) {
      remembers(0, index, 0, 200);
      remembers(1, index, 201, 300);
    }
    assertThat(of(2)).isNull();
  }

  // ---- a cluster whose map has changed (section 15) -------------------------------------------

  private static final ClusterMap FIRST = ClusterMap.first(1, 1);

  /** The bucket of "a" moves, that of "b" stays. */
  private static final ClusterMap NEXT =
      FIRST.moved(
          1, 150, 1, Map.of(1, List.of("0", "1", "2")), Map.of(Bucket.of(Make.key("a")), 1));

  private static final ClusterMap THIRD =
      NEXT.moved(2, 190, 1, Map.of(2, List.of("0", "1", "2")), Map.of(Bucket.of(Make.key("b")), 2));

  /** The record of the second map, once the change to it is complete. */
  private static final MapRecord OPEN =
      MapRecord.first(FIRST).proposed(NEXT).withDecision().opened();

  private void hasRecord(long micros, MapRecord record) {
    int partition = NEXT.partitionOf(MapRecord.key(1));
    for (int index = 0; index < 2; index++) {
      versions
          .computeIfAbsent(new ReplicaId(partition, index), id -> new ArrayList<>())
          .add(new MapRecordVersion(1, new TxnId(micros, 9, partition), record.toValue()));
    }
  }

  private @Nullable Rollback ofChanged() {
    return Rollback.of(new MapHistory(List.of(FIRST, NEXT), 0), memories, versions);
  }

  @Test
  void aClusterGoesBackToACutAtWhichItsLastChangeWasComplete() {
    for (int index = 0; index < 3; index++) {
      remembers(0, index, 0, 300);
      remembers(1, index, 150, 200);
    }
    // The partition of a map that was given up.
    memories.put(new ReplicaId(5, 0), new Memory(false, TxnId.INITIAL, TxnId.INITIAL, 1_500));
    assertThat(ofChanged()).as("the change is not complete").isNull();
    hasRecord(201, OPEN);
    assertThat(ofChanged()).as("the change was complete later").isNull();
    hasRecord(180, OPEN);
    Rollback rollback = ofChanged();
    assertThat(rollback).isNotNull();
    assertThat(rollback.cut()).isEqualTo(cut(200));
    assertThat(rollback.fence()).isEqualTo(cut(1_501));
    assertThat(rollback.maps()).isEqualTo(new MapHistory(List.of(FIRST, NEXT), 1));
    assertThat(rollback.sources()).hasSize(6).doesNotContain(new ReplicaId(5, 0));
  }

  @Test
  void aClusterDoesNotGoBackIntoADecidedChangeAndGivesUpAProposedOne() {
    for (int index = 0; index < 2; index++) {
      remembers(0, index, 0, 200);
      remembers(1, index, 150, 200);
    }
    hasRecord(180, OPEN);
    hasRecord(190, OPEN.proposed(THIRD));
    Rollback rollback = ofChanged();
    assertThat(rollback).isNotNull();
    assertThat(rollback.maps()).isEqualTo(new MapHistory(List.of(FIRST, NEXT), 2));
    hasRecord(195, OPEN.proposed(THIRD).withDecision());
    assertThat(ofChanged()).isNull();
    hasRecord(197, OPEN);
    versions
        .values()
        .forEach(
            all -> all.add(new MapRecordVersion(1, new TxnId(199, 9, 0), Value.wrap(new byte[1]))));
    assertThat(ofChanged()).as("the record was overwritten").isNull();
  }

  @Test
  void aSourceLeavesOutWhatHasMovedAndGivesUpWhatIsProposed() {
    assertThat(NEXT.partitionOf(MapRecord.key(1))).isZero();
    MapRecord proposed = OPEN.proposed(THIRD);
    List<LogRecord> stored =
        List.of(
            new LogRecord.MapsKnown(List.of(FIRST, NEXT), 1, 0),
            new LogRecord.Version(Make.key("a"), Make.version(100, 1), Make.value("moved")),
            new LogRecord.Version(Make.key("b"), Make.version(100, 2), Make.value("stays")),
            new LogRecord.Version(MapRecord.key(1), Make.version(190, 1), proposed.toValue()),
            new LogRecord.Sealed(THIRD, true));
    ReplicaDriver before =
        new ReplicaDriver(ReplicaOptions.DEFAULTS.withMapChanges()).restarted(stored);
    assertThat(before.replica.mapRecords())
        .containsExactly(new MapRecordVersion(1, Make.txn(190), proposed.toValue()));
    ReplicaId self = new ReplicaId(0, 0);
    MapHistory maps = new MapHistory(List.of(FIRST, NEXT), 2);
    List<LogRecord> copied = new ArrayList<>();
    new Rollback(cut(200), cut(400), maps, Set.of(self)).copy(self, before.replica, copied::add);
    assertThat(copied)
        .contains(
            new LogRecord.MapsKnown(List.of(FIRST, NEXT), 2, 1),
            new LogRecord.Version(Make.key("b"), Make.version(100, 2), Make.value("stays")),
            new LogRecord.Version(
                MapRecord.key(1), Make.version(190, 1), proposed.opened().toValue()))
        .noneMatch(
            logged ->
                logged instanceof LogRecord.Sealed
                    || (logged instanceof LogRecord.Version version
                        && version.key().equals(Make.key("a"))));
    assertThat(before.restarted(copied).replica.maps()).isEqualTo(maps);
  }

  /** Clients with an old map would ask it for ever. */
  @Test
  void aReplicaThatNeverServesAgainTellsWhoHasTheKeysButNotTheRecords() {
    Map<Integer, Integer> all = new LinkedHashMap<>();
    IntStream.range(0, Bucket.COUNT).forEach(bucket -> all.put(bucket, 1));
    ClusterMap without = FIRST.moved(1, 150, 1, Map.of(1, List.of("0", "1", "2")), all);
    MapHistory maps = new MapHistory(List.of(FIRST, without), 1);
    ReplicaId self = new ReplicaId(0, 0);
    ReplicaDriver before = new ReplicaDriver(ReplicaOptions.DEFAULTS.withMapChanges());
    List<LogRecord> copied = new ArrayList<>();
    new Rollback(cut(200), cut(400), maps, Set.of()).copy(self, before.replica, copied::add);
    ReplicaDriver ended = before.restarted(copied);
    ended.replica.join(1, false);
    long now = ended.nowMicros;
    assertThat(ended.receive(new Message.Get(Make.txn(now), 0, Make.key("a"))))
        .contains(
            Make.sent(Make.client(now), new Refused(Make.txn(now), Refusal.MOVED, now)),
            Make.sent(Make.client(now), new Maps(Make.txn(now), List.of(without), 1)));
    assertThat(ended.receive(new Message.Get(Make.txn(now), 1, MapRecord.key(0))))
        .containsExactly(
            Make.sent(Make.client(now), new Refused(Make.txn(now), Refusal.NOT_SERVING, now)));
    assertThat(ended.receive(new Message.Get(Make.txn(100), 0, Make.key("a"))))
        .as("under the first map")
        .containsExactly(
            Make.sent(Make.client(100), new Refused(Make.txn(100), Refusal.NOT_SERVING, now)));
    assertThat(ended.receive(new AskMaps(Make.txn(now), 0, 0)))
        .containsExactly(Make.sent(Make.client(now), new Maps(Make.txn(now), List.of(without), 1)));
  }

  /** A replica that joins, and has only heard of the transaction, believes such a client. */
  @Test
  void aCommitFarAheadThatConcernsNobodyHereRaisesNoFence() {
    Replica replica = new ReplicaDriver().replica;
    long skew = ReplicaOptions.DEFAULTS.allowedSkewMicros();
    replica.restore(
        1_000,
        new LogRecord.Decided(
            new TxnId(Limits.MAX_TIME_MICROS, 7, 0), Outcome.commit(0, List.of())));
    replica.restore(
        1_000,
        new LogRecord.Decided(
            new TxnId(Limits.MAX_TIME_MICROS, 8, 1), Outcome.commit(0, List.of(1))));
    assertThat(replica.memory(1_000).latestMicros()).isEqualTo(1_000 + skew);
    replica.restore(
        1_000, new LogRecord.Decided(new TxnId(2_000 + skew, 9, 0), Outcome.commit(0, List.of(0))));
    assertThat(replica.memory(1_000).latestMicros()).isEqualTo(2_000 + skew);
  }

  /** Otherwise any client could shut the cluster until the year of its transaction. */
  @Test
  void anAbortAcceptedFarAheadRaisesNoFenceAndIsKept() {
    ReplicaDriver before = ReplicaDriver.of(0, 1);
    long aheadMicros = before.nowMicros + 365L * 86_400_000_000L;
    TxnId ahead = Make.txn(aheadMicros);
    before.claim(Make.finalizing(aheadMicros, Outcome.ABORT));
    assertThat(before.replica.undecided()).containsExactly(ahead);
    Memory memory = before.replica.memory(before.nowMicros);
    assertThat(memory.latestMicros())
        .isEqualTo(before.nowMicros + ReplicaOptions.DEFAULTS.allowedSkewMicros());
    ReplicaId self = new ReplicaId(0, 0);
    List<LogRecord> records = new ArrayList<>();
    Rollback.toNothing(unchanged(1), Map.of(self, memory)).copy(self, before.replica, records::add);
    assertThat(before.restarted(records).replica.undecided()).containsExactly(ahead);
  }
}
