package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.mortydb.client.ClientSession;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.Result;
import org.mortydb.client.SessionGuarantee;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.client.fixture.Ended;
import org.mortydb.client.fixture.TestCluster;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.PastReply;
import org.mortydb.protocol.message.Message.ReadPast;
import org.mortydb.protocol.message.Message.Register;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.replica.ReplicaOptions;

/** Transactions at all levels of reads, with real replicas. */
class ReadLevelsTest {
  private static final long LAG = 1_000_000;
  private static final KeySpace<Long, String> KEYS =
      KeySpace.of("levels", Codecs.INT64, Codecs.STRING);
  private static final TransactionOptions READING = TransactionOptions.DEFAULTS.forReading();
  private static final ReplicaOptions REPLICAS =
      ReplicaOptions.DEFAULTS.withWatermarkLagMicros(LAG);

  private final TestCluster cluster = new TestCluster(3, REPLICAS);
  private final ClientEngine engine =
      cluster.client(1, EngineOptions.DEFAULTS.withPast(new PastLimits(LAG, 20_000_000, 500_000)));

  private Result.Committed<List<String>> read(ReadLevel level, long... keys) {
    Ended<List<String>> ended = begin(level, keys);
    cluster.runUntil(ended::isOver);
    return (Result.Committed<List<String>>) Objects.requireNonNull(ended.result());
  }

  private Ended<List<String>> begin(ReadLevel level, long... keys) {
    return begin(READING.forReading(level), keys);
  }

  private Ended<List<String>> begin(TransactionOptions options, long... keys) {
    return begin(engine, options, keys);
  }

  private static Ended<List<String>> begin(
      ClientEngine client, TransactionOptions options, long... keys) {
    List<TypedKey<String>> names = Arrays.stream(keys).mapToObj(KEYS::key).toList();
    Ended<List<String>> ended = new Ended<>();
    client.execute(
        List.of(),
        options,
        (txn, ctx) ->
            txn.getAll(
                ctx,
                names,
                (c, values) -> txn.commit(c.with(values.stream().map(String::valueOf).toList()))),
        ended);
    return ended;
  }

  private TxnId write(String value, long... keys) {
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        (txn, ctx) -> {
          for (long key : keys) {
            txn.put(ctx, KEYS.key(key), value);
          }
          txn.commit(ctx);
        },
        ended);
    cluster.runUntil(ended::isOver);
    return Objects.requireNonNull(ended.result()).info().txn();
  }

  private long sentSince(int before, Class<? extends Message> type) {
    return cluster.sent().stream()
        .skip(before)
        .filter(one -> type.isInstance(one.message()))
        .count();
  }

  @Test
  void aSnapshotIsOneStateOfTheRecentPastAndAsksForNoVotes() {
    write("old", 1, 2, 3, 4);
    cluster.run(3 * LAG);
    write("new", 1, 2, 3, 4);
    int before = cluster.sent().size();
    Result.Committed<List<String>> past = read(ReadLevel.NEWEST_SNAPSHOT, 1, 2, 3, 4);
    assertThat(past.value()).containsExactly("old", "old", "old", "old");
    assertThat(past.info().path()).isEqualTo(Path.PAST);
    assertThat(past.info().place()).isEqualTo(past.info().txn());
    assertThat(past.info().ageMicros()).isBetween(LAG, LAG + 400_000);
    assertThat(sentSince(before, Register.class)).isZero();
    assertThat(sentSince(before, Message.Get.class)).isZero();
    cluster.run(2 * LAG);
    assertThat(read(ReadLevel.NEWEST_SNAPSHOT, 1, 2, 3, 4).value())
        .containsExactly("new", "new", "new", "new");
    TxnId place = Objects.requireNonNull(past.info().place());
    assertThat(read(ReadLevel.snapshotAt(place), 4, 3).value()).containsExactly("old", "old");
  }

  @Test
  void aReaderThatReadsOftenTakesOneRoundTripOverAllPartitions() {
    write("x", 1, 2, 3, 4, 5, 6);
    cluster.run(3 * LAG);
    read(ReadLevel.NEWEST_SNAPSHOT, 1);
    int before = cluster.sent().size();
    Result.Committed<List<String>> past = read(ReadLevel.NEWEST_SNAPSHOT, 1, 2, 3, 4, 5, 6);
    assertThat(past.info().latencyMicros()).as("1 ms each way").isEqualTo(2_000);
    assertThat(sentSince(before, ReadPast.class)).isEqualTo(3);
    assertThat(sentSince(before, PastReply.class)).isEqualTo(3);
  }

  @Test
  void aBoundedReadIsAsYoungAsAskedOrWaits() {
    write("old", 1);
    cluster.run(3 * LAG);
    ReadLevel level = ReadLevel.bounded(Duration.ofMillis(1_500));
    Result.Committed<List<String>> past = read(level, 1);
    assertThat(past.value()).containsExactly("old");
    assertThat(past.info().ageMicros()).isBetween(LAG, 1_500_000L);
  }

  @Test
  void aBoundedReadGoesElsewhereIfTheClosestReplicaIsBehind() {
    write("old", 1);
    cluster.run(2 * LAG);
    // Replica 0 of each partition hears of no more watermarks, and the next one takes over.
    cluster.network(
        (from, to, message) ->
            to instanceof ReplicaId(int _, int index)
                    && index == 0
                    && message instanceof Message.BetweenReplicas
                ? TestCluster.Network.LOST
                : 1_000);
    cluster.run(10 * LAG);
    ReadLevel level = ReadLevel.bounded(Duration.ofSeconds(5));
    Result.Committed<List<String>> past = read(level, 1);
    assertThat(past.value()).containsExactly("old");
    assertThat(past.info().ageMicros()).isBetween(LAG, 5 * LAG);
    assertThat(past.info().latencyMicros()).isEqualTo(4_000);
  }

  @Test
  void aLocalReadSeesWhatTheClosestReplicaHasCommitted() {
    write("new", 1, 2);
    cluster.run(10_000);
    Result.Committed<List<String>> local = read(ReadLevel.LOCAL, 1, 2, 3);
    assertThat(local.value()).containsExactly("new", "new", "null");
    assertThat(local.info().path()).isEqualTo(Path.LOCAL);
    assertThat(local.info().place()).isNull();
    assertThat(local.info().latencyMicros()).isEqualTo(2_000);
  }

  @Test
  void aSnapshotScans() {
    write("old", 1, 2, 3);
    cluster.run(3 * LAG);
    write("new", 3, 4, 5);
    TypedRange<Long, String> all = KEYS.all();
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        READING.forReading(ReadLevel.NEWEST_SNAPSHOT),
        (txn, ctx) -> txn.scan(ctx, all, 10, (c, rows) -> txn.commit(c.with(rows.toString()))),
        ended);
    cluster.runUntil(ended::isOver);
    assertThat(ended.committed()).contains("old").doesNotContain("new");
  }

  @Test
  void anAbortAndAnExceptionOfAReaderOfThePast() {
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        READING.forReading(ReadLevel.LOCAL),
        (txn, ctx) -> txn.get(ctx, KEYS.key(1L), (c, v) -> txn.abort(c.with("gave up"))),
        ended);
    cluster.runUntil(ended::isOver);
    assertThat(ended.result()).isInstanceOf(Result.AbortedByApplication.class);
  }

  @Test
  void aWriteOfAReaderOfThePastFails() {
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        READING.forReading(ReadLevel.NEWEST_SNAPSHOT),
        (txn, ctx) -> txn.put(ctx, KEYS.key(1L), "x"),
        ended);
    cluster.runUntil(ended::isOver);
    assertThat(ended.failure()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatTheClusterCannotKeepIsRefusedBeforeAnythingIsSent() {
    int before = cluster.sent().size();
    assertRefused(ReadLevel.bounded(Duration.ofMillis(900)), "watermark-lag");
    assertRefused(ReadLevel.STRICT, "clock-uncertainty");
    long now = TestCluster.START_MICROS;
    assertRefused(ReadLevel.snapshotAt(new TxnId(now - 21_000_000, 1, 0)), "retention");
    assertRefused(ReadLevel.snapshotAt(new TxnId(now + 600_000, 1, 0)), "in the future");
    assertThat(cluster.sent().stream().skip(before))
        .noneMatch(sent -> sent.message() instanceof Message.FromClient);
  }

  private void assertRefused(ReadLevel level, String words) {
    Ended<List<String>> ended = begin(level, 1);
    assertThat(ended.isOver()).isTrue();
    assertThat(ended.failure())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  @Test
  void aLevelDoesNotConcernTransactionsThatMayWrite() {
    TransactionOptions options =
        TransactionOptions.DEFAULTS.withReadLevel(ReadLevel.bounded(Duration.ofMillis(1)));
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        options,
        (txn, ctx) -> {
          txn.put(ctx, KEYS.key(1L), "x");
          txn.commit(ctx);
        },
        ended);
    cluster.runUntil(ended::isOver);
    assertThat(ended.committed()).isEmpty();
    assertThatThrownBy(() -> new ReadLevel.Bounded(0)).hasMessageContaining("must be positive");
  }

  /** The watermark waits for a transaction that is slower than the lag. */
  @Test
  void aTransactionThatIsSlowerThanTheLagCommits() {
    write("old", 1);
    cluster.run(3 * LAG);
    Ended<String> ended = new Ended<>();
    boolean[] slow = {true};
    cluster.network(
        (from, to, message) -> {
          boolean late = slow[0] && message instanceof Message.Prepare;
          return late ? 3 * LAG : 1_000;
        });
    engine.execute(
        "",
        (txn, ctx) ->
            txn.get(
                ctx,
                KEYS.key(1L),
                (c, value) -> {
                  slow[0] = txn.attempt() == 1;
                  txn.put(c, KEYS.key(1L), "new");
                  txn.commit(c);
                }),
        ended);
    cluster.runUntil(ended::isOver);
    assertThat(ended.committed()).isEmpty();
    assertThat(Objects.requireNonNull(ended.result()).info().attempts()).isEqualTo(1);
  }

  /** While a slow transaction holds the watermark back, bounded reads ask for votes. */
  @Test
  void aBoundedReadAsksForVotesIfNoReplicaIsNewEnough() {
    write("old", 1);
    cluster.run(3 * LAG);
    boolean[] slow = {true};
    cluster.network(
        (from, to, message) -> slow[0] && message instanceof Message.Prepare ? 5 * LAG : 1_000);
    Ended<String> writer = new Ended<>();
    engine.execute(
        "",
        (txn, ctx) ->
            txn.get(
                ctx,
                KEYS.key(2L),
                (c, value) -> {
                  txn.put(c, KEYS.key(2L), "new");
                  txn.commit(c);
                }),
        writer);
    cluster.run(3 * LAG);
    slow[0] = false;
    ReadLevel level = ReadLevel.bounded(Duration.ofSeconds(2));
    Result.Committed<List<String>> first = read(level, 1);
    assertThat(first.value()).containsExactly("old");
    assertThat(first.info().path()).isEqualTo(Path.READ_ONLY);
    assertThat(first.info().place()).isNull();
    assertThat(first.info().latencyMicros()).as("two replicas in vain").isEqualTo(8_000);
    int before = cluster.sent().size();
    Result.Committed<List<String>> next = read(level, 1);
    assertThat(next.info().latencyMicros()).as("as the client has heard").isEqualTo(4_000);
    assertThat(sentSince(before, ReadPast.class)).isZero();
    assertThat(read(ReadLevel.bounded(Duration.ofSeconds(5)), 1).info().path())
        .isEqualTo(Path.PAST);
    cluster.runUntil(writer::isOver);
    cluster.run(2 * LAG);
    assertThat(read(level, 1).info().path()).isEqualTo(Path.PAST);
  }

  /** The ids of region slots may be further before the clock than the answer may be old. */
  @Test
  void aBoundedReadWithVotesIsAsYoungAsAskedAlsoWithRegionSlots() {
    RegionSlots slots = new RegionSlots(0, 3, LAG, 0, false);
    ClientEngine slotted = cluster.client(2, EngineOptions.DEFAULTS.withSlots(slots));
    cluster.run(3 * LAG);
    cluster.network(
        (from, to, message) ->
            message instanceof Message.Prepare && message.txn().clientId() == 3 ? 9 * LAG : 1_000);
    ClientEngine slow = cluster.client(3, EngineOptions.DEFAULTS);
    slow.execute(
        "",
        (txn, ctx) ->
            txn.get(
                ctx,
                KEYS.key(1L),
                (c, value) -> {
                  txn.put(c, KEYS.key(2L), "new");
                  txn.commit(c);
                }),
        new Ended<>());
    cluster.run(2 * LAG);
    Duration age = Duration.ofMillis(1_500);
    TransactionOptions options = READING.forReading(ReadLevel.bounded(age));
    for (int i = 0; i < 4; i++) {
      write("value " + i, 1);
      cluster.run(age.toNanos() / 1_000);
      Ended<List<String>> ended = begin(slotted, options, 1);
      cluster.runUntil(ended::isOver);
      var read = (Result.Committed<List<String>>) Objects.requireNonNull(ended.result());
      assertThat(read.info().path()).isEqualTo(Path.READ_ONLY);
      assertThat(read.value()).containsExactly("value " + i);
      cluster.run(LAG / 4);
    }
  }

  // ---- sessions -----------------------------------------------------------------------------

  private TxnId writeIn(ClientSession session, String value, long key) {
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        TransactionOptions.DEFAULTS.inSession(session),
        (txn, ctx) -> {
          txn.put(ctx, KEYS.key(key), value);
          txn.commit(ctx);
        },
        ended);
    cluster.runUntil(ended::isOver);
    return Objects.requireNonNull(ended.result()).info().txn();
  }

  private Result.Committed<List<String>> readIn(
      ClientSession session, ReadLevel level, long... keys) {
    Ended<List<String>> ended = begin(READING.inSession(session).forReading(level), keys);
    cluster.runUntil(ended::isOver);
    return (Result.Committed<List<String>>) Objects.requireNonNull(ended.result());
  }

  /** Until the watermark can have passed its write, a session's snapshot asks for votes. */
  @Test
  void aSnapshotOfASessionShowsWhatItHasWritten() {
    write("old", 1);
    cluster.run(3 * LAG);
    ClientSession session = new ClientSession(SessionGuarantee.READ_YOUR_WRITES);
    TxnId written = writeIn(session, "new", 1);
    assertThat(read(ReadLevel.NEWEST_SNAPSHOT, 1).value()).containsExactly("old");
    Result.Committed<List<String>> own = readIn(session, ReadLevel.NEWEST_SNAPSHOT, 1);
    assertThat(own.value()).containsExactly("new");
    assertThat(own.info().path()).isEqualTo(Path.READ_ONLY);
    cluster.run(2 * LAG);
    Result.Committed<List<String>> past =
        readIn(session, ReadLevel.bounded(Duration.ofSeconds(60)), 1);
    assertThat(past.value()).containsExactly("new");
    assertThat(past.info().path()).isEqualTo(Path.PAST);
    assertThat(past.info().place()).isGreaterThanOrEqualTo(written);
  }

  /** Replica 0 misses the commit: the session reads elsewhere, others read what is old. */
  @Test
  void aLocalReadOfASessionGoesWhereItsWriteIs() {
    write("old", 1);
    cluster.run(10_000);
    cluster.network(
        (from, to, message) ->
            to instanceof ReplicaId(int _, int index)
                    && index == 0
                    && (message instanceof Message.Decide || message instanceof Message.Prepare)
                ? TestCluster.Network.LOST
                : 1_000);
    ClientSession session = new ClientSession(SessionGuarantee.READ_YOUR_WRITES);
    writeIn(session, "new", 1);
    assertThat(read(ReadLevel.LOCAL, 1).value()).containsExactly("old");
    Result.Committed<List<String>> own = readIn(session, ReadLevel.LOCAL, 1, 2);
    assertThat(own.value()).containsExactly("new", "null");
    assertThat(own.info().path()).isEqualTo(Path.LOCAL);
    assertThat(scanIn(session)).as("a scan lacks nothing either").contains("new");
  }

  private String scanIn(ClientSession session) {
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        READING.forReading(ReadLevel.LOCAL).inSession(session),
        (txn, ctx) ->
            txn.scan(ctx, KEYS.all(), 10, (c, rows) -> txn.commit(c.with(rows.toString()))),
        ended);
    cluster.runUntil(ended::isOver);
    return ended.committed();
  }

  /**
   * Replica 0 missed a commit: a session that has seen it elsewhere does not see the old version
   * again.
   */
  @Test
  void aLocalReadOfASessionNeverGoesBack() {
    write("old", 1);
    cluster.run(10_000);
    boolean[] deaf = {true};
    cluster.network(
        (from, to, message) -> {
          boolean toFirst = to instanceof ReplicaId(int _, int index) && index == 0;
          boolean decides = message instanceof Message.Decide || message instanceof Message.Prepare;
          boolean reads = message instanceof ReadPast;
          return toFirst && (decides || (deaf[0] && reads)) ? TestCluster.Network.LOST : 1_000;
        });
    write("new", 1);
    ClientSession session = new ClientSession(SessionGuarantee.MONOTONIC_READS);
    assertThat(readIn(session, ReadLevel.LOCAL, 1).value()).containsExactly("new");
    deaf[0] = false;
    assertThat(read(ReadLevel.LOCAL, 1).value()).containsExactly("old");
    assertThat(readIn(session, ReadLevel.LOCAL, 1).value()).containsExactly("new");
    assertThat(readIn(session, ReadLevel.NEWEST_SNAPSHOT, 1).value()).containsExactly("new");
  }

  /** The clock of one client is ahead. Another client of the session begins above its commits. */
  @Test
  void aSessionOverTwoClientsReadsItsWrites() {
    cluster.clock(() -> cluster.virtualMicros() + 400_000);
    ClientSession session = new ClientSession(SessionGuarantee.READ_YOUR_WRITES);
    TxnId written = writeIn(session, "new", 1);
    cluster.clock(cluster::virtualMicros);
    ClientEngine other =
        cluster.client(
            2, EngineOptions.DEFAULTS.withPast(new PastLimits(LAG, 20_000_000, 500_000)));
    Ended<String> ended = new Ended<>();
    other.execute(
        "",
        READING.inSession(session),
        (txn, ctx) -> txn.get(ctx, KEYS.key(1L), (c, v) -> txn.commit(c.with("" + v))),
        ended);
    cluster.runUntil(ended::isOver);
    assertThat(ended.committed()).isEqualTo("new");
    assertThat(ended.result().info().txn()).isGreaterThan(written);
  }

  @Test
  void whatASessionCannotKeepIsRefusedBeforeAnythingIsSent() {
    ClientSession session = new ClientSession(SessionGuarantee.MONOTONIC_READS);
    long now = TestCluster.START_MICROS;
    session.advanceTo(new TxnId(now - 1_000, 1, 0));
    TxnId before = new TxnId(now - 2_000, 1, 0);
    int sent = cluster.sent().size();
    assertThat(
            begin(READING.inSession(session).forReading(ReadLevel.snapshotAt(before)), 1).failure())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(before.toString(), session.place().toString(), "outside");
    session.advanceTo(new TxnId(now + 600_000, 1, 0));
    assertThat(begin(READING.inSession(session), 1).failure())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("in the future");
    assertThat(cluster.sent().stream().skip(sent))
        .noneMatch(one -> one.message() instanceof Message.FromClient);
  }

  private Ended<Long> add(ClientEngine client, TypedKey<Long> key, long n) {
    Ended<Long> ended = new Ended<>();
    client.execute(
        0L,
        (txn, ctx) -> {
          txn.add(ctx, key, n);
          txn.commit(ctx);
        },
        ended);
    cluster.runUntil(ended::isOver);
    return ended;
  }

  private long sumIn(ClientSession session, TypedKey<Long> key) {
    Ended<Long> ended = new Ended<>();
    engine.execute(
        0L,
        READING.forReading(ReadLevel.LOCAL).inSession(session),
        (txn, ctx) ->
            txn.get(
                ctx, key, (c, value) -> txn.commit(c.with(Objects.requireNonNullElse(value, 0L)))),
        ended);
    cluster.runUntil(ended::isOver);
    return ((Result.Committed<Long>) Objects.requireNonNull(ended.result())).value();
  }

  /**
   * Two replicas have folded a sum, and the closest one lacks the first merge of it. That it has
   * the second one proves nothing, although this is all that a later reader hears of the sum.
   */
  @Test
  void aLocalReadOfASessionNeverLosesAMergeThatOthersHaveFolded() {
    TypedKey<Long> key = KeySpace.of("sums", Codecs.INT64, Codecs.INT64).key(1L);
    long firstClient = 2;
    boolean[] deaf = {false};
    cluster.network(
        (from, to, message) -> {
          boolean closest = to instanceof ReplicaId replica && replica.index() == 0;
          boolean lost =
              closest
                  && (from instanceof ReplicaId
                      || message.txn().clientId() == firstClient
                      || (deaf[0] && message instanceof ReadPast));
          return lost ? TestCluster.Network.LOST : 1_000;
        });
    add(cluster.client(firstClient, EngineOptions.DEFAULTS), key, 1);
    add(cluster.client(3, EngineOptions.DEFAULTS), key, 10);
    cluster.run(12 * LAG);
    ClientSession session = new ClientSession(SessionGuarantee.MONOTONIC_READS);
    assertThat(sumIn(new ClientSession(SessionGuarantee.MONOTONIC_READS), key)).isEqualTo(10);
    deaf[0] = true;
    assertThat(sumIn(session, key)).isEqualTo(11);
    deaf[0] = false;
    assertThat(sumIn(session, key)).isEqualTo(11);
  }

  /** Otherwise all transactions of the client would take ids in that future. */
  @Test
  void aSessionThatIsInTheFutureOnceItsTransactionBeginsIsRefused() {
    ClientEngine one =
        cluster.client(
            7,
            EngineOptions.DEFAULTS
                .withLimits(1, 10)
                .withPast(new PastLimits(LAG, 20_000_000, 500_000)));
    ClientSession session = new ClientSession(SessionGuarantee.MONOTONIC_READS);
    Ended<List<String>> first = begin(one, READING, 1);
    Ended<List<String>> second = begin(one, READING.inSession(session), 1);
    session.advanceTo(new TxnId(cluster.nowMicros() + 3_600_000_000L, 1, 0));
    Ended<List<String>> third = begin(one, READING, 1);
    cluster.runUntil(() -> first.isOver() && second.isOver() && third.isOver());
    assertThat(second.failure())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("in the future");
    assertThat(third.result().isCommitted()).isTrue();
    assertThat(one.inFlight()).isZero();
  }
}
