package org.mortydb.protocol.replica;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.version;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.PastLevel;
import org.mortydb.protocol.message.Message.PastReply;
import org.mortydb.protocol.message.Message.PastState;
import org.mortydb.protocol.message.Message.ReadPast;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.ScanPast;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.past.Places;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.Sent;
import org.mortydb.protocol.testing.Make;

/** What a replica tells of the past (docs/protocol.md, section 16). */
class ReplicaPastTest {
  private static final long RETENTION = 9_000_000;
  private static final long LAG = 1_000_000;
  private static final long TICK = 50_000;
  private static final ReplicaOptions OPTIONS =
      new ReplicaOptions(500_000, RETENTION, TICK, 60_000_000, 4).withWatermarkLagMicros(LAG);

  private final ReplicaDriver replica =
      new ReplicaDriver(replica(1), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
  private final long t = ReplicaDriver.START_MICROS;

  private void install(long at, String key, String value) {
    replica.receive(prepare(at, 0).writes(key, 1, value).message());
    replica.receive(commit(at, 0));
  }

  private void delete(long at, String key) {
    replica.receive(prepare(at, 0).deletes(key, 1).message());
    replica.receive(commit(at, 0));
  }

  /** The watermark is reached {@code LAG} after its time; what can be is forgotten. */
  private void reach(long watermark) {
    replica.nowMicros = Math.max(replica.nowMicros, watermark + LAG + TICK);
    replica.truncate(watermark);
    replica.reachedEverywhere(watermark);
    replica.tickAfter(0);
  }

  private static PastReply told(List<Effect> effects) {
    assertThat(effects).hasSize(1);
    return (PastReply) ((Sent) effects.getFirst()).message();
  }

  private ReadPast past(PastLevel level, TxnId place, String... keys) {
    return new ReadPast(reader(), 7, level, place, Stream.of(keys).map(Make::key).toList());
  }

  private PastReply read(PastLevel level, TxnId place, String... keys) {
    return told(replica.receive(past(level, place, keys)));
  }

  private PastReply readAt(long place, String... keys) {
    return read(PastLevel.AT, txn(place), keys);
  }

  private PastReply scan(PastLevel level, TxnId place, int limit) {
    return told(replica.receive(new ScanPast(reader(), 7, level, place, KeyRange.ALL, limit)));
  }

  private TxnId reader() {
    return txn(replica.nowMicros);
  }

  private static List<String> rows(PastReply reply) {
    assertThat(reply.state()).isEqualTo(PastState.READ);
    assertThat(reply.request()).isEqualTo(7);
    return reply.rows().stream()
        .map(
            row ->
                row.key()
                    + (row.value().isAbsent() ? "" : "=" + new String(row.value().bytes(), UTF_8)))
        .toList();
  }

  @Test
  void aPlaceIsReadOnceTheWatermarkIsThere() {
    install(t + 10, "a", "1");
    install(t + 20, "b", "2");
    assertThat(readAt(t + 30, "a", "b").state()).isEqualTo(PastState.BEHIND);
    reach(t + 100);
    assertThat(rows(readAt(t + 30, "a", "b", "c"))).containsExactly("a=1", "b=2", "c");
    assertThat(rows(readAt(t + 15, "a", "b"))).containsExactly("a=1", "b");
    assertThat(rows(readAt(t + 20, "b"))).as("what is at the place belongs to it").hasSize(1);
    assertThat(readAt(t + 101, "a").state()).isEqualTo(PastState.BEHIND);
  }

  /** The value at a merge lacks those below that have not committed here. The reader is told. */
  @Test
  void aLocalReadSaysWhatAValueIsMadeOf() {
    install(t + 10, "a", "12345678");
    replica.receive(prepare(t + 20, 0).merges("a", 1, Merge.max(1)).message());
    replica.receive(prepare(t + 30, 0).merges("a", 1, Merge.max(2)).message());
    replica.receive(commit(t + 30, 0));
    VersionedValue row = read(PastLevel.LOCAL, TxnId.INITIAL, "a").rows().getFirst();
    assertThat(row.version()).isEqualTo(version(t + 30, 1));
    assertThat(row.below()).containsExactly(version(t + 10, 1));
    replica.receive(commit(t + 20, 0));
    row = read(PastLevel.LOCAL, TxnId.INITIAL, "a").rows().getFirst();
    assertThat(row.below()).containsExactly(version(t + 10, 1), version(t + 20, 1));
    reach(t + 100);
    row = scan(PastLevel.LOCAL, TxnId.INITIAL, 9).rows().getFirst();
    assertThat(row.below()).as("nothing else commits below").isEmpty();
    assertThat(readAt(t + 25, "a").rows().getFirst().version()).isEqualTo(version(t + 20, 1));
  }

  /** A round that has fenced may still learn of commits. */
  @Test
  void aFenceIsNotEnough() {
    install(t + 10, "a", "1");
    replica.nowMicros = t + 100 + LAG + TICK;
    replica.fence(t + 100);
    assertThat(readAt(t + 30, "a").state()).isEqualTo(PastState.BEHIND);
  }

  @Test
  void theNewestPlaceIsTheWatermarkAndUniqueToTheReader() {
    install(t + 10, "a", "1");
    reach(t + 1_000);
    install(t + 2_000_000, "a", "2");
    PastReply reply = read(PastLevel.NEWEST, TxnId.INITIAL, "a");
    assertThat(rows(reply)).containsExactly("a=1");
    assertThat(reply.place()).isEqualTo(Places.of(reader(), reply.newest()));
    assertThat(reply.place().timeMicros()).isBetween(t + 999, t + 1_000);
  }

  @Test
  void theNewestPlaceIsOneThatTheOtherPartitionsHave() {
    ReplicaDriver one =
        new ReplicaDriver(replica(1), new Topology(1, 0, 0), OPTIONS, ReplicaRules.SOUND);
    one.nowMicros = t + 5_000_000;
    one.truncate(t + 1_000);
    one.truncate(t + 2_000);
    ReadPast ask = new ReadPast(txn(t + 4_000_000), 7, PastLevel.NEWEST, TxnId.INITIAL, keyAt(0));
    assertThat(told(one.receive(ask)).place().timeMicros())
        .as("nothing is known of the other partition")
        .isBetween(t + 1_999, t + 2_000);
    one.reachedEverywhere(t + 1_000);
    assertThat(told(one.receive(ask)).place().timeMicros()).isBetween(t + 999, t + 1_000);
  }

  private static List<Key> keyAt(int partition) {
    Topology topology = new Topology(1, 0, 0);
    return Stream.iterate(0, i -> i + 1)
        .map(i -> key("k" + i))
        .filter(key -> topology.partitionOf(key) == partition)
        .limit(1)
        .toList();
  }

  @Test
  void aNewestPlaceBelowTheLowestThatWillDoIsNotRead() {
    install(t + 10, "a", "1");
    reach(t + 1_000);
    assertThat(read(PastLevel.NEWEST, Places.from(t + 1_001), "a").state())
        .isEqualTo(PastState.BEHIND);
    assertThat(read(PastLevel.NEWEST, Places.from(t + 999), "a").state()).isEqualTo(PastState.READ);
  }

  @Test
  void theLocalLevelSeesWhatHasCommittedAboveTheWatermarkAndNothingElse() {
    install(t + 10, "a", "1");
    replica.receive(prepare(t + 20, 0).writes("a", 1, "voted on").message());
    install(t + 15, "b", "2");
    assertThat(rows(read(PastLevel.LOCAL, TxnId.INITIAL, "a", "b", "c")))
        .containsExactly("a=1", "b=2", "c");
    assertThat(rows(scan(PastLevel.LOCAL, TxnId.INITIAL, 10))).containsExactly("a=1", "b=2");
    replica.receive(commit(t + 20, 0));
    assertThat(rows(read(PastLevel.LOCAL, TxnId.INITIAL, "a"))).containsExactly("a=voted on");
  }

  /**
   * A session compares the watermark with what it has seen; while a replica copies, it has none.
   */
  @Test
  void aLocalAnswerNamesTheWatermarkAndTheReplicaLacksNothingBelow() {
    install(t + 10, "a", "1");
    reach(t + 1_000);
    install(t + 1_010, "a", "2");
    PastReply local = read(PastLevel.LOCAL, TxnId.INITIAL, "a", "b");
    assertThat(rows(local)).containsExactly("a=2", "b");
    assertThat(local.place()).isEqualTo(Make.watermark(t + 1_000));
    replica.receive(replica(2), new Behind(Make.watermark(t + 3_000), Make.watermark(t + 3_000)));
    assertThat(read(PastLevel.LOCAL, TxnId.INITIAL, "a").state()).isEqualTo(PastState.BEHIND);
    assertThat(scan(PastLevel.LOCAL, TxnId.INITIAL, 10).state()).isEqualTo(PastState.BEHIND);
  }

  @Test
  void historyIsKeptForAsLongAsWithADistantWatermark() {
    install(t + 10, "a", "old");
    install(t + 20, "a", "new");
    long history = OPTIONS.historyMicros();
    assertThat(history).isEqualTo(RETENTION + RETENTION / 3);
    for (long watermark = t + 500_000; watermark < t + 15 + history - LAG; watermark += 500_000) {
      reach(watermark);
    }
    assertThat(rows(readAt(t + 15, "a"))).containsExactly("a=old");
    reach(t + 20 + history);
    replica.tickAfter(RETENTION + TICK);
    assertThat(readAt(t + 15, "a").state()).isEqualTo(PastState.GONE);
  }

  @Test
  void aPlaceBelowTheFloorOfAKeyIsGoneForThatKeyAlone() {
    install(t + 4, "Other", "0");
    install(t + 5, "other", "1");
    for (int i = 1; i <= 10; i++) {
      install(t + 10L * i, "a", "v" + i); // more than are kept of a key
    }
    reach(t + 1_000);
    assertThat(readAt(t + 15, "a").state()).isEqualTo(PastState.GONE);
    assertThat(readAt(t + 15, "a", "other").rows()).isEmpty();
    PastReply behindAnother = readAt(t + 15, "Other", "a");
    assertThat(behindAnother.state()).isEqualTo(PastState.GONE);
    assertThat(behindAnother.rows()).isEmpty();
    assertThat(rows(readAt(t + 15, "other"))).containsExactly("other=1");
    assertThat(rows(readAt(t + 105, "a"))).containsExactly("a=v10");
    assertThat(scan(PastLevel.AT, txn(t + 15), 10).state()).isEqualTo(PastState.GONE);
    assertThat(scan(PastLevel.AT, txn(t + 15), 10).rows()).isEmpty();
  }

  @Test
  void scansShowDeletionsAndStopAtTheLimit() {
    install(t + 10, "a", "1");
    install(t + 11, "b", "2");
    delete(t + 12, "b");
    install(t + 13, "c", "3");
    install(t + 14, "d", "4");
    reach(t + 1_000);
    PastReply first = scan(PastLevel.AT, txn(t + 500), 2);
    assertThat(rows(first)).containsExactly("a=1", "b", "c=3");
    assertThat(first.next()).isEqualTo(key("d"));
    assertThat(rows(scan(PastLevel.AT, txn(t + 10), 2))).containsExactly("a=1");
    assertThat(scan(PastLevel.AT, txn(t + 500), 10).next()).isNull();
  }

  @Test
  void aReplicaThatCopiesAPeerIsBehind() {
    install(t + 10, "a", "1");
    reach(t + 1_000);
    replica.receive(replica(2), new Behind(Make.watermark(t + 3_000), Make.watermark(t + 3_000)));
    assertThat(readAt(t + 500, "a").state()).isEqualTo(PastState.BEHIND);
    assertThat(read(PastLevel.NEWEST, TxnId.INITIAL, "a").state()).isEqualTo(PastState.BEHIND);
  }

  /**
   * The end of a copy erases what its peer has deleted, and then takes the peer's watermark. This
   * replica has crashed in between.
   */
  @Test
  void whatACopyHasErasedIsNotReadAtALowerWatermark() {
    install(t + 10, "a", "1");
    reach(t + 1_000);
    List<LogRecord> log = new ArrayList<>(replica.log);
    log.add(new LogRecord.Fenced(Make.watermark(t + 3_000)));
    log.add(new LogRecord.HistoryFrom(Make.watermark(t + 3_000)));
    log.add(new LogRecord.Erased(txn(t + 2_000), List.of(key("a"))));
    ReplicaDriver next = replica.restarted(log);
    for (PastLevel level : PastLevel.values()) {
      assertThat(told(next.receive(past(level, txn(t + 500), "a"))).state())
          .as(level.toString())
          .isEqualTo(PastState.BEHIND);
    }
  }

  @Test
  void aReplicaThatJoinsDoesNotServe() {
    ReplicaDriver joining =
        new ReplicaDriver(replica(1), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
    joining.replica.join(5, false);
    joining.tickAfter(0);
    List<Effect> answer =
        joining.receive(new ReadPast(txn(t), 1, PastLevel.LOCAL, TxnId.INITIAL, List.of(key("a"))));
    assertThat(answer).hasSize(1);
    assertThat(((Refused) ((Sent) answer.getFirst()).message()).reason())
        .isEqualTo(Refusal.NOT_SERVING);
  }

  @Test
  void questionsThatNoReaderAsksAreRefused() {
    assertRefused(Refusal.OVERSIZED, List.of());
    assertRefused(Refusal.INVALID, List.of(key("b"), key("a")));
    assertRefused(Refusal.INVALID, List.of(key("a"), key("a")));
  }

  private void assertRefused(Refusal reason, List<Key> keys) {
    List<Effect> answer =
        replica.receive(new ReadPast(txn(t), 1, PastLevel.LOCAL, TxnId.INITIAL, keys));
    assertThat(((Refused) ((Sent) answer.getFirst()).message()).reason()).isEqualTo(reason);
  }

  /** A read of the past leaves nothing behind that could hinder a writer. */
  @Test
  void nothingIsRegistered() {
    install(t + 10, "a", "1");
    reach(t + 1_000);
    int transactions = replica.replica.census().transactions();
    read(PastLevel.NEWEST, TxnId.INITIAL, "a", "b");
    scan(PastLevel.NEWEST, TxnId.INITIAL, 10);
    assertThat(replica.replica.census().transactions()).isEqualTo(transactions);
    assertThat(replica.replica.census().keys()).isEqualTo(1);
  }
}
