package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Codecs;
import org.mortydb.client.Context;
import org.mortydb.client.KeySpace;
import org.mortydb.client.LimitExceededException;
import org.mortydb.client.MalformedValueException;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.fixture.Ended;
import org.mortydb.client.fixture.TestCluster;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.model.Limits;

/** What applications do wrong is said clearly, and leaves nothing in the store. */
class MisuseTest {
  private static final KeySpace<String, String> TEXT =
      KeySpace.of("text", Codecs.STRING, Codecs.STRING);
  private static final TypedKey<String> A = TEXT.key("a");
  private static final TypedKey<String> B = TEXT.key("b");

  private final TestCluster cluster = new TestCluster(1);
  private final ClientEngine engine = cluster.client(1, EngineOptions.DEFAULTS);

  private Ended<String> run(TransactionBody<String> body) {
    Ended<String> ended = new Ended<>();
    engine.execute("", body, ended);
    cluster.runUntil(ended::isOver);
    return ended;
  }

  private void assertFails(String message, TransactionBody<String> body) {
    Ended<String> ended = run(body);
    assertThat(ended.failure())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(message);
    assertThat(ended.calls()).isEqualTo(1);
    assertNothingWritten();
    cluster.run(5_000);
    assertThat(engine.inFlight()).isZero();
    assertThat(engine.coordinators()).isZero();
  }

  @Test
  void aTurnThatEndsInNoWay() {
    assertFails("ended without a read, a commit or an abort", (txn, ctx) -> {});
    assertFails(
        "ended without a read, a commit or an abort",
        (txn, ctx) -> txn.get(ctx, A, (c, v) -> txn.put(c, A, "x")));
  }

  @Test
  void aWriteOfATransactionThatIsDeclaredToWriteNothing() {
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        TransactionOptions.DEFAULTS.forReading(),
        (txn, ctx) -> txn.get(ctx, A, (c, v) -> txn.put(c, B, "x")),
        ended);
    cluster.runUntil(ended::isOver);
    assertThat(ended.failure())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("declared read-only and writes key");
    assertNothingWritten();
  }

  private void assertNothingWritten() {
    assertThat(cluster.sent())
        .noneMatch(
            sent -> sent.message() instanceof Prepare prepare && !prepare.writes().isEmpty());
  }

  @Test
  void twoReadsInOneTurn() {
    assertFails(
        "get after a read in the same turn",
        (txn, ctx) -> {
          txn.get(ctx, A, (c, v) -> txn.commit(c));
          txn.get(ctx, B, (c, v) -> txn.commit(c));
        });
  }

  @Test
  void aWriteAfterARead() {
    assertFails(
        "put after a read in the same turn",
        (txn, ctx) -> {
          txn.get(ctx, A, (c, v) -> txn.commit(c));
          txn.put(ctx, B, "x");
        });
  }

  @Test
  void operationsAfterCommitAndAbort() {
    assertFails(
        "put after commit",
        (txn, ctx) -> {
          txn.commit(ctx);
          txn.put(ctx, A, "x");
        });
    assertFails(
        "commit after abort",
        (txn, ctx) -> {
          txn.abort(ctx);
          txn.commit(ctx);
        });
  }

  @Test
  void theContextOfAnEarlierTurn() {
    assertFails(
        "put with the context of an earlier turn",
        (txn, ctx) ->
            txn.get(
                ctx,
                A,
                (c, v) -> {
                  txn.put(ctx, B, "x");
                  txn.commit(c);
                }));
  }

  @Test
  void theContextOfAnotherTransaction() {
    AtomicReference<Context<String>> kept = new AtomicReference<>();
    run(
        (txn, ctx) -> {
          kept.set(ctx);
          txn.commit(ctx);
        });
    assertFails("context of another transaction", (txn, ctx) -> txn.commit(kept.get()));
  }

  @Test
  void callsOutsideOfATurn() {
    AtomicReference<Transaction<String>> transaction = new AtomicReference<>();
    AtomicReference<Context<String>> context = new AtomicReference<>();
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        (txn, ctx) -> {
          transaction.set(txn);
          context.set(ctx);
          txn.get(ctx, A, (c, v) -> txn.commit(c.with("in order")));
        },
        ended);
    List<Throwable> thrown = new ArrayList<>();
    try {
      transaction.get().put(context.get(), A, "too late");
    } catch (IllegalStateException e) {
      thrown.add(e);
    }
    assertThat(thrown).singleElement().asString().contains("outside of a turn");
    cluster.runUntil(ended::isOver);
    assertThat(ended.committed()).isEqualTo("in order");
    // The transaction has ended: late code is normal now, and does nothing.
    int sent = cluster.sent().size();
    transaction.get().put(context.get(), A, "too late");
    transaction.get().commit(context.get());
    assertThat(cluster.sent()).hasSize(sent);
  }

  @Test
  void exceptionsOfATurnAbortAndReachTheCaller() {
    RuntimeException thrown = new RuntimeException("application's own");
    assertThat(
            run((txn, ctx) -> {
                  txn.put(ctx, A, "x");
                  txn.get(
                      ctx,
                      B,
                      (c, v) -> {
                        txn.commit(c);
                        throw thrown;
                      });
                })
                .failure())
        .isSameAs(thrown);
    cluster.run(5_000);
    assertThat(run((txn, ctx) -> txn.get(ctx, A, (c, v) -> txn.commit(c.with("" + v)))).committed())
        .isEqualTo("null");
  }

  @Test
  void exceptionsOfResultHandlersDisturbNobody() {
    engine.execute(
        "",
        (txn, ctx) -> txn.commit(ctx),
        new ResultHandler<>() {
          @Override
          public void completed(org.mortydb.client.Result<String> result) {
            throw new IllegalArgumentException("handler");
          }

          @Override
          public void failed(Throwable cause) {}
        });
    assertThat(cluster.errors()).singleElement().asString().contains("handler");
    assertThat(run((txn, ctx) -> txn.commit(ctx.with("fine"))).committed()).isEqualTo("fine");
  }

  @Test
  void keysAndValuesThatAreTooLarge() {
    String longKey = "k".repeat(Limits.MAX_KEY_BYTES);
    String longValue = "v".repeat(Limits.MAX_VALUE_BYTES + 1);
    assertThat(run((txn, ctx) -> txn.put(ctx, TEXT.key(longKey), "x")).failure())
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("text/kkk")
        .hasMessageContaining("" + (Limits.MAX_KEY_BYTES + 5))
        .hasMessageContaining("" + Limits.MAX_KEY_BYTES);
    assertThat(run((txn, ctx) -> txn.put(ctx, A, longValue)).failure())
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("text/a")
        .hasMessageContaining("" + longValue.length())
        .hasMessageContaining("" + Limits.MAX_VALUE_BYTES);
  }

  @Test
  void transactionsThatAreTooLarge() {
    String value = "v".repeat(Limits.MAX_VALUE_BYTES);
    assertThat(
            run((txn, ctx) -> {
                  for (int i = 0; i < 9; i++) {
                    txn.put(ctx, TEXT.key("big" + i), value);
                  }
                })
                .failure())
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("text/big")
        .hasMessageContaining("" + Limits.MAX_WRITE_SET_BYTES);
    assertThat(
            run((txn, ctx) -> {
                  for (int i = 0; i <= Limits.MAX_OPERATIONS; i++) {
                    txn.put(ctx, A, "x");
                  }
                })
                .failure())
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("" + Limits.MAX_OPERATIONS);
    List<TypedKey<String>> tooMany = Collections.nCopies(Limits.MAX_OPERATIONS, A);
    assertThat(
            run((txn, ctx) -> {
                  txn.put(ctx, A, "x");
                  txn.getAll(ctx, tooMany, (c, v) -> txn.commit(c));
                })
                .failure())
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("" + (Limits.MAX_OPERATIONS + 1));
  }

  @Test
  void valuesOfAnotherType() {
    run((txn, ctx) -> {
          txn.put(ctx, A, "text");
          txn.commit(ctx);
        })
        .committed();
    cluster.run(5_000);
    TypedKey<Long> asNumber = TypedKey.of(A.key(), Codecs.INT64);
    assertThat(run((txn, ctx) -> txn.get(ctx, asNumber, (c, v) -> txn.commit(c))).failure())
        .isInstanceOf(MalformedValueException.class)
        .hasMessageContaining("text/a")
        .hasMessageContaining("8 bytes");
  }

  @Test
  void aParallelReadOfNothing() {
    assertThat(run((txn, ctx) -> txn.getAll(ctx, List.of(), (c, v) -> txn.commit(c))).failure())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least one key");
  }

  @Test
  void aReadThatWasRefusedDoesNotEndTheTurn() {
    List<TypedKey<String>> keys = new ArrayList<>();
    keys.add(A);
    keys.add(null);
    Ended<String> ended =
        run(
            (txn, ctx) -> {
              try {
                txn.getAll(ctx, keys, (c, v) -> txn.commit(c.with("read")));
              } catch (NullPointerException e) {
                txn.get(ctx, B, (c, v) -> txn.commit(c.with("went on")));
              }
            });
    assertThat(ended.committed()).isEqualTo("went on");
  }

  @Test
  void callsOfAnotherThread() {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Ended<String> ended =
        run(
            (txn, ctx) -> {
              Thread other =
                  new Thread(
                      () -> {
                        try {
                          txn.put(ctx, A, "x");
                        } catch (IllegalStateException e) {
                          thrown.set(e);
                        }
                      });
              other.start();
              try {
                other.join();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              txn.commit(ctx.with("fine"));
            });
    assertThat(thrown.get()).hasMessageContaining("by another thread");
    assertThat(ended.committed()).isEqualTo("fine");
    assertNothingWritten();
  }

  /** Languages without checked exceptions throw them anywhere. */
  @Test
  void checkedExceptionsOfResultHandlersDisturbNobody() {
    engine.execute(
        "",
        (txn, ctx) -> txn.commit(ctx),
        new ResultHandler<>() {
          @Override
          public void completed(org.mortydb.client.Result<String> result) {
            MisuseTest.<RuntimeException>throwUnchecked(new IOException("handler"));
          }

          @Override
          public void failed(Throwable cause) {}
        });
    assertThat(cluster.errors()).singleElement().asString().contains("handler");
    assertThat(run((txn, ctx) -> txn.commit(ctx.with("fine"))).committed()).isEqualTo("fine");
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void throwUnchecked(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  void whatIsMissing() {
    assertThatThrownBy(() -> new TransactionOptions(1_000, null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("retry");
    assertThatThrownBy(() -> TransactionOptions.DEFAULTS.withReadLevel(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("readLevel");
    assertThatThrownBy(() -> TransactionOptions.DEFAULTS.withDurability(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("durability");
  }
}
