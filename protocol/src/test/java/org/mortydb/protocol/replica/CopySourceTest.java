package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.copy;
import static org.mortydb.protocol.testing.Make.copyReply;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.value;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.CheckPartition;
import org.mortydb.protocol.message.Message.CopiedVersion;
import org.mortydb.protocol.message.Message.Copy;
import org.mortydb.protocol.message.Message.CopyOutcomes;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.Fetch;
import org.mortydb.protocol.message.Message.Maps;
import org.mortydb.protocol.message.Message.NotHeld;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/** What a replica gives to a peer that copies it, part by part (docs/protocol.md, section 6). */
class CopySourceTest {
  private static final List<String> NAMES = List.of("a", "b", "c", "d", "e", "f");

  private static final long RETENTION = ReplicaOptions.DEFAULTS.retentionMicros();

  private final long t = ReplicaDriver.START_MICROS;
  private final ReplicaDriver joiner = new ReplicaDriver();
  private ReplicaDriver source =
      new ReplicaDriver(
          replica(1),
          new Topology(1, 0),
          ReplicaOptions.DEFAULTS.withCopiedVersions(1),
          ReplicaRules.SOUND);

  @BeforeEach
  void install() {
    for (int i = 0; i < NAMES.size(); i++) {
      source.receive(prepare(t + i, 0).writes(NAMES.get(i), 1, "v").message());
      source.receive(commit(t + i, 0));
    }
    source.truncate(t + 10);
    joiner.receive(replica(1), new Behind(watermark(t + 10), watermark(t + 10)));
  }

  private void delete(long writer, String name) {
    source.receive(prepare(writer, 0).deletes(name, 1).message());
    source.receive(commit(writer, 0));
  }

  /** The source in another life: keys are restored in any order, here in the opposite one. */
  private void restart() {
    List<LogRecord> records = new ArrayList<>();
    source.replica.copyRecords(Replica.NO_LOG, records::add);
    List<LogRecord> versions = new ArrayList<>();
    source.replica.copyVersions(0, Integer.MAX_VALUE, versions::add);
    Collections.reverse(versions);
    records.addAll(0, versions);
    source = source.restarted(records);
  }

  private <M extends Message> M answer(Message question, Class<M> type) {
    source.receive(replica(0), question);
    return source.last(type);
  }

  /** The joiner asks for all parts that are left, one after the other. */
  private void copyTheRest(Copy first) {
    Copy next = first;
    for (int part = 0; part < NAMES.size(); part++) {
      CopyReply reply = answer(next, CopyReply.class);
      joiner.receive(replica(1), reply);
      if (joiner.lastStep.toString().contains("CopyOutcomes")) {
        break;
      }
      next = joiner.last(Copy.class);
    }
    joiner.receive(replica(1), answer(joiner.last(CopyOutcomes.class), CopyOutcomesReply.class));
    assertThat(joiner.replica.census().watermarkMicros()).isEqualTo(t + 10);
  }

  private void assertThatTheJoinerHasAllKeys() {
    assertThat(NAMES)
        .allSatisfy(name -> assertThat(joiner.replica.newestCommitted(key(name))).isNotNull());
  }

  /** The receiver may lack what they are made of. */
  @Test
  void mergesBelowTheWatermarkAreCopiedAsTheValuesThatTheyMake() {
    for (long writer : List.of(t + 20, t + 21, t + 40, t + 41)) {
      source.receive(prepare(writer, 0).merges("m", 1, Merge.add(3)).message());
      source.receive(commit(writer, 0));
    }
    source.nowMicros += RETENTION;
    source.truncate(t + 30);
    CopyReply reply = answer(copy(watermark(t + 10)), CopyReply.class);
    assertThat(reply.versions())
        .extracting(Message.CopiedVersion::value)
        .containsExactly(Merge.apply(Value.ABSENT, Merge.add(6)), Merge.add(3));
  }

  @Test
  void allPartsHaveAllKeys() {
    copyTheRest(joiner.last(Copy.class));
    assertThatTheJoinerHasAllKeys();
  }

  /**
   * The restarted source has the keys in other slots, and a duplicate has told it of the joiner.
   */
  @Test
  void allPartsHaveAllKeysAlthoughTheSourceRestartsInBetween() {
    Copy first = joiner.last(Copy.class);
    joiner.receive(replica(1), answer(first, CopyReply.class));
    Copy second = joiner.last(Copy.class);
    restart();
    answer(first, CopyReply.class);
    copyTheRest(second);
    assertThatTheJoinerHasAllKeys();
  }

  /** The source has not heard of the copy since it restarted, so it has kept no deletion for it. */
  @Test
  void aCopyBeginsAgainIfTheSourceHasDroppedDeletionsThatItNeeds() {
    joiner.receive(replica(1), answer(joiner.last(Copy.class), CopyReply.class));
    Copy second = joiner.last(Copy.class);
    restart();
    delete(t + 11, "c");
    source.nowMicros += 3 * RETENTION;
    source.truncate(source.nowMicros - RETENTION);
    source.tickAfter(0);
    assertThat(source.replica.census().keys()).isEqualTo(NAMES.size() - 1);
    joiner.marks();
    joiner.nowMicros = source.nowMicros;
    joiner.receive(replica(1), answer(second, CopyReply.class));
    assertThat(joiner.marks()).contains(Branch.COPIED_AGAIN);
    assertThat(joiner.lastStep).contains(sent(replica(1), copy(TxnId.INITIAL)));
    joiner.receive(replica(1), answer(copy(TxnId.INITIAL), CopyReply.class));
    assertThat(joiner.last(Copy.class).from()).isEqualTo(key("b"));
  }

  /** Also those that the source knew before it was asked for the part. */
  @Test
  void aLaterPartMakesTheSourceKeepDeletionsAboveTheWatermarkOfTheFirst() {
    joiner.receive(replica(1), answer(joiner.last(Copy.class), CopyReply.class));
    restart();
    delete(t + 11, "c");
    source.truncate(t + 12);
    for (int i = 1; i < 5; i++) {
      answer(joiner.last(Copy.class), CopyReply.class);
      source.nowMicros += RETENTION;
      source.truncate(source.nowMicros - RETENTION + i);
      source.tickAfter(0);
      assertThat(source.replica.census().keys()).isEqualTo(NAMES.size());
    }
  }

  /** Its own copy was at its end: it has erased keys, and does not know the new watermark. */
  @Test
  void aPeerThatHasErasedKeysAboveItsWatermarkIsNotCopied() {
    TxnId reached = watermark(t + 10);
    joiner.receive(replica(1), copyReply(TxnId.INITIAL, "", null, reached, watermark(t + 11)));
    assertThat(joiner.lastStep).containsExactly(sent(replica(2), copy(TxnId.INITIAL)));
  }

  /**
   * It has died at the end of its own copy, and the log has the outcomes that it copied, but not
   * the new watermark. It lacks versions between that watermark and the old one.
   */
  private void dieAtTheEndOfACopy(TxnId reached) {
    source.receive(replica(2), new Behind(reached, reached));
    Copy ask = source.last(Copy.class);
    source.receive(
        replica(2),
        copyReply(
            ask.since(),
            "",
            null,
            reached,
            TxnId.INITIAL,
            new CopiedVersion(key("a"), version(t + 55, 1), value("w"), TxnId.INITIAL)));
    source.receive(
        replica(2),
        new CopyOutcomesReply(
            ask.since(),
            TxnId.INITIAL,
            reached,
            TxnId.INITIAL,
            List.of(
                new Standing(txn(t + 20), committing(0)),
                new Standing(txn(t + 55), committing(0)))));
    assertThat(source.replica.census().watermarkMicros()).isEqualTo(t + 60);
    assertThat(source.log.removeLast()).isInstanceOf(LogRecord.Truncated.class);
    source = source.restarted(source.log);
    source.truncate(t + 30);
    assertThat(source.replica.census().watermarkMicros()).isEqualTo(t + 30);
  }

  /** Its checkpoint may have left out executions. So it says nothing of what it holds. */
  @Test
  void aPeerWhoseCopyIsAboveItsWatermarkDoesNotSayThatThereIsNoSuchExecution() {
    dieAtTheEndOfACopy(watermark(t + 60));
    assertThat(source.receive(replica(2), new Fetch(execution(t + 55, 0)))).isEmpty();
    assertThat(source.receive(replica(2), new Fetch(execution(t + 70, 0))))
        .containsExactly(sent(replica(2), new NotHeld(execution(t + 70, 0))));
    source.truncate(t + 60);
    source.receive(replica(2), new Fetch(execution(t + 55, 0)));
    assertThat(source.lastStep.toString()).contains("Behind");
  }

  @Test
  void aPeerWhoseCopyIsAboveItsWatermarkHasReachedNothing() {
    TxnId reached = watermark(t + 60);
    dieAtTheEndOfACopy(reached);
    CopyReply reply = answer(copy(TxnId.INITIAL), CopyReply.class);
    assertThat(reply.watermark()).isEqualTo(TxnId.INITIAL);
    assertThat(reply.versions()).isEmpty();
    source.truncate(t + 60);
    assertThat(answer(copy(TxnId.INITIAL), CopyReply.class).watermark()).isEqualTo(reached);
  }

  @Test
  void aPartWhoseNextOneIsNotAboveItIsIgnored() {
    TxnId reached = watermark(t + 10);
    joiner.receive(replica(1), copyReply(TxnId.INITIAL, "", "", reached, TxnId.INITIAL));
    assertThat(joiner.lastStep).isEmpty();
    joiner.receive(replica(1), copyReply(TxnId.INITIAL, "", "m", reached, TxnId.INITIAL));
    joiner.receive(replica(1), copyReply(TxnId.INITIAL, "m", "m", reached, TxnId.INITIAL));
    assertThat(joiner.lastStep).isEmpty();
  }

  /** A part of changes may have no versions, and must not look at all keys. */
  @Test
  void aPartExaminesABoundedNumberOfKeys() {
    for (int i = 11; i < 21; i++) {
      source.receive(prepare(t + i, 0).writes("k" + i, 1, "v").message());
      source.receive(commit(t + i, 0));
    }
    CopyReply reply = answer(copy(watermark(t + 50)), CopyReply.class);
    assertThat(reply.versions()).isEmpty();
    assertThat(reply.examined()).isEqualTo(8);
    assertThat(reply.next()).isEqualTo(key("k13"));
    assertThat(reply.keys()).isEqualTo(16);
    reply = answer(copy(watermark(t + 50), "k13", watermark(t + 60)), CopyReply.class);
    assertThat(reply.examined()).isEqualTo(8);
    assertThat(reply.next()).isNull();
  }

  @Test
  void theShareOfTheKeysIsTheProgress() {
    assertThat(joiner.replica.census().copied()).isZero();
    joiner.receive(replica(1), answer(joiner.last(Copy.class), CopyReply.class));
    assertThat(joiner.replica.census().copied()).isEqualTo(1.0 / 6);
    joiner.receive(replica(1), answer(joiner.last(Copy.class), CopyReply.class));
    assertThat(joiner.replica.census().copied()).isEqualTo(2.0 / 6);
  }

  /** Otherwise the replica that asks waits for an answer that does not come. */
  @Test
  void aPeerThatJoinsHasReachedNothingSoTheNextOneIsAsked() {
    ReplicaDriver joins =
        new ReplicaDriver(
            replica(1), new Topology(1, 0), ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
    joins.replica.join(5, false);
    Copy first = joiner.last(Copy.class);
    joins.receive(replica(0), first);
    CopyReply nothing = joins.last(CopyReply.class);
    assertThat(nothing.watermark()).isEqualTo(TxnId.INITIAL);
    assertThat(nothing.versions()).isEmpty();
    assertThat(joiner.receive(replica(1), nothing)).containsExactly(sent(replica(2), first));
  }

  /**
   * Where a disk takes longer than a copy waits, each copy would be given up before its first part
   * arrives, and a replica would join for ever.
   */
  @Test
  void thePatienceDoublesWithEachPeerThatStaysSilentAndFallsWithAnAnswer() {
    Copy first = joiner.last(Copy.class);
    assertThat(ticksUntil(sent(replica(2), first))).isEqualTo(4);
    assertThat(ticksUntil(null)).as("all are silent, so it gives up").isEqualTo(7);
    joiner.receive(replica(1), new Behind(watermark(t + 10), watermark(t + 10)));
    joiner.receive(replica(1), answer(joiner.last(Copy.class), CopyReply.class));
    assertThat(ticksUntil(sent(replica(2), first))).as("twice as long again").isEqualTo(13);
    assertThat(ticksUntil(null)).as("one has answered in between").isEqualTo(7);
  }

  /** How many times the joiner waits for an answer, until it sends something; null for nothing. */
  private int ticksUntil(@Nullable Object expected) {
    for (int ticks = 1; ticks < 100; ticks++) {
      List<?> effects = joiner.tickAfter(ReplicaOptions.DEFAULTS.inquireMicros());
      boolean copies = effects.toString().contains("Copy[");
      if (expected == null ? !copies : effects.contains(expected)) {
        return ticks;
      }
    }
    throw new AssertionError("it waits for ever");
  }

  @Test
  void aPeerThatJoinsTellsNewPartitionsNothing() {
    ReplicaDriver joins =
        new ReplicaDriver(
            replica(1), new Topology(1, 0), ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
    joins.replica.join(5, false);
    ReplicaId other = new ReplicaId(1, 0);
    assertThat(joins.receive(other, joiner.last(Copy.class))).isEmpty();
  }

  // ---- a new partition ----------------------------------------------------------------------

  private static final ReplicaId NEW = new ReplicaId(1, 0);

  /** "a" moves to a new partition, at a cut that is far ahead. */
  private ClusterMap proposed(long cutMicros) {
    return ClusterMap.first(1, 1)
        .moved(1, cutMicros, 1, Map.of(1, List.of("0", "1", "2")), Map.of(Bucket.of(key("a")), 1));
  }

  private void changing() {
    source =
        new ReplicaDriver(
            replica(1),
            new Topology(1, 0),
            ReplicaOptions.DEFAULTS.withMapChanges(),
            ReplicaRules.SOUND);
    install();
  }

  private List<CopyReply> copied(TxnId since, TxnId upTo) {
    return source.receive(NEW, new Copy(since, KeyRange.ALL.from(), upTo)).stream()
        .filter(effect -> effect instanceof Sent(ReplicaId to, CopyReply _) && to.equals(NEW))
        .map(effect -> (CopyReply) ((Sent) effect).message())
        .toList();
  }

  @Test
  void whatWillMoveIsCopiedAheadOfTheCut() {
    changing();
    ClusterMap map = proposed(t + 60_000_000);
    assertThat(copied(TxnId.INITIAL, TxnId.INITIAL)).as("nobody has proposed it").isEmpty();
    source.receive(new ClientId(9), new CheckPartition(new TxnId(t, 9, 0), map));
    CopyReply ahead = copied(TxnId.INITIAL, TxnId.INITIAL).getFirst();
    assertThat(ahead.watermark()).isEqualTo(watermark(t + 10));
    assertThat(ahead.versions()).extracting(one -> one.key()).containsExactly(key("a"));
    assertThat(copied(TxnId.INITIAL, map.cut()))
        .as("this replica has not reached the cut")
        .allSatisfy(reply -> assertThat(reply.watermark()).isEqualTo(TxnId.INITIAL));
    delete(t + 20, "a");
    source.truncate(t + 30);
    CopyReply changes = copied(ahead.watermark(), TxnId.INITIAL).getFirst();
    assertThat(changes.versions()).singleElement().matches(one -> one.value().isAbsent());
    assertThat(changes.erased()).isLessThanOrEqualTo(ahead.watermark());
  }

  /** The next copy, of the changes, would lack them. */
  @Test
  void deletionsSinceACopyAheadOfTheCutStay() {
    changing();
    source.receive(
        new ClientId(9), new CheckPartition(new TxnId(t, 9, 0), proposed(t + 600_000_000)));
    TxnId since = copied(TxnId.INITIAL, TxnId.INITIAL).getFirst().watermark();
    delete(t + 20, "a");
    source.truncate(t + 30);
    for (int i = 1; i < 5; i++) {
      source.nowMicros += RETENTION;
      source.truncate(source.nowMicros - RETENTION + i);
      source.tickAfter(0);
      CopyReply changes = copied(since, TxnId.INITIAL).getFirst();
      assertThat(changes.erased()).isLessThanOrEqualTo(since);
      assertThat(changes.versions()).singleElement().matches(one -> one.value().isAbsent());
    }
  }

  @Test
  void aChangeThatWasGivenUpIsNotCopied() {
    changing();
    ClusterMap map = proposed(t + 60_000_000);
    source.receive(new ClientId(9), new CheckPartition(new TxnId(t, 9, 0), map));
    source.receive(replica(0), new Maps(TxnId.INITIAL, List.of(ClusterMap.first(1, 1)), 1));
    assertThat(copied(TxnId.INITIAL, TxnId.INITIAL)).isEmpty();
  }
}
