package org.mortydb.peers.occ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class OptimisticClientTest {
  private static final KeySpace<String, Long> NUMBERS =
      KeySpace.of("n", Codecs.STRING, Codecs.INT64);
  private static final TypedKey<Long> A = NUMBERS.key("a");
  private static final TypedKey<Long> B = NUMBERS.key("b");
  private static final TransactionOptions PATIENT =
      new TransactionOptions(20_000_000, new RetryPolicy(Integer.MAX_VALUE, 10, 100));

  private final MemoryStore store = new MemoryStore(true);
  private final AtomicInteger aborts = new AtomicInteger();
  private final OptimisticClient client =
      new OptimisticClient(store, PATIENT, attempt -> aborts.incrementAndGet());

  @AfterEach
  void close() {
    client.close();
  }

  private void set(TypedKey<Long> key, long value) {
    Result<Integer> result =
        client.run(
            txn -> {
              txn.put(key, value);
              return 0;
            });
    assertThat(result.isCommitted()).isTrue();
  }

  private CompletableFuture<Result<Long>> increment() {
    return client.execute(
        0L,
        (txn, ctx) ->
            txn.get(
                ctx,
                A,
                (after, value) -> {
                  long next = value == null ? 1 : value + 1;
                  txn.put(after, A, next);
                  txn.commit(after.with(next));
                }));
  }

  @Test
  void aScanIsRefusedInBothStyles() {
    TypedRange<Key, Long> range = TypedRange.of(KeyRange.ALL, Codecs.INT64);
    assertThatThrownBy(() -> client.run(txn -> txn.scan(range, 10)))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("cannot scan");
    CompletableFuture<Result<Integer>> scanning =
        client.execute(
            0, (txn, ctx) -> txn.scan(ctx, range, 10, (after, rows) -> txn.commit(after)));
    assertThatThrownBy(scanning::join)
        .hasCauseInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("cannot scan");
  }

  @Test
  void incrementsAtTheSameTimeAreAllCounted() {
    List<CompletableFuture<Result<Long>>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(increment());
    }
    assertThat(all).allMatch(result -> result.join().isCommitted());
    assertThat(client.run(txn -> txn.get(A)))
        .isInstanceOfSatisfying(
            Result.Committed.class, read -> assertThat(read.value()).isEqualTo(200L));
    assertThat(aborts).hasPositiveValue();
  }

  /** What a conflict told is as good as read: the second attempt asks for nothing. */
  @Test
  void theLoserOfAConflictReadsNothingAgain() {
    set(A, 1);
    AtomicInteger begun = new AtomicInteger();
    Result<Long> result =
        client
            .execute(
                0L,
                (txn, ctx) -> {
                  if (begun.incrementAndGet() == 2) {
                    store.reads.set(0);
                  }
                  txn.get(
                      ctx,
                      A,
                      (after, value) -> {
                        if (begun.get() == 1) {
                          set(A, 7);
                        }
                        txn.put(after, B, value);
                        txn.commit(after.with(value));
                      });
                })
            .join();
    assertThat(result)
        .isInstanceOfSatisfying(
            Result.Committed.class,
            committed -> {
              assertThat(committed.value()).isEqualTo(7L);
              assertThat(committed.info().attempts()).isEqualTo(2);
            });
    assertThat(store.reads).hasValue(0);
  }

  @Test
  void aTransactionThatOnlyReadsSeesOneMomentAndIsNotSent() {
    set(A, 1);
    set(B, 1);
    store.commits.set(0);
    Result<Long> result =
        client.run(
            txn -> {
              long a = txn.getOrDefault(A, 0L);
              CompletableFuture.runAsync(() -> set(B, 2)).join();
              return a + txn.getOrDefault(B, 0L);
            });
    assertThat(result)
        .isInstanceOfSatisfying(
            Result.Committed.class, read -> assertThat(read.value()).isEqualTo(2L));
    assertThat(store.commits).as("that of the other one").hasValue(1);
  }

  @Test
  void readsItsOwnWritesAndDeletions() {
    set(A, 1);
    Result<List<Long>> result =
        client.run(
            txn -> {
              txn.put(B, 5L);
              txn.delete(A);
              List<Long> read = new ArrayList<>();
              read.add(txn.getOrDefault(B, -1L));
              read.add(txn.getOrDefault(A, -1L));
              return read;
            });
    assertThat(result)
        .isInstanceOfSatisfying(
            Result.Committed.class, read -> assertThat(read.value()).isEqualTo(List.of(5L, -1L)));
    assertThat(client.run(txn -> txn.getOrDefault(A, -1L)))
        .isInstanceOfSatisfying(
            Result.Committed.class, read -> assertThat(read.value()).isEqualTo(-1L));
  }

  @Test
  void aCommitWithoutAnAnswerIsOfUnknownOutcomeAndNotTriedAgain() {
    store.silent.set(1);
    assertThat(increment().join())
        .isInstanceOfSatisfying(
            Result.OutcomeUnknown.class,
            unknown -> assertThat(unknown.info().attempts()).isEqualTo(1));
    assertThat(store.commits).hasValue(1);
  }

  @Test
  void aReadWithoutAnAnswerIsTriedAgain() {
    store.failing.set(2);
    assertThat(increment().join())
        .isInstanceOfSatisfying(
            Result.Committed.class,
            committed -> assertThat(committed.info().attempts()).isEqualTo(3));
  }

  @Test
  void givesUpAtTheDeadline() {
    store.failing.set(Integer.MAX_VALUE);
    Result<Object> result =
        client.run(
            new TransactionOptions(50_000, new RetryPolicy(Integer.MAX_VALUE, 100, 1_000)),
            txn -> txn.getOrDefault(A, 0L));
    assertThat(result)
        .isInstanceOfSatisfying(
            Result.AbortedByConflict.class,
            lost -> assertThat(lost.reason()).isEqualTo(AbortReason.DEADLINE));
  }

  @Test
  void anAbortOfTheApplicationLeavesNothing() {
    Result<Object> result =
        client.run(
            txn -> {
              txn.put(A, 9L);
              throw txn.abort();
            });
    assertThat(result).isInstanceOf(Result.AbortedByApplication.class);
    assertThat(store.commits).hasValue(0);
  }

  @Test
  void aTurnThatDoesNotEndFailsTheTransaction() {
    assertThatThrownBy(() -> client.execute(0, (txn, ctx) -> {}).join())
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ended without");
  }

  @Test
  void aContextIsGoodForItsOwnTurnOnly() {
    assertThatThrownBy(
            () ->
                client
                    .execute(0, (txn, ctx) -> txn.get(ctx, A, (after, value) -> txn.commit(ctx)))
                    .join())
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("commit outside of the turn");
  }

  @Test
  void aPromiseToWriteNothingIsKept() {
    assertThatThrownBy(
            () ->
                client.run(
                    PATIENT.forReading(),
                    txn -> {
                      txn.put(A, 1L);
                      return 0;
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("read-only");
  }
}
