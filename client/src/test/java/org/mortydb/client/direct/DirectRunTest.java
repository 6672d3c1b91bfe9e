package org.mortydb.client.direct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectBody;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.DirectTransaction.PendingRead;
import org.mortydb.client.Entry;
import org.mortydb.client.KeySpace;
import org.mortydb.client.LimitExceededException;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.engine.ClientEngine;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.fixture.ClusterThread;
import org.mortydb.client.fixture.TestCluster;
import org.mortydb.client.fixture.TestCluster.Network;
import org.mortydb.client.fixture.TestCluster.Sent;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.GetReply;
import org.mortydb.protocol.message.Message.Scan;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;

/** The direct style over real replicas, in real time: bodies on their own threads. */
@Timeout(20)
class DirectRunTest {
  private static final KeySpace<String, String> TEXT =
      KeySpace.of("text", Codecs.STRING, Codecs.STRING);
  private static final TypedKey<String> A = TEXT.key("a");
  private static final TypedKey<String> B = TEXT.key("b");
  private static final TypedKey<String> C = TEXT.key("c");
  private static final TypedKey<String> D = TEXT.key("d");

  private final TestCluster cluster = new TestCluster(2);
  private final ClientEngine engine = cluster.client(1, EngineOptions.DEFAULTS);
  private final ClientEngine other = cluster.client(2, EngineOptions.DEFAULTS);

  // Messages take 100 µs.
  private final ClusterThread thread = start();

  private ClusterThread start() {
    cluster.network((from, to, message) -> 100);
    return new ClusterThread(cluster);
  }

  @AfterEach
  void stop() throws InterruptedException {
    thread.close();
  }

  private <R> Result<R> run(DirectBody<R> body) {
    return DirectRun.run(engine, thread, TransactionOptions.DEFAULTS, body);
  }

  private static <R> R committed(Result<R> result) {
    if (result instanceof Result.Committed<R> committed) {
      return committed.value();
    }
    throw new AssertionError("not committed: " + result);
  }

  private void write(TypedKey<String> key, String value) throws Exception {
    committed(
        run(
            txn -> {
              txn.put(key, value);
              return null;
            }));
    settle();
  }

  private String read(TypedKey<String> key) {
    return committed(run(txn -> txn.get(key)));
  }

  /** Runs something on the cluster's thread. */
  private <T> T ask(java.util.function.Supplier<T> question) throws Exception {
    return CompletableFuture.supplyAsync(question, thread).get(10, TimeUnit.SECONDS);
  }

  /** Waits until outcomes have reached all replicas. */
  private static void settle() throws InterruptedException {
    Thread.sleep(5);
  }

  private int getsOf(TypedKey<?> key) throws Exception {
    Key plain = key.key();
    return ask(
        () ->
            (int)
                cluster.sent().stream()
                    .filter(s -> s.message() instanceof Get get && get.key().equals(plain))
                    .count());
  }

  /**
   * A transaction that begins now, and writes and commits when told to: what began later and has
   * read the key by then is stale.
   */
  private final class EarlyWriter {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private final CompletableFuture<Result<String>> result;

    EarlyWriter(TypedKey<String> key, String value) throws InterruptedException {
      result =
          CompletableFuture.supplyAsync(
              () ->
                  DirectRun.run(
                      other,
                      thread,
                      TransactionOptions.DEFAULTS,
                      txn -> {
                        txn.get(TEXT.key("elsewhere"));
                        begun.countDown();
                        awaitQuietly(go);
                        txn.put(key, value);
                        return value;
                      }),
              task -> Thread.ofVirtual().start(task));
      begun.await();
    }

    /** Lets it write, and returns when the write has reached everybody. */
    void write() {
      go.countDown();
      result.join();
      try {
        settle();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    void assertCommitted() {
      assertThat(result.join().isCommitted()).isTrue();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void readsAndWrites() throws Exception {
    write(A, "one");
    Result<String> result =
        run(
            txn -> {
              String a = txn.get(A);
              txn.put(B, a + "x");
              txn.delete(A);
              assertThat(txn.get(A)).isNull();
              assertThat(txn.getOrDefault(A, "none")).isEqualTo("none");
              return txn.get(B);
            });
    assertThat(committed(result)).isEqualTo("onex");
    assertThat(result.info().attempts()).isEqualTo(1);
    settle();
    assertThat(read(A)).isNull();
    assertThat(read(B)).isEqualTo("onex");
  }

  @Test
  void scansWithItsOwnWrites() throws Exception {
    write(A, "a");
    write(C, "c");
    List<Entry<String, String>> found =
        committed(
            run(
                txn -> {
                  TextPending pending = new TextPending(txn.getAsync(A));
                  txn.put(B, "own");
                  List<Entry<String, String>> all = txn.scan(TEXT.all(), 10);
                  assertThat(pending.read.await()).isEqualTo("a");
                  return all;
                }));
    assertThat(found)
        .containsExactly(new Entry<>("a", "a"), new Entry<>("b", "own"), new Entry<>("c", "c"));
  }

  private record TextPending(DirectTransaction.PendingRead<String> read) {}

  @Test
  void aStaleScanRunsTheBodyAgainAndWhatCameBeforeItCostsNoMessage() throws Exception {
    write(A, "a");
    EarlyWriter early = new EarlyWriter(B, "inserted");
    List<String> runs = new ArrayList<>();
    int before = ask(() -> cluster.count(Scan.class));
    Result<Integer> result =
        run(
            txn -> {
              txn.put(D, "first");
              int found = txn.scan(TEXT.range("a", "c"), 10).size();
              runs.add("found " + found);
              if (found == 1) {
                early.write();
              }
              txn.put(C, "found " + found);
              return found;
            });
    assertThat(committed(result)).isEqualTo(2);
    assertThat(runs).containsExactly("found 1", "found 2");
    assertThat(result.info().attempts()).isEqualTo(1);
    assertThat(ask(() -> cluster.count(Scan.class))).isEqualTo(before + 2);
    early.assertCommitted();
    settle();
    assertThat(read(C)).isEqualTo("found 2");
  }

  @Test
  void aBodyThatScansSomethingElseTheSecondTimeIsGivenAnotherAttempt() throws Exception {
    write(A, "a");
    EarlyWriter early = new EarlyWriter(B, "newer");
    AtomicInteger runs = new AtomicInteger();
    Result<Integer> result =
        run(
            txn -> {
              int run = runs.incrementAndGet();
              int found = txn.scan(run == 2 ? TEXT.from("b") : TEXT.range("a", "b"), 10).size();
              txn.get(B);
              if (run == 1) {
                early.write();
              }
              return found;
            });
    assertThat(committed(result)).isEqualTo(1);
    assertThat(result.info().attempts()).isEqualTo(2);
  }

  @Test
  void runsOnTheCallingThreadVirtualOrNot() throws Exception {
    Thread caller = Thread.currentThread();
    Thread runner = committed(run(txn -> Thread.currentThread()));
    assertThat(runner).isEqualTo(caller);
    CompletableFuture<Boolean> virtual = new CompletableFuture<>();
    Thread.startVirtualThread(
        () ->
            virtual.complete(
                committed(
                    run(
                        txn -> {
                          txn.get(A);
                          return Thread.currentThread().isVirtual();
                        }))));
    assertThat(virtual.get(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aStaleReadRunsTheBodyAgainAndEarlierReadsCostNoMessage() throws Exception {
    write(A, "a");
    write(B, "old");
    EarlyWriter writer = new EarlyWriter(B, "new");
    List<String> runs = new ArrayList<>();
    Result<String> result =
        run(
            txn -> {
              String a = txn.get(A);
              txn.put(D, a);
              String b = txn.get(B);
              runs.add(a + b);
              writer.write();
              String c = txn.get(C);
              txn.put(D, a + b + c);
              return a + b + c;
            });
    writer.assertCommitted();
    assertThat(committed(result)).isEqualTo("anewnull");
    assertThat(runs).containsExactly("aold", "anew");
    assertThat(result.info().reexecutions()).isEqualTo(1);
    assertThat(result.info().attempts()).isEqualTo(1);
    assertThat(getsOf(A)).isEqualTo(1);
    assertThat(getsOf(B)).isEqualTo(1);
    assertThat(getsOf(C)).isEqualTo(1);
    settle();
    assertThat(read(D)).isEqualTo("anewnull");
  }

  /** When the body runs again, the value is there. It has to take the same path as before. */
  @Test
  void aMergeAfterAReadThatIsStillUnderWayIsRepeated() throws Exception {
    TypedKey<Long> sum = TypedKey.of(Key.of("sum"), Codecs.INT64);
    write(A, "old");
    EarlyWriter writer = new EarlyWriter(A, "new");
    AtomicInteger runs = new AtomicInteger();
    Result<Long> result =
        run(
            txn -> {
              PendingRead<Long> before = txn.getAsync(sum);
              txn.add(sum, 5);
              txn.get(A);
              if (runs.incrementAndGet() == 1) {
                writer.write();
              }
              txn.get(B);
              return before.await();
            });
    writer.assertCommitted();
    assertThat(committed(result)).isNull();
    assertThat(runs).hasValue(2);
    assertThat(result.info().attempts()).isEqualTo(1);
    settle();
    Result<Long> stored = run(txn -> txn.get(sum));
    assertThat(committed(stored)).isEqualTo(5L);
  }

  @Test
  void aValueTooLongToPutIfAbsentIsRefusedBeforeAnythingIsSent() {
    String longest = "x".repeat(Limits.MAX_VALUE_BYTES);
    assertThatThrownBy(
            () ->
                run(
                    txn -> {
                      txn.putIfAbsent(A, longest);
                      return null;
                    }))
        .isInstanceOf(LimitExceededException.class);
  }

  @Test
  void aStaleReadAfterCommitRunsTheBodyAgain() throws Exception {
    write(A, "old");
    EarlyWriter writer = new EarlyWriter(A, "new");
    AtomicInteger runs = new AtomicInteger();
    Result<String> result =
        run(
            txn -> {
              String a = txn.get(A);
              if (runs.incrementAndGet() == 1) {
                // No call follows in this run, so only the votes tell that it is stale.
                writer.write();
              }
              txn.put(B, "" + a);
              return a;
            });
    assertThat(committed(result)).isEqualTo("new");
    assertThat(runs).hasValue(2);
    settle();
    assertThat(read(B)).isEqualTo("new");
  }

  @Test
  void readsBegunTogetherGoOutTogether() throws Exception {
    write(A, "a");
    write(C, "c");
    int before = ask(() -> cluster.sent().size());
    Result<String> result =
        run(
            txn -> {
              PendingRead<String> a = txn.getAsync(A);
              PendingRead<String> b = txn.getAsync(B);
              PendingRead<String> c = txn.getAsync(C);
              return a.await() + b.await() + c.await();
            });
    assertThat(committed(result)).isEqualTo("anullc");
    List<Message> reads =
        ask(
            () ->
                cluster.sent().stream()
                    .skip(before)
                    .map(Sent::message)
                    .filter(message -> message instanceof Get || message instanceof GetReply)
                    .toList());
    assertThat(reads).hasSize(6);
    assertThat(reads.subList(0, 3)).hasOnlyElementsOfType(Get.class);
  }

  @Test
  void aStaleParallelReadRunsTheBodyAgainWithTheNewValue() throws Exception {
    write(A, "a");
    write(B, "old");
    EarlyWriter writer = new EarlyWriter(B, "new");
    List<String> runs = new ArrayList<>();
    Result<String> result =
        run(
            txn -> {
              PendingRead<String> a = txn.getAsync(A);
              PendingRead<String> b = txn.getAsync(B);
              String both = a.await() + b.await() + txn.attempt();
              runs.add(both);
              writer.write();
              txn.put(D, both);
              return both;
            });
    writer.assertCommitted();
    assertThat(committed(result)).isEqualTo("anew1");
    assertThat(runs).containsExactly("aold1", "anew1");
    settle();
    assertThat(read(D)).isEqualTo("anew1");
  }

  @Test
  void aBegunReadDoesNotSeeLaterWrites() throws Exception {
    write(A, "stored");
    Result<String> result =
        run(
            txn -> {
              PendingRead<String> before = txn.getAsync(A);
              txn.put(A, "mine");
              PendingRead<String> after = txn.getAsync(A);
              return before.await() + " " + after.await() + " " + txn.get(A);
            });
    assertThat(committed(result)).isEqualTo("stored mine mine");
    settle();
    assertThat(read(A)).isEqualTo("mine");
  }

  @Test
  void readsThatNobodyWaitsForAreReadsAllTheSame() throws Exception {
    Result<String> result =
        run(
            txn -> {
              txn.getAsync(A);
              txn.put(B, "x");
              return "done";
            });
    assertThat(committed(result)).isEqualTo("done");
    assertThat(getsOf(A)).isEqualTo(1);
    settle();
    assertThat(read(B)).isEqualTo("x");
  }

  @Test
  void getAllKeepsOrder() throws Exception {
    write(A, "a");
    write(C, "c");
    List<String> values = committed(run(txn -> txn.getAll(List.of(C, B, A, C))));
    assertThat(values).containsExactly("c", null, "a", "c");
    assertThatThrownBy(() -> run(txn -> txn.getAll(List.<TypedKey<String>>of())))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void abortLeavesNothing() throws Exception {
    Result<String> result =
        run(
            txn -> {
              txn.put(A, "never");
              txn.get(B);
              throw txn.abort();
            });
    assertThat(result).isInstanceOf(Result.AbortedByApplication.class);
    settle();
    assertThat(read(A)).isNull();
  }

  @Test
  void exceptionsLeaveNothingAndReachTheCaller() throws Exception {
    IllegalArgumentException thrown = new IllegalArgumentException("mine");
    assertThatThrownBy(
            () ->
                run(
                    txn -> {
                      txn.put(A, "never");
                      txn.get(B);
                      throw thrown;
                    }))
        .isSameAs(thrown);
    settle();
    assertThat(read(A)).isNull();
    assertThatThrownBy(
            () -> {
              run(
                  txn -> {
                    txn.put(TEXT.key("k".repeat(Limits.MAX_KEY_BYTES)), "x");
                    return null;
                  });
            })
        .isInstanceOf(LimitExceededException.class);
  }

  @Test
  void aBodyThatSwallowsTheUnwindingIsUnwoundAtItsNextCall() throws Exception {
    write(A, "old");
    EarlyWriter writer = new EarlyWriter(A, "new");
    Result<String> result =
        run(
            txn -> {
              String a = txn.get(A);
              writer.write();
              for (int i = 0; i < 3; i++) {
                try {
                  txn.get(B);
                } catch (Throwable swallowed) {
                  // Against the rules.
                }
              }
              return a;
            });
    assertThat(committed(result)).isEqualTo("new");
  }

  @Test
  void aBodyThatReadsOtherKeysOnReplayIsCorrect() throws Exception {
    write(A, "old");
    write(B, "b");
    write(C, "c");
    EarlyWriter writer = new EarlyWriter(A, "new");
    AtomicInteger runs = new AtomicInteger();
    Result<String> result =
        run(
            txn -> {
              // Another key in every run, before and after the one that becomes stale.
              String first = txn.get(runs.incrementAndGet() % 2 == 1 ? B : C);
              String a = txn.get(A);
              writer.write();
              return first + a + txn.get(D);
            });
    assertThat(committed(result)).isIn("bnew", "cnew", "bnewnull", "cnewnull").contains("new");
    assertThat(result.info().attempts()).isEqualTo(1);
    assertThat(runs).hasValue(2);
    assertThat(committed(result)).startsWith("c");
  }

  @Test
  void aBodyThatWritesOtherKeysOnReplayIsTriedAgain() throws Exception {
    write(A, "old");
    EarlyWriter writer = new EarlyWriter(A, "new");
    AtomicInteger runs = new AtomicInteger();
    Result<String> result =
        run(
            txn -> {
              boolean first = runs.incrementAndGet() == 1;
              txn.put(first ? B : C, "run " + first);
              String a = txn.get(A);
              writer.write();
              txn.get(D);
              return a;
            });
    assertThat(committed(result)).isEqualTo("new");
    assertThat(result.info().attempts()).isEqualTo(2);
    settle();
    assertThat(read(B)).isNull();
    assertThat(read(C)).isEqualTo("run false");
  }

  @Test
  void aBodyThatLeavesOutAWriteOnReplayIsTriedAgain() throws Exception {
    write(A, "old");
    EarlyWriter writer = new EarlyWriter(A, "new");
    AtomicInteger runs = new AtomicInteger();
    Result<String> result =
        run(
            txn -> {
              if (runs.incrementAndGet() == 1) {
                txn.put(B, "only once");
              }
              String a = txn.get(A);
              writer.write();
              return a + txn.get(D);
            });
    assertThat(committed(result)).isEqualTo("newnull");
    assertThat(result.info().attempts()).isEqualTo(2);
    settle();
    assertThat(read(B)).isNull();
  }

  @Test
  void aBodyThatAbortsAfterItLeftOutAWriteOnReplayIsTriedAgain() throws Exception {
    assertTriedAgainIfItGivesUpDiverged(DirectTransaction::abort);
  }

  @Test
  void aBodyThatThrowsAfterItLeftOutAWriteOnReplayIsTriedAgain() throws Exception {
    assertTriedAgainIfItGivesUpDiverged(txn -> new AssertionError("diverged"));
  }

  /** The second run leaves out a write, which the coordinator keeps, and then gives up. */
  private void assertTriedAgainIfItGivesUpDiverged(Function<DirectTransaction, Error> givingUp)
      throws Exception {
    write(A, "old");
    EarlyWriter writer = new EarlyWriter(A, "new");
    AtomicInteger runs = new AtomicInteger();
    Result<String> result =
        run(
            txn -> {
              int run = runs.incrementAndGet();
              if (run == 1) {
                txn.put(B, "only once");
              }
              String a = txn.get(A);
              writer.write();
              if (run == 2) {
                throw givingUp.apply(txn);
              }
              return a + txn.get(D);
            });
    assertThat(committed(result)).isEqualTo("newnull");
    assertThat(runs).hasValue(3);
    assertThat(result.info().attempts()).isEqualTo(2);
    settle();
    assertThat(read(B)).isNull();
  }

  @Test
  void aBodyThatWrapsTheUnwindingIsRunAgain() throws Exception {
    write(A, "old");
    EarlyWriter writer = new EarlyWriter(A, "new");
    Result<String> result =
        run(
            txn -> {
              String a = txn.get(A);
              writer.write();
              try {
                txn.get(B);
              } catch (Throwable wrapped) { // against the rules
                throw new IllegalStateException(wrapped);
              }
              return a;
            });
    assertThat(committed(result)).isEqualTo("new");
    assertThat(result.info().attempts()).isEqualTo(1);
  }

  @Test
  void theDeadlineEndsABodyThatMakesNoCall() throws Exception {
    Result<String> result =
        DirectRun.run(
            engine,
            thread,
            TransactionOptions.DEFAULTS.withDeadlineMicros(20_000),
            txn -> {
              try {
                Thread.sleep(60);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              return txn.get(A);
            });
    assertThat(result).isInstanceOf(Result.AbortedByConflict.class);
  }

  @Test
  void interruptsArePendingAfterwards() throws Exception {
    Thread.currentThread().interrupt();
    Result<String> result = run(txn -> txn.get(A));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(result.isCommitted()).isTrue();
  }

  @Test
  void misuse() throws Exception {
    AtomicReference<DirectTransaction> leaked = new AtomicReference<>();
    run(
        txn -> {
          leaked.set(txn);
          assertThatThrownBy(() -> CompletableFuture.runAsync(() -> txn.get(A)).join())
              .hasCauseInstanceOf(IllegalStateException.class);
          assertThatThrownBy(() -> run(inner -> null))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("outside effect");
          return null;
        });
    assertThatThrownBy(() -> leaked.get().get(A)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aClosedEngineIsSaid() throws Exception {
    ask(
        () -> {
          engine.close();
          return null;
        });
    assertThatThrownBy(() -> run(txn -> txn.get(A))).isInstanceOf(ClientClosedException.class);
  }

  @Test
  void closingEndsARunningBody() throws Exception {
    ask(
        () -> {
          cluster.network((from, to, message) -> Network.LOST);
          return null;
        });
    CompletableFuture<Object> run = new CompletableFuture<>();
    Thread.startVirtualThread(
        () -> {
          try {
            run.complete(run(txn -> txn.get(A)));
          } catch (ClientClosedException e) {
            run.complete(e);
          }
        });
    settle();
    ask(
        () -> {
          engine.close();
          return null;
        });
    assertThat(run.get(10, TimeUnit.SECONDS)).isInstanceOf(ClientClosedException.class);
  }

  @Test
  void incrementsAreNotLost() throws Exception {
    TypedKey<Long> counter = TypedKey.of(Key.of("counter"), Codecs.INT64);
    int threads = 8;
    int each = 25;
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      ClientEngine mine = t % 2 == 0 ? engine : other;
      CompletableFuture<Void> done = new CompletableFuture<>();
      all.add(done);
      Thread.startVirtualThread(
          () -> {
            try {
              for (int i = 0; i < each; i++) {
                committed(
                    DirectRun.run(
                        mine,
                        thread,
                        TransactionOptions.DEFAULTS,
                        txn -> {
                          txn.put(counter, txn.getOrDefault(counter, 0L) + 1);
                          return null;
                        }));
              }
              done.complete(null);
            } catch (Throwable e) {
              done.completeExceptionally(e);
            }
          });
    }
    for (CompletableFuture<Void> done : all) {
      done.get(15, TimeUnit.SECONDS);
    }
    Long count = committed(run(txn -> txn.get(counter)));
    assertThat(count).isEqualTo((long) threads * each);
  }

  /** The value that is in memory was read before the merge, so the run has left its path. */
  @Test
  void aBodyThatMergesBeforeAReadOnReplayIsTriedAgain() throws Exception {
    TypedKey<Long> sum = TypedKey.of(Key.of("sum"), Codecs.INT64);
    write(A, "old");
    EarlyWriter writer = new EarlyWriter(A, "new");
    AtomicInteger runs = new AtomicInteger();
    Result<Long> result =
        run(
            txn -> {
              int nth = runs.incrementAndGet();
              if (nth > 1) {
                txn.add(sum, 5);
              }
              Long seen = txn.get(sum);
              txn.get(A);
              if (nth == 1) {
                writer.write();
              }
              txn.get(B);
              return seen;
            });
    writer.assertCommitted();
    assertThat(runs.get()).isGreaterThan(1);
    assertThat(committed(result)).isEqualTo(5L);
  }

  @Test
  void anAbortThatTheBodySwallowsIsAnAbort() throws Exception {
    write(A, "a");
    AtomicInteger went = new AtomicInteger();
    Result<String> result =
        run(
            txn -> {
              txn.get(A);
              try {
                throw txn.abort();
              } catch (Throwable swallowed) {
                went.incrementAndGet();
              }
              try {
                txn.put(B, "never");
                went.incrementAndGet();
              } finally {
                // Hides the unwinding of the last call.
                throwIf(went.get() > 0);
              }
              return "value";
            });
    assertThat(result)
        .isInstanceOfSatisfying(
            Result.AbortedByApplication.class, end -> assertThat(end.value()).isNull());
    assertThat(went).hasValue(1);
    settle();
    assertThat(read(B)).isNull();
  }

  private static void throwIf(boolean condition) {
    if (condition) {
      throw new IllegalStateException("of the body, after its abort");
    }
  }

  @Test
  void aReadThatWasBegunIsNotWaitedForOutsideOfTheBody() throws Exception {
    write(A, "a");
    AtomicReference<PendingRead<String>> kept = new AtomicReference<>();
    committed(
        run(
            txn -> {
              txn.get(A);
              kept.set(txn.getAsync(A));
              return null;
            }));
    assertThatThrownBy(() -> kept.get().await())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("outside of its body");
  }
}
