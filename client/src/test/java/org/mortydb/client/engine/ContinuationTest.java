package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Codecs;
import org.mortydb.client.Context;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TypedKey;
import org.mortydb.client.fixture.Ended;
import org.mortydb.client.fixture.TestCluster;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.model.Key;

/** The continuation-passing style over real replicas. */
class ContinuationTest {
  private static final KeySpace<String, String> TEXT =
      KeySpace.of("text", Codecs.STRING, Codecs.STRING);
  private static final TypedKey<String> A = TEXT.key("a");
  private static final TypedKey<String> B = TEXT.key("b");
  private static final TypedKey<String> C = TEXT.key("c");
  private static final TypedKey<String> SLOW = TEXT.key("slow");

  private final TestCluster cluster = new TestCluster(2);
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

  private void write(TypedKey<String> key, String value) {
    run(
            "",
            (txn, ctx) -> {
              txn.put(ctx, key, value);
              txn.commit(ctx);
            })
        .committed();
    cluster.run(5_000);
  }

  private String read(TypedKey<String> key) {
    return run("", (txn, ctx) -> txn.get(ctx, key, (c, v) -> txn.commit(c.with("" + v))))
        .committed();
  }

  /** Makes reads of {@link #SLOW} take a while, so that their transaction is old when it writes. */
  private void delaySlowReads(long micros) {
    Key slow = SLOW.key();
    cluster.network(
        (from, to, message) ->
            message instanceof Get get && get.key().equals(slow) ? micros : 1_000);
  }

  /** Begins a transaction that writes {@code key} when SLOW is answered. */
  private Ended<String> beginSlowWriter(TypedKey<String> key, String value) {
    return begin(
        other,
        "",
        (txn, ctx) ->
            txn.get(
                ctx,
                SLOW,
                (c, v) -> {
                  txn.put(c, key, value);
                  txn.commit(c);
                }));
  }

  @Test
  void readsWhatWasWrittenAndTellsWhatItCost() {
    write(A, "one");
    Ended<String> ended = run("", (txn, ctx) -> txn.get(ctx, A, (c, v) -> txn.commit(c.with(v))));
    assertThat(ended.committed()).isEqualTo("one");
    Result.Committed<String> result = (Result.Committed<String>) ended.result();
    assertThat(result.info().attempts()).isEqualTo(1);
    assertThat(result.info().reexecutions()).isZero();
    assertThat(result.info().path()).isEqualTo(Path.READ_ONLY);
    assertThat(result.info().latencyMicros()).isEqualTo(4_000);
    assertThat(result.info().txn().clientId()).isEqualTo(1);
  }

  @Test
  void absentAndDeletedKeysAreNull() {
    assertThat(read(A)).isEqualTo("null");
    write(A, "one");
    run(
            "",
            (txn, ctx) -> {
              txn.delete(ctx, A);
              txn.commit(ctx);
            })
        .committed();
    cluster.run(5_000);
    assertThat(read(A)).isEqualTo("null");
  }

  @Test
  void parallelReadsTakeOneRoundTripAndKeepTheirOrder() {
    write(A, "one");
    write(C, "three");
    long begin = cluster.nowMicros();
    List<Long> times = new ArrayList<>();
    Ended<List<String>> ended =
        run(
            List.of(),
            (txn, ctx) ->
                txn.getAll(
                    ctx,
                    List.of(A, B, C, A),
                    (c, values) -> {
                      times.add(cluster.nowMicros() - begin);
                      txn.commit(c.with(new ArrayList<>(values)));
                    }));
    assertThat(ended.committed()).containsExactly("one", null, "three", "one");
    assertThat(times).containsExactly(2_000L);
  }

  @Test
  void ownWritesAndRepeatedReadsCostNoMessage() {
    write(A, "one");
    int before = cluster.count(Get.class);
    Ended<String> ended =
        run(
            "",
            (txn, ctx) -> {
              txn.put(ctx, B, "mine");
              txn.get(
                  ctx,
                  A,
                  (c1, a) ->
                      txn.get(
                          c1,
                          B,
                          (c2, b) ->
                              txn.get(c2, A, (c3, again) -> txn.commit(c3.with(a + b + again)))));
            });
    assertThat(ended.committed()).isEqualTo("onemineone");
    assertThat(cluster.count(Get.class) - before).isEqualTo(1);
  }

  @Test
  void staleReadCallsItsContinuationAgainWithTheContextOfThen() {
    write(A, "old");
    write(B, "b");
    delaySlowReads(10_000);
    Ended<String> writer = beginSlowWriter(A, "new");
    cluster.run(1_000);
    int before = cluster.count(Get.class);
    List<String> turns = new ArrayList<>();
    Ended<String> reader =
        begin(
            engine,
            "start",
            (txn, ctx) -> {
              turns.add("begin " + ctx.state());
              txn.get(
                  ctx.with("first"),
                  B,
                  (c1, b) -> {
                    turns.add("b " + c1.state());
                    txn.get(
                        c1.with(b),
                        A,
                        (c2, a) -> {
                          turns.add("a " + c2.state() + a);
                          // Long enough under way for the writer to come in between.
                          txn.get(
                              c2.with(c2.state() + a),
                              SLOW,
                              (c3, slow) -> {
                                turns.add("slow " + c3.state());
                                txn.put(c3, C, c3.state());
                                txn.commit(c3);
                              });
                        });
                  });
            });
    cluster.runUntil(() -> writer.isOver() && reader.isOver());
    assertThat(writer.committed()).isEmpty();
    assertThat(reader.committed()).isEqualTo("bnew");
    assertThat(turns).containsExactly("begin start", "b first", "a bold", "a bnew", "slow bnew");
    assertThat(reader.result().info().reexecutions()).isEqualTo(1);
    assertThat(reader.result().info().attempts()).isEqualTo(1);
    // B, A and SLOW once each: neither the reads before the stale one nor the one after it were
    // asked again.
    assertThat(cluster.count(Get.class) - before).isEqualTo(3);
    cluster.run(5_000);
    assertThat(read(C)).isEqualTo("bnew");
  }

  @Test
  void writesOfADroppedBranchLeaveNothing() {
    write(A, "left");
    delaySlowReads(10_000);
    Ended<String> writer = beginSlowWriter(A, "right");
    cluster.run(1_000);
    Ended<String> reader =
        begin(
            engine,
            "",
            (txn, ctx) ->
                txn.get(
                    ctx,
                    A,
                    (c1, a) -> {
                      txn.put(c1, "left".equals(a) ? B : C, "written");
                      txn.get(c1, SLOW, (c2, slow) -> txn.commit(c2));
                    }));
    cluster.runUntil(() -> writer.isOver() && reader.isOver());
    reader.committed();
    cluster.run(5_000);
    assertThat(read(B)).isEqualTo("null");
    assertThat(read(C)).isEqualTo("written");
  }

  @Test
  void manyReadsFromMemoryGrowNoStack() {
    write(A, "one");
    int reads = 10_000;
    Ended<Integer> ended = run(0, (txn, ctx) -> countDown(txn, ctx, reads));
    assertThat(ended.committed()).isEqualTo(reads);
  }

  private static void countDown(Transaction<Integer> txn, Context<Integer> ctx, int left) {
    if (left == 0) {
      txn.commit(ctx);
    } else {
      txn.get(ctx, A, (c, v) -> countDown(txn, c.with(c.state() + 1), left - 1));
    }
  }

  @Test
  void theApplicationsAbortIsNotTriedAgainAndLeavesNothing() {
    Ended<String> ended =
        run(
            "",
            (txn, ctx) -> {
              txn.put(ctx, A, "never");
              txn.get(ctx, B, (c, v) -> txn.abort(c.with("no funds")));
            });
    assertThat(ended.result())
        .isInstanceOfSatisfying(
            Result.AbortedByApplication.class,
            aborted -> {
              assertThat(aborted.value()).isEqualTo("no funds");
              assertThat(aborted.info().attempts()).isEqualTo(1);
            });
    cluster.run(5_000);
    assertThat(read(A)).isEqualTo("null");
  }

  @Test
  void commitContinuationRunsOnceBeforeTheHandler() {
    List<String> calls = new ArrayList<>();
    Ended<String> ended =
        run(
            "done",
            (txn, ctx) -> {
              txn.put(ctx, A, "x");
              txn.commit(ctx, result -> calls.add(result.isCommitted() ? "committed" : "not"));
            });
    ended.committed();
    assertThat(calls).containsExactly("committed");
    assertThat(ended.calls()).isEqualTo(1);
  }

  @Test
  void aTransactionWithoutOperationsCommitsAtOnce() {
    Ended<String> ended = begin(engine, "empty", (txn, ctx) -> txn.commit(ctx));
    assertThat(ended.committed()).isEqualTo("empty");
    assertThat(cluster.sent()).isEmpty();
  }

  @Test
  void transactionsSpanPartitions() {
    // With two partitions, some of these differ.
    List<TypedKey<String>> keys = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      keys.add(TEXT.key("key" + i));
    }
    run(
            "",
            (txn, ctx) -> {
              for (TypedKey<String> key : keys) {
                txn.put(ctx, key, key.toString());
              }
              txn.commit(ctx);
            })
        .committed();
    cluster.run(5_000);
    Ended<List<String>> ended =
        run(
            List.of(),
            (txn, ctx) -> txn.getAll(ctx, keys, (c, v) -> txn.commit(c.with(new ArrayList<>(v)))));
    assertThat(ended.committed()).isEqualTo(keys.stream().map(TypedKey::toString).toList());
  }
}
