package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.INITIAL;
import static org.mortydb.protocol.testing.Make.client;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.voted;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.MapKnowledge;
import org.mortydb.protocol.message.Message.Maps;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.Seal;
import org.mortydb.protocol.message.Message.SealReply;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.testing.EffectRecorder.Broadcast;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.HeldUntilDurable;
import org.mortydb.protocol.testing.EffectRecorder.Sent;
import org.mortydb.protocol.testing.Make;

/** Seals, maps and what follows from them at one replica (docs/protocol.md, section 15). */
class ReplicaSealTest {
  private static final long SKEW = ReplicaOptions.DEFAULTS.allowedSkewMicros();
  private static final ReplicaOptions OPTIONS = ReplicaOptions.DEFAULTS.withMapChanges();
  private static final long CUT = ReplicaDriver.START_MICROS + 2 * SKEW;
  private static final TxnId CHANGE = new TxnId(1, 99, 0);
  private static final ClusterMap FIRST = ClusterMap.first(1, 1);

  /** The bucket of "a" moves, that of "b" stays. */
  private static final ClusterMap NEXT = moved(1, CUT);

  /** A key of the same bucket as "a". */
  private static final String LIKE_A = "{a}2";

  private final ReplicaDriver replica = new ReplicaDriver(OPTIONS);

  private static ClusterMap moved(int number, long cutMicros) {
    return FIRST.moved(
        number, cutMicros, 1, Map.of(1, List.of("0", "1", "2")), Map.of(Bucket.of(key("a")), 1));
  }

  private List<Effect> seal(ClusterMap map) {
    return replies(replica.receive(client(99), new Seal(CHANGE, map)));
  }

  private static List<Effect> replies(List<Effect> effects) {
    return effects.stream().filter(effect -> effect instanceof Sent(var _, SealReply _)).toList();
  }

  private static Effect answer(int number, boolean sealed) {
    return sent(client(99), new SealReply(CHANGE, number, sealed));
  }

  /** The replica has sealed, and its clock has come near enough to say so. */
  private void sealed() {
    assertThat(seal(NEXT)).isEmpty();
    assertThat(replies(replica.tickAfter(CUT - SKEW - replica.nowMicros)))
        .containsExactly(answer(1, true));
    replica.nowMicros = CUT;
  }

  private void assertVote(long t, String key, Vote vote) {
    assertThat(replica.receive(prepare(t, 0).reads(key, INITIAL).message()))
        .contains(sent(client(t), voted(t, 0, vote)));
  }

  private void assertRefused(Message request, Refusal reason) {
    assertThat(replica.claim(request))
        .contains(
            sent(
                client(request.txn().clientId()),
                new Refused(request.txn(), reason, replica.nowMicros)));
  }

  /** No change has been decided, and those up to a number have ended. */
  private static Maps ended(int number) {
    return new Maps(TxnId.INITIAL, List.of(FIRST), number);
  }

  private Maps decided() {
    return new Maps(TxnId.INITIAL, List.of(NEXT), 0);
  }

  @Test
  void aSealIsLoggedAtOnceAndAcknowledgedWhenTheClockIsNearTheCut() {
    assertThat(seal(NEXT)).isEmpty();
    assertThat(replica.log).contains(new LogRecord.Sealed(NEXT, true));
    assertThat(replies(replica.tickAfter(CUT - SKEW - replica.nowMicros - 1))).isEmpty();
    assertThat(replies(replica.tickAfter(1))).containsExactly(answer(1, true));
    assertThat(replica.lastStep).anyMatch(HeldUntilDurable.class::isInstance);
    assertThat(seal(NEXT)).containsExactly(answer(1, true)); // asked again
  }

  @Test
  void nothingThatMovesGetsAVoteAboveTheCut() {
    sealed();
    assertRefused(prepare(CUT + 1, 0).reads("a", INITIAL).message(), Refusal.SEALED);
    assertRefused(prepare(CUT + 2, 0).writes("a", 1, "x").message(), Refusal.SEALED);
    assertRefused(new Message.Get(txn(CUT + 3), 0, key("a")), Refusal.SEALED);
    assertVote(CUT + 4, "b", Vote.COMMIT);
    assertVote(CUT, "a", Vote.COMMIT);
  }

  /** Other replicas know the map already, so their clients read what new partitions decide. */
  @Test
  void aReadOfWhatAnUnknownPartitionDecidesIsTriedAgain() {
    sealed();
    WriteId version = new WriteId(new TxnId(CUT + 1, CUT + 1, 1), 1);
    Message request = prepare(CUT + 2, 0).reads("b", version).message();
    assertRefused(request, Refusal.SEALED);
    ReplicaDriver fixed = new ReplicaDriver(ReplicaOptions.DEFAULTS);
    fixed.nowMicros = replica.nowMicros;
    assertThat(fixed.claim(request))
        .contains(
            sent(client(CUT + 2), new Refused(txn(CUT + 2), Refusal.INVALID, fixed.nowMicros)));
  }

  @Test
  void noScanOfSeveralBucketsGetsAVoteAboveTheCut() {
    sealed();
    assertThat(replica.receive(prepare(CUT + 1, 0).scans("c", "d").message()))
        .contains(sent(client(CUT + 1), voted(CUT + 1, 0, tentative(Reason.SEALED))));
    assertThat(
            replica.claim(
                new Message.Register(
                    new ExecutionId(txn(CUT + 2), 0), List.of(), List.of(KeyRange.ALL))))
        .contains(sent(client(CUT + 2), voted(CUT + 2, 0, tentative(Reason.SEALED))));
    assertRefused(new Message.Scan(txn(CUT + 3), 0, KeyRange.ALL, 10), Refusal.SEALED);
  }

  @Test
  void aVoteThatWaitedDoesNotComeAfterTheSeal() {
    long writer = CUT + 1;
    replica.nowMicros = CUT - SKEW + 100;
    replica.receive(new Message.Put(txn(writer), 0, new Write(key("b"), 1, Value.of("x"))));
    Message.Prepare waits =
        prepare(CUT + 2, 0).reads("b", new WriteId(txn(writer), 1)).reads("a", INITIAL).message();
    assertThat(replica.receive(waits))
        .noneMatch(e -> e instanceof Sent(var to, var _) && to.equals(client(CUT + 2)));
    assertThat(seal(NEXT)).containsExactly(answer(1, true));
    replica.receive(prepare(writer, 0).writes("b", 1, "x").message());
    assertThat(replica.lastStep)
        .anyMatch(
            e ->
                e instanceof Sent(var _, Message.PrepareReply(var id, var a))
                    && id.txn().equals(txn(CUT + 2))
                    && a.equals(new PrepareAnswer.Voted(tentative(Reason.SEALED))));
  }

  @Test
  void aReplicaThatHasVotedAboveTheCutDoesNotSeal() {
    replica.nowMicros = CUT;
    assertVote(CUT + 1, "b", Vote.COMMIT); // that key does not move
    assertVote(CUT + 2, "a", Vote.COMMIT);
    assertThat(seal(NEXT)).containsExactly(answer(1, false));
    assertThat(replica.log).noneMatch(LogRecord.Sealed.class::isInstance);
  }

  @Test
  void aVoteOnSomethingElseDoesNotHinderTheSeal() {
    replica.nowMicros = CUT;
    assertVote(CUT + 1, "b", Vote.COMMIT);
    assertThat(seal(NEXT)).containsExactly(answer(1, true));
  }

  @Test
  void aCommitAboveTheCutHindersTheSeal() {
    replica.nowMicros = CUT;
    replica.receive(prepare(CUT + 1, 0).writes("a", 1, "x").message());
    replica.receive(commit(CUT + 1, 0));
    assertThat(seal(NEXT)).containsExactly(answer(1, false));
  }

  @Test
  void aRegisteredReadAboveTheCutHindersTheSeal() {
    replica.nowMicros = CUT;
    replica.claim(
        new Message.Register(
            new ExecutionId(txn(CUT + 1), 0), List.of(new Read(key("a"), INITIAL)), List.of()));
    assertThat(seal(NEXT)).containsExactly(answer(1, false));
  }

  @Test
  void readsThatARestartMayHaveForgottenHinderTheSeal() {
    ReplicaDriver next =
        replica.restarted(List.of(new LogRecord.Registering(new TxnId(CUT, 5, 0))));
    assertThat(replies(next.receive(client(99), new Seal(CHANGE, NEXT)))).isEmpty();
    ReplicaDriver other =
        replica.restarted(List.of(new LogRecord.Registering(new TxnId(CUT + 1, 5, 0))));
    assertThat(replies(other.receive(client(99), new Seal(CHANGE, NEXT))))
        .containsExactly(answer(1, false));
  }

  @Test
  void aReplicaWhoseFenceIsAtTheCutDoesNotSeal() {
    replica.nowMicros = CUT;
    replica.fence(CUT);
    assertThat(seal(NEXT)).containsExactly(answer(1, false));
  }

  @Test
  void aCutFarInTheFutureIsRefused() {
    assertThat(seal(moved(1, replica.nowMicros + 5 * SKEW))).containsExactly(answer(1, false));
  }

  @Test
  void aRestartRemembersTheSeal() {
    sealed();
    ReplicaDriver next = replica.restarted(replica.log);
    assertThat(next.claim(prepare(CUT + 1, 0).writes("a", 1, "x").message()))
        .contains(sent(client(CUT + 1), new Refused(txn(CUT + 1), Refusal.SEALED, next.nowMicros)));
    assertThat(replies(next.receive(client(99), new Seal(CHANGE, NEXT))))
        .containsExactly(answer(1, true));
  }

  @Test
  void aCheckpointHasTheSealAndTheMaps() {
    sealed();
    replica.receive(replica(1), new Maps(TxnId.INITIAL, List.of(NEXT), 1));
    ClusterMap third =
        NEXT.moved(
            2, CUT + 1_000, 1, Map.of(2, List.of("0", "1", "2")), Map.of(Bucket.of(key("b")), 2));
    assertThat(seal(third)).containsExactly(answer(2, true));
    List<LogRecord> checkpoint = new ArrayList<>();
    replica.replica.copyRecords(Replica.NO_LOG, checkpoint::add);
    assertThat(checkpoint)
        .contains(
            new LogRecord.MapsKnown(List.of(FIRST, NEXT), 1, 0), new LogRecord.Sealed(third, true));
    assertThat(replica.restarted(checkpoint).replica.maps()).isEqualTo(replica.replica.maps());
  }

  @Test
  void aSealEndsWhenTheChangeIsGivenUpAndItsNumberIsUsedUp() {
    sealed();
    replica.receive(replica(1), ended(1));
    assertVote(CUT + 1, "a", Vote.COMMIT);
    assertThat(seal(NEXT)).containsExactly(answer(1, false)); // a late message
  }

  @Test
  void aReplicaWaitsForTheEndOfTheChangeThatItHasSealedFor() {
    sealed();
    assertThat(seal(moved(2, CUT + 1))).isEmpty();
    replica.receive(replica(1), ended(1));
    assertThat(seal(moved(2, CUT + 1))).containsExactly(answer(2, true));
  }

  @Test
  void aClientDoesNotSayThatAChangeHasEnded() {
    sealed();
    replica.receive(client(99), ended(1));
    assertRefused(prepare(CUT + 1, 0).writes("a", 1, "x").message(), Refusal.SEALED);
  }

  @Test
  void whatHasMovedIsRefusedWithTheMap() {
    sealed();
    replica.receive(replica(1), decided());
    List<Effect> effects = replica.claim(new Message.Get(txn(CUT + 1), 0, key("a")));
    assertThat(effects)
        .containsExactly(
            sent(client(CUT + 1), new Refused(txn(CUT + 1), Refusal.MOVED, replica.nowMicros)),
            sent(client(CUT + 1), new Maps(txn(CUT + 1), List.of(NEXT), 0)));
    assertVote(CUT + 2, "b", Vote.COMMIT);
    assertVote(CUT, "a", Vote.COMMIT); // still lives under the first map
  }

  private static ClusterMap third() {
    return NEXT.moved(
        2, CUT + 1_000, 1, Map.of(2, List.of("0", "1", "2")), Map.of(Bucket.of(key("b")), 2));
  }

  @Test
  void whatHasMovedIsRefusedWithTheLastMapAlone() {
    replica.receive(replica(1), new Maps(TxnId.INITIAL, List.of(NEXT, third()), 1));
    replica.nowMicros = CUT + 2_000;
    TxnId reader = txn(CUT + 1_001);
    assertThat(replica.claim(new Message.Get(reader, 0, key("a"))))
        .contains(sent(client(CUT + 1_001), new Maps(reader, List.of(third()), 1)));
    assertThat(replica.receive(client(CUT + 1_001), new Message.AskMaps(reader, 0, 0)))
        .containsExactly(sent(client(CUT + 1_001), new Maps(reader, List.of(NEXT, third()), 1)));
  }

  @Test
  void mapsThatDoNotFitInOneMessageAreToldOneAfterTheOther() {
    List<ClusterMap> all = new ArrayList<>();
    ClusterMap last = FIRST;
    for (int number = 1; number <= 12; number++) {
      Map<Integer, Integer> scattered = new HashMap<>();
      for (int bucket = 0; bucket < Bucket.COUNT; bucket++) {
        scattered.put(bucket, 2 * number + bucket % 2);
      }
      List<String> servers = List.of("0", "1", "2");
      Map<Integer, List<String>> added = Map.of(2 * number, servers, 2 * number + 1, servers);
      last = last.moved(number, CUT + number, 1, added, scattered);
      all.add(last);
    }
    replica.receive(replica(1), new Maps(TxnId.INITIAL, all, 12));
    replica.receive(replica(2), new Message.AskMaps(TxnId.INITIAL, 0, 0));
    Maps first = replica.last(Maps.class);
    assertThat(first.maps()).hasSizeBetween(1, 11).isEqualTo(all.subList(0, first.maps().size()));
    assertThat(first.closed()).isZero();
    assertThat(first.maps().stream().mapToLong(ClusterMap::storedBytes).sum())
        .isLessThanOrEqualTo(512 * 1024);
    ReplicaDriver other = new ReplicaDriver(OPTIONS);
    Maps told = first;
    while (other.replica.maps().closed() < 12) {
      int before = other.replica.maps().last().number();
      List<Effect> effects = other.receive(replica(1), told);
      assertThat(other.replica.maps().last().number()).isGreaterThan(before);
      for (Effect effect : effects) {
        if (effect instanceof Sent(var _, Message.AskMaps asks)) {
          replica.receive(replica(2), asks);
          told = replica.last(Maps.class);
        }
      }
    }
    assertThat(other.replica.maps().maps()).hasSize(13);
  }

  @Test
  void aScanUnderAnOldMapIsRefusedAndOneUnderTheNewMapLeavesOutWhatHasMoved() {
    replica.receive(prepare(20, 0).writes("a", 1, "x").message());
    replica.receive(commit(20, 0));
    replica.receive(prepare(30, 0).writes("b", 1, "y").message());
    replica.receive(commit(30, 0));
    sealed();
    replica.receive(replica(1), decided());
    assertRefused(new Message.Scan(txn(CUT + 1), 0, KeyRange.ALL, 10, 0), Refusal.MOVED);
    replica.claim(new Message.Scan(txn(CUT + 2), 0, KeyRange.ALL, 10, 1));
    assertThat(replica.last(Message.ScanReply.class).rows())
        .extracting(row -> row.key())
        .containsExactly(key("b"));
    replica.claim(new Message.Scan(txn(CUT), 0, KeyRange.ALL, 10, 0));
    assertThat(replica.last(Message.ScanReply.class).rows())
        .extracting(row -> row.key())
        .containsExactly(key("a"), key("b"));
    Read b = new Read(key("b"), new WriteId(txn(30), 1));
    ExecutionId id = new ExecutionId(txn(CUT + 3), 0);
    assertThat(
            replica.claim(
                new Message.Register(id, List.of(b), List.of(new KeyRange(key("a"), null)), 1)))
        .contains(sent(client(CUT + 3), voted(CUT + 3, 0, Vote.COMMIT)));
    ExecutionId old = new ExecutionId(txn(CUT + 4), 0);
    assertThat(
            replica.claim(
                new Message.Register(old, List.of(b), List.of(new KeyRange(key("a"), null)), 0)))
        .contains(sent(client(CUT + 4), voted(CUT + 4, 0, tentative(Reason.SEALED))));
  }

  @Test
  void aPartitionThatIsNotKnownYetIsAReasonToTryAgain() {
    assertRefused(prepare(20, 0).reads("b", INITIAL).at(0, 1).message(), Refusal.SEALED);
  }

  @Test
  void theRecordSaysWhatIsDecidedAndEverybodyIsTold() {
    MapRecord proposed = MapRecord.first(FIRST).proposed(NEXT);
    write(50, proposed);
    assertThat(replica.replica.maps().last()).isEqualTo(FIRST);
    assertThat(replica.lastStep).noneMatch(e -> e instanceof Sent(var _, Maps _));
    write(60, proposed.withDecision());
    assertThat(replica.replica.maps().last()).isEqualTo(NEXT);
    assertThat(replica.replica.maps().isComplete()).isFalse();
    assertThat(replica.log).contains(new LogRecord.MapsKnown(List.of(FIRST, NEXT), 0, 0));
  }

  @Test
  void theRecordOfAMapLiesUnderThatMapAtAnyTimestamp() {
    sealed();
    MapRecord proposed = MapRecord.first(FIRST).proposed(NEXT);
    write(CUT + 5, proposed);
    write(CUT + 6, proposed.withDecision());
    assertThat(replica.replica.maps().last()).isEqualTo(NEXT);
  }

  @Test
  void aChangeThatIsGivenUpReleasesTheSeal() {
    sealed();
    MapRecord proposed = MapRecord.first(FIRST).proposed(NEXT);
    write(50, proposed);
    assertRefused(prepare(CUT + 1, 0).writes("a", 1, "x").message(), Refusal.SEALED);
    write(60, proposed.opened());
    assertVote(CUT + 2, "a", Vote.COMMIT);
  }

  private void write(long t, MapRecord record) {
    Key name = MapRecord.key(0);
    replica.receive(
        new Message.Prepare(
            new ExecutionId(txn(t), 0),
            List.of(),
            List.of(new Write(name, 1, record.toValue())),
            List.of(0)));
    replica.receive(commit(t, 0));
  }

  @Test
  void aReplicaThatJoinsTakesOverSealsAndMapsAndAcknowledgesNothingBelowItsFence() {
    ReplicaDriver joiner = new ReplicaDriver(OPTIONS);
    joiner.replica.join(2, false);
    joiner.tickAfter(0);
    TxnId fence = new TxnId(joiner.nowMicros + SKEW, Long.MAX_VALUE, 0);
    MapKnowledge known = new MapKnowledge(List.of(FIRST), 0, NEXT);
    joiner.receive(
        replica(1), new TruncateReply(fence, TxnId.INITIAL, List.of(), known, TxnId.INITIAL, 0));
    assertThat(joiner.log).contains(new LogRecord.Sealed(NEXT, false));
    ReplicaDriver other = new ReplicaDriver(OPTIONS);
    other.replica.join(2, false);
    other.tickAfter(0);
    other.receive(
        replica(1),
        new TruncateReply(
            fence,
            TxnId.INITIAL,
            List.of(),
            new MapKnowledge(List.of(FIRST, NEXT), 1, null),
            TxnId.INITIAL,
            0));
    assertThat(other.replica.maps().last()).isEqualTo(NEXT);
  }

  @Test
  void anAnswerToAJoiningReplicaHasTheSeal() {
    sealed();
    replica.receive(
        new ReplicaId(0, 1),
        new Message.TruncatePrepare(
            new TxnId(replica.nowMicros + SKEW, Long.MAX_VALUE, 0), replica.nowMicros));
    assertThat(replica.last(TruncateReply.class).maps())
        .isEqualTo(new MapKnowledge(List.of(FIRST), 0, NEXT));
  }

  /** They may be long, and another message of the round may come too late to be counted. */
  @Test
  void onlyAnAnswerThatLeavesNothingOutHasTheMaps() {
    ReplicaDriver small = new ReplicaDriver(OPTIONS.withNamedBytes(256));
    small.receive(replica(1), new Maps(TxnId.INITIAL, List.of(NEXT), 0));
    for (int i = 0; i < 100; i++) {
      small.receive(prepare(small.nowMicros - 200 + i, 0).writes("b" + i, 1, "x").message());
    }
    TxnId fence = new TxnId(small.nowMicros + SKEW, Long.MAX_VALUE, 0);
    TxnId base = TxnId.INITIAL;
    ArrayList<Boolean> maps = new ArrayList<>();
    while (base.isBefore(fence)) {
      small.receive(new ReplicaId(0, 1), new Message.TruncatePrepare(base, fence, small.nowMicros));
      TruncateReply reply = small.last(TruncateReply.class);
      maps.add(reply.maps() != null);
      base = reply.upTo();
    }
    assertThat(maps).hasSizeGreaterThan(1).endsWith(true);
    assertThat(maps.subList(0, maps.size() - 1)).doesNotContain(true);
  }

  @Test
  void anAnswerToARoundTellsOfChangesUpToTheWatermark() {
    sealed();
    replica.nowMicros = CUT + 100 + OPTIONS.watermarkLagMicros();
    replica.receive(replica(0), new Message.TruncatePrepare(txn(CUT - 1), 0));
    assertThat(replica.last(TruncateReply.class).change()).isZero();
    replica.receive(replica(0), new Message.TruncatePrepare(txn(CUT + 50), 0));
    assertThat(replica.last(TruncateReply.class).change()).isEqualTo(1);
    replica.receive(replica(1), decided());
    replica.receive(replica(0), new Message.TruncatePrepare(txn(CUT + 60), 0));
    assertThat(replica.last(TruncateReply.class).change()).isEqualTo(1);
  }

  /** Both keys have a value below the cut, and the watermark is above it. */
  private void reachedAboveTheCut(int change) {
    replica.receive(prepare(CUT - 9, 0).writes("a", 1, "x").message());
    replica.receive(commit(CUT - 9, 0));
    replica.receive(prepare(CUT - 8, 0).writes("b", 1, "y").message());
    replica.receive(commit(CUT - 8, 0));
    replica.nowMicros = CUT + 100 + OPTIONS.watermarkLagMicros();
    TxnId watermark = new TxnId(CUT + 50, Long.MAX_VALUE, 0);
    replica.receive(
        replica(0), new Message.TruncateCommit(TxnId.INITIAL, watermark, List.of(), change));
    assertThat(replica.replica.census().watermarkMicros()).isEqualTo(CUT + 50);
  }

  private Effect readPast(String... keys) {
    return replica
        .receive(
            new Message.ReadPast(
                txn(replica.nowMicros),
                1,
                Message.PastLevel.AT,
                txn(CUT + 20),
                Stream.of(keys).map(Make::key).toList()))
        .getFirst();
  }

  private List<Effect> scanPast(int map) {
    return replica.receive(
        new Message.ScanPast(
            txn(replica.nowMicros), 1, Message.PastLevel.AT, txn(CUT + 20), KeyRange.ALL, 10, map));
  }

  private static Message.PastReply past(Effect effect) {
    return (Message.PastReply) ((Sent) effect).message();
  }

  @Test
  void thePastIsReadOnceAllChangesUpToThePlaceAreKnown() {
    replica.nowMicros = CUT;
    reachedAboveTheCut(1);
    assertThat(past(readPast("b")).state()).isEqualTo(Message.PastState.BEHIND);
    assertThat(past(scanPast(1).getFirst()).state()).isEqualTo(Message.PastState.BEHIND);
    replica.receive(replica(1), new Maps(TxnId.INITIAL, List.of(NEXT), 1));
    assertThat(past(readPast("b")).rows()).hasSize(1);
    TxnId reader = txn(replica.nowMicros);
    assertThat(readPast("a", "b"))
        .isEqualTo(
            sent(client(replica.nowMicros), new Refused(reader, Refusal.MOVED, replica.nowMicros)));
    assertThat(scanPast(0).getFirst())
        .isEqualTo(
            sent(client(replica.nowMicros), new Refused(reader, Refusal.MOVED, replica.nowMicros)));
    assertThat(past(scanPast(1).getFirst()).rows())
        .extracting(VersionedValue::key)
        .containsExactly(key("b"));
  }

  @Test
  void aReplicaThatWasToldOfNoRoundSinceItsStartReadsNoPast() {
    replica.nowMicros = CUT;
    reachedAboveTheCut(0);
    assertThat(past(readPast("a", "b")).rows()).hasSize(2);
    ReplicaDriver restarted = replica.restarted(replica.log);
    restarted.nowMicros = replica.nowMicros;
    Effect asked =
        restarted
            .receive(
                new Message.ReadPast(
                    txn(replica.nowMicros),
                    1,
                    Message.PastLevel.AT,
                    txn(CUT + 20),
                    List.of(key("a"))))
            .getFirst();
    assertThat(past(asked).state()).isEqualTo(Message.PastState.BEHIND);
  }

  private Message.CutReply readCut(long micros) {
    TxnId cut = txn(micros);
    replica.receive(new Message.ReadCut(cut, KeyRange.ALL, 1_000));
    return replica.last(Message.CutReply.class);
  }

  @Test
  void aBackupIsReadOnceAllChangesUpToItsCutAreKnown() {
    replica.nowMicros = CUT;
    assertThat(readCut(CUT + 20).state()).isEqualTo(Message.CutState.HELD);
    reachedAboveTheCut(1);
    assertThat(readCut(CUT + 20).state()).isEqualTo(Message.CutState.HELD);
    replica.receive(replica(1), new Maps(TxnId.INITIAL, List.of(NEXT), 1));
    Message.CutReply reply = readCut(CUT + 20);
    assertThat(reply.state()).isEqualTo(Message.CutState.READ);
    assertThat(reply.map()).isEqualTo(1);
    assertThat(reply.rows()).extracting(VersionedValue::key).containsExactly(key("b"));
  }

  @Test
  void onlyTheCutOfADecidedMapMayBeFencedBeforeItsRetention() {
    Message.TruncatePrepare prepare = new Message.TruncatePrepare(NEXT.cut(), 0);
    sealed();
    replica.nowMicros = CUT + 10;
    assertThat(replica.receive(replica(1), prepare)).isEmpty();
    replica.receive(replica(1), decided());
    replica.receive(replica(1), prepare);
    assertThat(replica.replica.census().fenceMicros()).isEqualTo(CUT);
  }

  /** All buckets of partition 0 move to partition 2; partition 1 stays. */
  private static ClusterMap withoutZero() {
    ClusterMap two = ClusterMap.first(1, 2);
    Map<Integer, Integer> all = new HashMap<>();
    for (int bucket = 0; bucket < Bucket.COUNT; bucket++) {
      if (two.partitionOf(bucket) == 0) {
        all.put(bucket, 2);
      }
    }
    return two.moved(1, CUT, 1, Map.of(2, List.of("0", "1", "2")), all);
  }

  /**
   * An application that aborts may leave nothing at the home of its transaction. Once others know
   * the map, they decide that such a transaction has aborted.
   */
  @Test
  void aHomeThatLosesAllItsBucketsGivesNoVoteAboveTheCutThoughNothingIsThere() {
    ReplicaDriver home = oneOfTwo();
    home.nowMicros = CUT;
    assertThat(replies(home.receive(client(99), new Seal(CHANGE, withoutZero()))))
        .containsExactly(answer(1, true));
    assertThat(home.receive(prepare(CUT + 1, 0).at(0, 1).message()))
        .contains(sent(client(CUT + 1), voted(CUT + 1, 0, tentative(Reason.SEALED))));
    assertThat(home.receive(prepare(CUT, 0).at(0, 1).message()))
        .contains(sent(client(CUT), voted(CUT, 0, Vote.COMMIT)));
    ReplicaDriver told = oneOfTwo();
    told.receive(replica(1), new Maps(TxnId.INITIAL, List.of(withoutZero()), 0));
    assertThat(told.receive(prepare(CUT + 1, 0).at(0, 1).message()))
        .containsExactly(
            sent(client(CUT + 1), new Refused(txn(CUT + 1), Refusal.MOVED, told.nowMicros)),
            sent(client(CUT + 1), new Maps(txn(CUT + 1), List.of(withoutZero()), 0)));
  }

  @Test
  void aVoteOnNothingHindersTheSealOfAHomeThatLosesAllItsBuckets() {
    ReplicaDriver home = oneOfTwo();
    home.receive(prepare(CUT + 1, 0).at(0, 1).message());
    assertThat(replies(home.receive(client(99), new Seal(CHANGE, withoutZero()))))
        .containsExactly(answer(1, false));
    replica.nowMicros = CUT;
    replica.receive(prepare(CUT + 1, 0).message());
    assertThat(seal(NEXT)).as("it keeps some").containsExactly(answer(1, true));
  }

  /** No honest client reads a record together with something else. */
  @Test
  void aPartitionWithoutBucketsVotesOnRecordsAlone() {
    Map<Integer, Integer> all = new HashMap<>();
    for (int bucket = 0; bucket < Bucket.COUNT; bucket++) {
      all.put(bucket, 1);
    }
    ClusterMap emptied = FIRST.moved(1, CUT, 1, Map.of(1, List.of("0", "1", "2")), all);
    replica.nowMicros = CUT;
    replica.receive(replica(1), new Maps(TxnId.INITIAL, List.of(emptied), 0));
    List<Read> record = List.of(new Read(MapRecord.key(0), INITIAL));
    for (long t = CUT + 1; t < CUT + 3; t++) {
      List<Integer> participants = t == CUT + 1 ? List.of(0, 1) : List.of(0);
      Vote vote = t == CUT + 1 ? tentative(Reason.SEALED) : Vote.COMMIT;
      ExecutionId id = new ExecutionId(txn(t), 0);
      assertThat(replica.receive(new Message.Prepare(id, record, List.of(), participants)))
          .contains(sent(client(t), voted(t, 0, vote)));
    }
  }

  private static boolean beginsSomething(ReplicaDriver replica) {
    return IntStream.range(0, 200)
        .mapToObj(_ -> replica.tickAfter(OPTIONS.tickMicros()))
        .flatMap(List::stream)
        .anyMatch(effect -> effect instanceof Sent || effect instanceof Broadcast);
  }

  private static ReplicaDriver oneOfTwo() {
    ReplicaDriver driver =
        new ReplicaDriver(replica(0), new Topology(1, new int[2]), OPTIONS, ReplicaRules.SOUND);
    driver.nowMicros = CUT + 10;
    return driver;
  }

  /** The watermark is so far above the cut that no place at the cut is read any more. */
  private static void thePastIsOver(ReplicaDriver old) {
    old.nowMicros = CUT + SKEW + 2 * OPTIONS.historyMicros();
    old.truncate(CUT + OPTIONS.historyMicros() + 20);
    old.tickAfter(1);
    old.tickAfter(1);
  }

  @Test
  void aPartitionEndsOnceNothingNeedsIt() {
    ReplicaDriver old = oneOfTwo();
    old.receive(replica(1), new Maps(TxnId.INITIAL, List.of(withoutZero()), 0));
    old.receive(new ReplicaId(1, 0), new Message.Watermark(1, withoutZero().cut()));
    old.receive(replica(1), new Message.Watermark(0, withoutZero().cut()));
    thePastIsOver(old);
    assertThat(old.replica.hasEnded()).as("the change is not complete").isFalse();
    assertThat(beginsSomething(old)).isTrue();
    old.receive(replica(1), new Maps(TxnId.INITIAL, List.of(withoutZero()), 1));
    old.tickAfter(1);
    old.tickAfter(1);
    assertThat(old.replica.hasEnded()).isTrue();
    assertThat(beginsSomething(old)).isFalse();
    assertThat(old.receive(replica(2), new Message.AskMaps(TxnId.INITIAL, 0, 0)))
        .as("it still answers")
        .isNotEmpty();
  }

  @Test
  void aPartitionGoesOnWhileAnotherOneMayNeedItsOutcomes() {
    ReplicaDriver old = oneOfTwo();
    old.receive(replica(1), new Maps(TxnId.INITIAL, List.of(withoutZero()), 1));
    thePastIsOver(old);
    assertThat(old.replica.hasEnded()).isFalse();
    old.receive(new ReplicaId(1, 0), new Message.Watermark(1, withoutZero().cut()));
    old.tickAfter(1);
    assertThat(old.replica.hasEnded()).isTrue();
  }

  @Test
  void aPartitionGoesOnWhileItsPastIsRead() {
    ReplicaDriver old = oneOfTwo();
    old.receive(replica(1), new Maps(TxnId.INITIAL, List.of(withoutZero()), 1));
    old.receive(new ReplicaId(1, 0), new Message.Watermark(1, withoutZero().cut()));
    old.nowMicros = CUT + SKEW;
    old.truncate(CUT + 1);
    old.tickAfter(1);
    old.tickAfter(1);
    assertThat(old.replica.hasEnded()).isFalse();
    thePastIsOver(old);
    assertThat(old.replica.hasEnded()).isTrue();
  }

  /** Peers that have copied it have no past, so they end before it. Their servers may stop. */
  @Test
  void aReplicaWhoseRoundsFailForGoodEndsByItsClock() {
    ReplicaDriver old = oneOfTwo();
    old.receive(replica(1), new Maps(TxnId.INITIAL, List.of(withoutZero()), 1));
    old.receive(new ReplicaId(1, 0), new Message.Watermark(1, withoutZero().cut()));
    old.nowMicros = CUT + SKEW;
    old.truncate(CUT + 1);
    old.nowMicros = CUT + OPTIONS.historyMicros();
    old.tickAfter(1);
    assertThat(old.replica.hasEnded()).isFalse();
    old.nowMicros = CUT + OPTIONS.pruneMicros();
    old.tickAfter(1);
    assertThat(old.replica.hasEnded()).isTrue();
  }

  /** A backup may still read it. */
  @Test
  void aReplicaThatHoldsACutDoesNotEndByItsClock() {
    ReplicaDriver old = oneOfTwo();
    old.receive(replica(1), new Maps(TxnId.INITIAL, List.of(withoutZero()), 1));
    old.receive(new ReplicaId(1, 0), new Message.Watermark(1, withoutZero().cut()));
    old.nowMicros = CUT + SKEW;
    old.truncate(CUT + 1);
    old.nowMicros = CUT + OPTIONS.historyMicros();
    old.receive(new Message.ReadCut(txn(CUT + 10), KeyRange.ALL, 1_000));
    assertThat(old.last(Message.CutReply.class).state()).isEqualTo(Message.CutState.HELD);
    old.nowMicros = CUT + OPTIONS.pruneMicros();
    old.tickAfter(1); // its own partition does not count any more
    old.tickAfter(1);
    assertThat(old.replica.hasEnded()).isFalse();
    old.tickAfter(OPTIONS.holdMicros());
    old.tickAfter(1);
    assertThat(old.replica.hasEnded()).isTrue();
  }

  /** Its disk is lost, and its peers may have left the cluster. */
  @Test
  void aReplicaThatJoinsAPartitionThatHasEndedNeedNoLongerJoin() {
    ReplicaDriver lost = oneOfTwo();
    lost.replica.join(1, true);
    lost.tickAfter(1);
    lost.receive(new ReplicaId(1, 0), new Maps(TxnId.INITIAL, List.of(withoutZero()), 1));
    lost.tickAfter(1);
    assertThat(lost.replica.hasEnded()).isFalse();
    lost.receive(new ReplicaId(1, 0), new Message.Watermark(1, withoutZero().cut()));
    lost.tickAfter(1);
    assertThat(lost.replica.hasEnded()).isTrue();
    assertThat(lost.replica.isServing()).isFalse();
    assertThat(beginsSomething(lost)).isFalse();
  }

  /** A replica of partition 1, which stays; and a key that lies there. */
  private static ReplicaDriver bystander() {
    ReplicaDriver driver =
        new ReplicaDriver(
            new ReplicaId(1, 0), new Topology(1, new int[2]), OPTIONS, ReplicaRules.SOUND);
    driver.nowMicros = CUT + 10;
    return driver;
  }

  private static Key keyOfBystander() {
    ClusterMap two = ClusterMap.first(1, 2);
    return Stream.iterate(0, i -> i + 1)
        .map(i -> key("k" + i))
        .filter(key -> two.partitionOf(key) == 1)
        .findFirst()
        .orElseThrow();
  }

  private static Message.Prepare prepareAt(TxnId txn, Integer... participants) {
    Write write = new Write(keyOfBystander(), 1, Make.value("x"));
    return new Message.Prepare(
        new ExecutionId(txn, 0),
        List.of(),
        List.of(),
        List.of(write),
        List.of(participants),
        false);
  }

  /** A client with an old map; the servers of partition 0 may be gone. */
  @Test
  void aParticipantThatHasNoBucketsUnderTheMapIsRefusedWithTheMap() {
    ReplicaDriver bystander = bystander();
    bystander.receive(replica(1), new Maps(TxnId.INITIAL, List.of(withoutZero()), 1));
    TxnId stale = new TxnId(CUT + 1, CUT + 1, 1);
    assertThat(bystander.receive(client(CUT + 1), prepareAt(stale, 0, 1)))
        .contains(
            sent(client(CUT + 1), new Refused(stale, Refusal.MOVED, bystander.nowMicros)),
            sent(client(CUT + 1), new Maps(stale, List.of(withoutZero()), 1)));
    TxnId below = new TxnId(CUT - 1, CUT - 1, 1);
    assertThat(bystander.receive(client(CUT - 1), prepareAt(below, 0, 1)))
        .noneMatch(effect -> effect instanceof Sent(var _, Refused _));
    TxnId fresh = new TxnId(CUT + 2, CUT + 2, 1);
    assertThat(bystander.receive(client(CUT + 2), prepareAt(fresh, 1, 2)))
        .noneMatch(effect -> effect instanceof Sent(var _, Refused _));
  }

  /** Its client is dead, and so may be all servers of its home, which has sealed. */
  @Test
  void anOpenTransactionWhoseHomeHasNoBucketsUnderItsMapIsAborted() {
    ReplicaDriver bystander = bystander();
    TxnId stale = txn(CUT + 1);
    TxnId below = txn(CUT);
    bystander.receive(client(CUT + 1), prepareAt(stale, 0, 1));
    bystander.receive(client(CUT), prepareAt(below, 0, 1));
    bystander.receive(replica(1), new Maps(TxnId.INITIAL, List.of(withoutZero()), 1));
    for (int i = 0; i < 20; i++) {
      bystander.tickAfter(OPTIONS.inquireMicros());
    }
    assertThat(bystander.log)
        .contains(new LogRecord.Decided(stale, Outcome.ABORT))
        .doesNotContain(new LogRecord.Decided(below, Outcome.ABORT));
  }

  /** f+1 replicas have voted before they have heard of the map, and partition 0 has ended since. */
  @Test
  void aRecoveryDoesNotAskAParticipantThatHasNoBucketsUnderTheMap() {
    ReplicaDriver bystander = bystander();
    TxnId stale = new TxnId(CUT + 1, CUT + 1, 1);
    bystander.receive(client(CUT + 1), prepareAt(stale, 0, 1));
    bystander.receive(replica(1), new Maps(TxnId.INITIAL, List.of(withoutZero()), 1));
    Message.Recover recover = null;
    for (int i = 0; i < 20 && recover == null; i++) {
      for (Object effect : bystander.tickAfter(OPTIONS.inquireMicros())) {
        if (effect instanceof Sent(var _, Message.Recover sent)) {
          recover = sent;
        }
      }
    }
    assertThat(recover).isNotNull();
    Message.RecoverReply promise =
        new Message.RecoverReply(
            stale, recover.view(), new RecoverAnswer.Promised(null, 0, true, List.of(0, 1), false));
    List<Object> effects = new ArrayList<>();
    effects.addAll(bystander.receive(new ReplicaId(1, 0), promise));
    effects.addAll(bystander.receive(new ReplicaId(1, 1), promise));
    effects.addAll(bystander.receive(new ReplicaId(1, 2), promise));
    assertThat(effects)
        .contains(new Broadcast(1, new Message.Finalize(stale, recover.view(), Outcome.ABORT)))
        .noneMatch(effect -> effect instanceof Broadcast(int to, Message.Recover _) && to == 0);
  }

  /** Replicas refuse the round until they know the map: it must not wait for seconds then. */
  @Test
  void aRoundAtACutIsRepeatedSoon() {
    ReplicaDriver proposer =
        new ReplicaDriver(replica(0), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
    proposer.nowMicros = CUT + SKEW;
    proposer.receive(replica(1), new Maps(TxnId.INITIAL, List.of(NEXT), 0));
    int sent = 0;
    for (int i = 0; i < 60; i++) {
      sent +=
          (int)
              proposer.tickAfter(OPTIONS.tickMicros()).stream()
                  .filter(
                      effect ->
                          effect instanceof Sent(var to, Message.TruncatePrepare prepare)
                              && to.equals(replica(1))
                              && prepare.watermark().equals(NEXT.cut()))
                  .count();
    }
    assertThat(sent).as("within three seconds").isGreaterThanOrEqualTo(5);
  }

  /** What there is to name up to the cut may fill several messages. */
  @Test
  void aRoundAtACutGoesOnWhereTheAnswersEnd() {
    ReplicaDriver proposer =
        new ReplicaDriver(replica(0), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
    proposer.nowMicros = CUT + SKEW;
    proposer.receive(replica(1), new Maps(TxnId.INITIAL, List.of(NEXT), 0));
    proposer.tickAfter(OPTIONS.tickMicros());
    proposer.tickAfter(OPTIONS.tickMicros());
    assertThat(proposer.last(Message.TruncatePrepare.class).watermark()).isEqualTo(NEXT.cut());
    TxnId end = new TxnId(CUT - 20, Long.MAX_VALUE, 0);
    for (int i = 0; i < 2; i++) {
      proposer.receive(
          replica(1 - i),
          new TruncateReply(
              NEXT.cut(),
              TxnId.INITIAL,
              TxnId.INITIAL,
              i == 0 ? end : NEXT.cut(),
              List.of(),
              null,
              TxnId.INITIAL,
              1));
    }
    Message.TruncateCommit commit = proposer.last(Message.TruncateCommit.class);
    assertThat(commit.watermark()).isEqualTo(end);
    proposer.receive(replica(0), commit);
    proposer.receive(replica(0), new Message.TruncateAck(end));
    proposer.receive(replica(1), new Message.TruncateAck(end));
    proposer.tickAfter(OPTIONS.tickMicros());
    assertThat(proposer.last(Message.TruncatePrepare.class))
        .isEqualTo(new Message.TruncatePrepare(end, NEXT.cut(), 0));
  }

  /** How long after the cut a replica proposes the round at the cut, in microseconds. */
  private static long roundAtCutAfter(boolean open) {
    ReplicaDriver proposer =
        new ReplicaDriver(replica(0), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
    proposer.nowMicros = CUT - 10_000;
    proposer.tickAfter(1); // of the rounds before
    proposer.receive(replica(1), new Maps(TxnId.INITIAL, List.of(NEXT), 0));
    if (open) {
      proposer.receive(prepare(CUT - 5, 0).writes("b", 1, "y").message());
    }
    while (true) {
      boolean proposes =
          proposer.tickAfter(10_000).stream()
              .anyMatch(
                  effect ->
                      effect instanceof Sent(var _, Message.TruncatePrepare prepare)
                          && prepare.watermark().equals(NEXT.cut()));
      if (proposes) {
        return proposer.nowMicros - CUT;
      }
      assertThat(proposer.nowMicros).isLessThan(CUT + 10 * SKEW);
    }
  }

  /** Everybody waits for it. */
  @Test
  void theRoundAtACutWaitsOnlyForTransactionsThatAreOpen() {
    assertThat(roundAtCutAfter(false)).isBetween(SKEW / 16, SKEW / 8);
    assertThat(roundAtCutAfter(true)).isBetween(SKEW / 2, SKEW / 2 + 60_000);
  }

  /** All keys have a value, and those of the bucket of "a", the last one too, have moved away. */
  private void movedAway(int closed, long watermarkMicros) {
    replica.receive(prepare(50, 0).writes("a", 1, "x").message());
    replica.receive(commit(50, 0));
    replica.receive(prepare(51, 0).writes("b", 1, "y").message());
    replica.receive(commit(51, 0));
    replica.receive(prepare(52, 0).writes(LIKE_A, 1, "z").message());
    replica.receive(commit(52, 0));
    sealed();
    replica.nowMicros = CUT + 10;
    replica.receive(replica(1), new Maps(TxnId.INITIAL, List.of(NEXT), closed));
    replica.nowMicros = Math.max(CUT + 10, watermarkMicros + OPTIONS.retentionMicros());
    replica.truncate(watermarkMicros);
    replica.tickAfter(1);
    replica.tickAfter(OPTIONS.retentionMicros() + 1);
  }

  private boolean has(String name) {
    return replica.replica.newestCommitted(key(name)) != null;
  }

  @Test
  void keysThatHaveMovedAwayAreForgottenOnceOthersHoldThem() {
    movedAway(1, CUT + 20);
    assertThat(has("a")).as("reads of the past find it here").isTrue();
    historyPasses();
    assertThat(has("a")).isFalse();
    assertThat(has("b")).isTrue();
    assertThat(has(LIKE_A)).isFalse();
    assertThat(replica.log)
        .contains(new LogRecord.Erased(NEXT.cut(), List.of(key("a"), key(LIKE_A))));
    assertThat(replica.replica.census().keys()).isEqualTo(1);
    ReplicaDriver again = replica.restarted(List.copyOf(replica.log));
    assertThat(again.replica.newestCommitted(key("a"))).isNull();
    assertThat(again.replica.newestCommitted(key("b"))).isNotNull();
  }

  /** So much time passes that nobody reads what was before the cut. */
  private void historyPasses() {
    long later = CUT + 20 + OPTIONS.historyMicros();
    replica.nowMicros = later + OPTIONS.retentionMicros();
    replica.truncate(later);
    for (int i = 0; i < 4; i++) {
      replica.tickAfter(OPTIONS.retentionMicros() + 1);
    }
  }

  @Test
  void keysThatMoveStayUntilTheChangeIsComplete() {
    movedAway(0, CUT + 20);
    historyPasses();
    assertThat(has("a")).isTrue();
    replica.receive(replica(1), new Maps(TxnId.INITIAL, List.of(NEXT), 1));
    for (int i = 0; i < 4; i++) {
      replica.tickAfter(OPTIONS.retentionMicros() + 1);
    }
    assertThat(has("a")).isFalse();
  }

  @Test
  void keysThatHaveMovedAwayStayUntilTheWatermarkHasReachedTheCut() {
    movedAway(1, CUT - 1);
    assertThat(has("a")).isTrue();
  }

  @Test
  void theRecordOfAMapStaysWhereItIs() {
    Key record = MapRecord.key(0);
    ClusterMap all =
        FIRST.moved(1, CUT, 1, Map.of(1, List.of("0", "1", "2")), Map.of(Bucket.of(record), 1));
    write(50, MapRecord.first(FIRST).proposed(all));
    replica.nowMicros = CUT + 20 + OPTIONS.retentionMicros();
    replica.receive(replica(1), new Maps(TxnId.INITIAL, List.of(all), 1));
    replica.truncate(CUT + 20);
    replica.tickAfter(1);
    historyPasses();
    assertThat(replica.replica.newestCommitted(record)).isNotNull();
  }

  @Test
  void allMapsAreToldToWhoeverAsks() {
    sealed();
    replica.receive(replica(1), decided());
    replica.receive(replica(2), new Message.AskMaps(TxnId.INITIAL, 0, 0));
    assertThat(replica.last(Maps.class)).isEqualTo(decided());
    assertThat(replica.receive(replica(2), new Message.AskMaps(TxnId.INITIAL, 1, 0))).isEmpty();
  }

  @Test
  void aSealStaysWhileItIsNotKnownHowTheChangeHasEnded() {
    sealed();
    ClusterMap third =
        NEXT.moved(
            2, CUT + 1_000, 1, Map.of(2, List.of("0", "1", "2")), Map.of(Bucket.of(key("b")), 2));
    replica.receive(replica(1), new Maps(TxnId.INITIAL, List.of(third), 1)); // the second is lost
    replica.receive(replica(1), new Maps(TxnId.INITIAL, List.of(), 1));
    assertRefused(prepare(CUT + 1, 0).writes("a", 1, "x").message(), Refusal.SEALED);
  }

  @Test
  void mapsThatDoNotFollowAreIgnored() {
    HashMap<Integer, Integer> all = new HashMap<>();
    for (int bucket = 0; bucket < Bucket.COUNT; bucket++) {
      all.put(bucket, 2);
    }
    ClusterMap later = NEXT.moved(2, CUT + 1, 1, Map.of(2, List.of("0", "1", "2")), all);
    replica.receive(replica(1), new Maps(TxnId.INITIAL, List.of(later), 2));
    assertThat(replica.replica.maps().last()).isEqualTo(FIRST);
    assertThat(replica.replica.maps().closed()).isZero();
  }

  /** What it has dropped must not be taken for all that there is. */
  @Test
  void keysOfAnEndedChangeAreHandedOverNoMoreWhileTheNextChangeIsUnderWay() {
    ClusterMap third =
        NEXT.moved(
            2, CUT + 1, 1, Map.of(2, List.of("0", "1", "2")), Map.of(Bucket.of(key("b")), 2));
    MapHistory underWay = new MapHistory(List.of(FIRST, NEXT, third), 0);
    assertThat(known(underWay).handingTo(1)).isEqualTo(NEXT);
    KnownMaps ended = known(underWay.closedTo(1));
    assertThat(ended.dropped()).isEqualTo(1);
    assertThat(ended.handingTo(1)).isNull();
    assertThat(ended.handingTo(2)).isEqualTo(third);
  }

  private static KnownMaps known(MapHistory history) {
    return new KnownMaps(new ReplicaId(0, 0), history, null, true);
  }

  @Test
  void aReplicaOfAClusterWhoseMapMayNotChangeSaysNothingAndSealsNothing() {
    ReplicaDriver fixed = new ReplicaDriver();
    assertThat(fixed.receive(client(99), new Seal(CHANGE, NEXT))).contains(answer(1, false));
    assertThat(fixed.log).noneMatch(LogRecord.Sealed.class::isInstance);
    fixed.receive(replica(1), decided());
    assertThat(fixed.replica.maps().last()).isEqualTo(FIRST);
    for (int tick = 0; tick < 100; tick++) {
      assertThat(fixed.tickAfter(OPTIONS.inquireMicros()))
          .noneMatch(effect -> effect instanceof Sent(var _, Message.AskMaps _));
    }
    ReplicaDriver open = new ReplicaDriver(OPTIONS);
    boolean asks = false;
    for (int tick = 0; tick < 100; tick++) {
      asks |=
          open.tickAfter(OPTIONS.inquireMicros()).stream()
              .anyMatch(effect -> effect instanceof Sent(var _, Message.AskMaps _));
    }
    assertThat(asks).isTrue();
  }
}
