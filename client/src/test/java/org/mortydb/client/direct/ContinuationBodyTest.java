package org.mortydb.client.direct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Codecs;
import org.mortydb.client.Context;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.engine.ClientEngine;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.fixture.TestCluster;

/** Continuations in the direct style, in virtual time: the body's thread drives the cluster. */
class ContinuationBodyTest {
  private static final KeySpace<String, Long> NUMBERS =
      KeySpace.of("number", Codecs.STRING, Codecs.INT64);
  private static final TypedKey<Long> A = NUMBERS.key("a");
  private static final TypedKey<Long> B = NUMBERS.key("b");

  private final TestCluster cluster = new TestCluster(2);
  private final ClientEngine engine = cluster.client(1, EngineOptions.DEFAULTS);

  private final class DrivingThread implements BodyThread {
    @Override
    public void tellEngine(Runnable task) {
      cluster.at(0, task);
    }

    @Override
    public void await(BooleanSupplier condition) {
      cluster.runUntil(condition);
    }

    @Override
    public void wake() {}
  }

  private Result<Long> run(TransactionBody<Long> body) {
    return DirectRun.run(
        engine, new DrivingThread(), TransactionOptions.DEFAULTS, new ContinuationBody<>(0L, body));
  }

  private Long committed(TransactionBody<Long> body) {
    Result<Long> result = run(body);
    assertThat(result).isInstanceOf(Result.Committed.class);
    return ((Result.Committed<Long>) result).value();
  }

  @Test
  void eachReadGoesToItsContinuation() {
    committed(
        (txn, ctx) -> {
          txn.put(ctx, A, 1L);
          txn.put(ctx, B, 2L);
          txn.commit(ctx);
        });
    Long sum =
        committed(
            (txn, ctx) ->
                txn.get(
                    ctx,
                    A,
                    (c, a) -> {
                      txn.delete(c, A);
                      txn.scan(
                          c.with(a),
                          NUMBERS.all(),
                          10,
                          (d, rows) ->
                              txn.commit(
                                  d.with(10 * d.state() + rows.getFirst().value() + rows.size())));
                    }));
    assertThat(sum).isEqualTo(13);
    assertThat(
            committed(
                (txn, ctx) ->
                    txn.<Long>getAll(
                        ctx,
                        List.of(A, B),
                        (c, both) -> {
                          assertThat(both).containsExactly(null, 2L);
                          txn.commit(c.with((long) txn.attempt()));
                        })))
        .isEqualTo(1);
  }

  @Test
  void aLongChainOfReadsGrowsNoStack() {
    assertThat(committed((txn, ctx) -> count(txn, ctx, 50_000))).isEqualTo(50_000);
  }

  private static void count(Transaction<Long> txn, Context<Long> ctx, int left) {
    if (left == 0) {
      txn.commit(ctx);
    } else {
      txn.get(ctx, A, (c, value) -> count(txn, c.with(c.state() + 1), left - 1));
    }
  }

  @Test
  void anAbortIsAnAbort() {
    Result<Long> result =
        run(
            (txn, ctx) -> {
              txn.put(ctx, A, 1L);
              txn.abort(ctx);
            });
    assertThat(result).isInstanceOf(Result.AbortedByApplication.class);
  }

  @Test
  void aTurnWithoutEndAndCodeAfterTheCommitAreRefused() {
    assertThatThrownBy(() -> run((txn, ctx) -> txn.put(ctx, A, 1L)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> run((txn, ctx) -> txn.commit(ctx, result -> {})))
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
