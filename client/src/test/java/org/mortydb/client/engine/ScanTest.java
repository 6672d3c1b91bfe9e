package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Codecs;
import org.mortydb.client.Entry;
import org.mortydb.client.KeySpace;
import org.mortydb.client.LimitExceededException;
import org.mortydb.client.MalformedValueException;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.client.fixture.Ended;
import org.mortydb.client.fixture.TestCluster;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.Scan;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;

/** Scans in the continuation-passing style. */
class ScanTest {
  private static final KeySpace<Long, String> ORDERS =
      KeySpace.of("orders", Codecs.INT64, Codecs.STRING);
  private static final KeySpace<Long, String> OTHERS =
      KeySpace.of("orders2", Codecs.INT64, Codecs.STRING);
  private static final TypedKey<String> SLOW =
      KeySpace.of("slow", Codecs.STRING, Codecs.STRING).key("slow");

  private final TestCluster cluster = new TestCluster(3);
  private final ClientEngine engine = cluster.client(1, EngineOptions.DEFAULTS);
  private final ClientEngine other = cluster.client(2, EngineOptions.DEFAULTS);

  private <S> Ended<S> run(S state, TransactionBody<S> body) {
    Ended<S> ended = begin(engine, state, body);
    cluster.runUntil(ended::isOver);
    return ended;
  }

  private static <S> Ended<S> begin(ClientEngine engine, S state, TransactionBody<S> body) {
    Ended<S> ended = new Ended<>();
    engine.execute(state, body, ended);
    return ended;
  }

  private void insert(long... orders) {
    run(
            "",
            (txn, ctx) -> {
              for (long order : orders) {
                txn.put(ctx, ORDERS.key(order), "o" + order);
              }
              txn.commit(ctx);
            })
        .committed();
    cluster.run(5_000);
  }

  private List<Entry<Long, String>> scan(TypedRange<Long, String> range, int limit) {
    return run(
            List.<Entry<Long, String>>of(),
            (txn, ctx) -> txn.scan(ctx, range, limit, (c, found) -> txn.commit(c.with(found))))
        .committed();
  }

  private static List<Long> keys(List<Entry<Long, String>> entries) {
    return entries.stream().map(Entry::key).toList();
  }

  @Test
  void showsAKeySpaceInItsOrder() {
    insert(30, -5, 7, 1000);
    run(
            "",
            (txn, ctx) -> {
              txn.put(ctx, OTHERS.key(1L), "other");
              txn.commit(ctx);
            })
        .committed();
    assertThat(scan(ORDERS.all(), 100))
        .containsExactly(
            new Entry<>(-5L, "o-5"),
            new Entry<>(7L, "o7"),
            new Entry<>(30L, "o30"),
            new Entry<>(1000L, "o1000"));
  }

  @Test
  void showsPartsOfIt() {
    insert(1, 2, 3, 4, 5);
    assertThat(keys(scan(ORDERS.range(2L, 4L), 100))).containsExactly(2L, 3L);
    assertThat(keys(scan(ORDERS.from(4L), 100))).containsExactly(4L, 5L);
    assertThat(keys(scan(ORDERS.after(4L), 100))).containsExactly(5L);
    assertThat(keys(scan(ORDERS.all(), 2))).containsExactly(1L, 2L);
    assertThat(scan(ORDERS.after(5L), 100)).isEmpty();
  }

  @Test
  void goesThroughEverythingPageByPage() {
    long[] orders = new long[250];
    for (int i = 0; i < orders.length; i++) {
      orders[i] = i;
    }
    insert(orders);
    List<Long> seen = new ArrayList<>();
    TypedRange<Long, String> rest = ORDERS.all();
    for (List<Entry<Long, String>> page = scan(rest, 60); !page.isEmpty(); page = scan(rest, 60)) {
      seen.addAll(keys(page));
      rest = ORDERS.after(page.getLast().key());
    }
    assertThat(seen).hasSize(250).isSorted();
  }

  @Test
  void showsOwnWrites() {
    insert(1, 2);
    List<Entry<Long, String>> found =
        run(
                List.<Entry<Long, String>>of(),
                (txn, ctx) -> {
                  txn.delete(ctx, ORDERS.key(1L));
                  txn.put(ctx, ORDERS.key(3L), "own");
                  txn.scan(ctx, ORDERS.all(), 10, (c, all) -> txn.commit(c.with(all)));
                })
            .committed();
    assertThat(found).containsExactly(new Entry<>(2L, "o2"), new Entry<>(3L, "own"));
  }

  @Test
  void asksEachPartitionOnceAndAnswersLaterReads() {
    insert(1, 2, 3);
    int scans = cluster.count(Scan.class);
    int gets = cluster.count(Get.class);
    String read =
        run(
                "",
                (txn, ctx) ->
                    txn.scan(
                        ctx,
                        ORDERS.all(),
                        10,
                        (c, all) ->
                            txn.<String>getAll(
                                c,
                                List.of(ORDERS.key(2L), ORDERS.key(9L)),
                                (c2, values) -> txn.commit(c2.with(values.toString())))))
            .committed();
    assertThat(read).isEqualTo("[o2, null]");
    assertThat(cluster.count(Scan.class)).isEqualTo(scans + 3);
    assertThat(cluster.count(Get.class)).isEqualTo(gets);
  }

  /** What is inserted by a transaction with an older id makes the scan run again, and it alone. */
  @Test
  void runsAgainWhenSomethingIsInserted() {
    insert(1);
    Key slow = SLOW.key();
    cluster.network(
        (from, to, message) ->
            message instanceof Get get && get.key().equals(slow) ? 20_000 : 1_000);
    Ended<String> older =
        begin(
            other,
            "",
            (txn, ctx) ->
                txn.get(
                    ctx,
                    SLOW,
                    (c, v) -> {
                      txn.put(c, ORDERS.key(2L), "inserted");
                      txn.commit(c);
                    }));
    cluster.run(5_000);
    List<String> turns = new ArrayList<>();
    Ended<List<Entry<Long, String>>> younger =
        begin(
            engine,
            List.of(),
            (txn, ctx) -> {
              turns.add("begin");
              txn.scan(
                  ctx,
                  ORDERS.all(),
                  10,
                  (c, all) -> {
                    turns.add("saw " + keys(all));
                    txn.get(c.with(all), SLOW, (c2, v) -> txn.commit(c2));
                  });
            });
    cluster.runUntil(() -> older.isOver() && younger.isOver());
    assertThat(older.isOver() && younger.isOver()).isTrue();
    older.committed();
    assertThat(keys(younger.committed())).containsExactly(1L, 2L);
    assertThat(turns).containsExactly("begin", "saw [1]", "saw [1, 2]");
  }

  @Test
  void refusesLimitsThatAreOutOfBounds() {
    for (int limit : new int[] {0, -1, Limits.MAX_SCAN_ROWS + 1}) {
      Ended<String> ended =
          run("", (txn, ctx) -> txn.scan(ctx, ORDERS.all(), limit, (c, all) -> txn.commit(c)));
      assertThat(ended.failure())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("from 1 to " + Limits.MAX_SCAN_ROWS);
    }
  }

  @Test
  void refusesTooManyScans() {
    Ended<String> ended = run("", new ScansForEver());
    assertThat(ended.failure())
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("more than " + Limits.MAX_SCANS + " scans");
  }

  private static final class ScansForEver implements TransactionBody<String> {
    @Override
    public void begin(
        org.mortydb.client.Transaction<String> txn, org.mortydb.client.Context<String> ctx) {
      txn.scan(ctx, ORDERS.all(), 1, (c, all) -> begin(txn, c));
    }
  }

  @Test
  void refusesSystemsWithoutScans() {
    Ended<String> ended =
        begin(
            cluster.client(3, EngineOptions.DEFAULTS.withSystem(new SystemWithoutScans())),
            "",
            (txn, ctx) -> txn.scan(ctx, ORDERS.all(), 9, (c, all) -> txn.commit(c)));
    cluster.runUntil(ended::isOver);
    assertThat(ended.failure())
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("pointwise has no scans");
  }

  @Test
  void refusesBoundsThatAreTooLong() {
    KeyRange tooLong = new KeyRange(Key.wrap(new byte[Limits.MAX_KEY_BYTES + 2]), null);
    assertThatThrownBy(() -> TypedRange.of(tooLong, Codecs.STRING))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("the limit for keys is " + Limits.MAX_KEY_BYTES);
  }

  @Test
  void namesKeysThatAreNotOfTheSpace() {
    run(
            "",
            (txn, ctx) -> {
              txn.put(ctx, TypedKey.of(Key.of("orders/odd"), Codecs.STRING), "x");
              txn.commit(ctx);
            })
        .committed();
    cluster.run(5_000);
    Ended<String> ended =
        run("", (txn, ctx) -> txn.scan(ctx, ORDERS.all(), 9, (c, all) -> txn.commit(c)));
    assertThat(ended.failure())
        .isInstanceOf(MalformedValueException.class)
        .hasMessageContaining("orders/odd");
  }

  private static final class SystemWithoutScans implements TransactionSystem {
    @Override
    public String name() {
      return "pointwise";
    }

    @Override
    public CoordinatorMachine coordinator(
        AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
      return Morty.SYSTEM.coordinator(attempt, topology, options);
    }

    @Override
    public StateMachine<Effects> replica(
        ReplicaId self, Topology topology, ReplicaOptions options) {
      return Morty.SYSTEM.replica(self, topology, options);
    }
  }
}
