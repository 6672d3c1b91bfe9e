package org.mortydb.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.client.net.MortyClient;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;

/** Merges through the whole stack: client, wire, servers, restart from the log. */
@Timeout(120)
class EmbeddedMergesTest {
  private static EmbeddedCluster cluster;
  private static MortyClient client;

  @BeforeAll
  static void start() {
    cluster = EmbeddedCluster.start();
    client = cluster.client();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static TypedKey<Long> number(String name) {
    return TypedKey.of(Key.of(name), Codecs.INT64);
  }

  private static TypedKey<List<String>> list(String name) {
    return TypedKey.of(Key.of(name), Codecs.listOf(Codecs.STRING));
  }

  private static TypedKey<String> text(String name) {
    return TypedKey.of(Key.of(name), Codecs.STRING);
  }

  private static <V> V get(TypedKey<V> key) {
    return ((Result.Committed<V>) client.run(txn -> txn.get(key))).value();
  }

  private static void commit(Result<?> result) {
    assertThat(result).isInstanceOf(Result.Committed.class);
  }

  private static String add(DirectTransaction txn, String name) {
    txn.add(number(name), 1);
    return "";
  }

  @Test
  void allSumsCountOnceAlsoAfterARestart() throws InterruptedException {
    TypedKey<Long> sum = number("sum");
    TypedKey<Long> highest = number("highest");
    try (var threads = Executors.newFixedThreadPool(8)) {
      for (int i = 1; i <= 200; i++) {
        int n = i;
        threads.execute(
            () ->
                commit(
                    client.run(
                        txn -> {
                          txn.add(sum, n);
                          txn.max(highest, n);
                          return "";
                        })));
      }
      threads.shutdown();
      assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(get(sum)).isEqualTo(20_100);
    assertThat(get(highest)).isEqualTo(200);
    cluster.stop("server-1");
    commit(
        client.run(
            txn -> {
              txn.add(sum, 1);
              return "";
            }));
    cluster.restart("server-1");
    cluster.stop("server-2");
    assertThat(get(sum)).isEqualTo(20_101);
    cluster.restart("server-2");
  }

  @Test
  void severalMergesOfATransactionApplyInTheirOrder() {
    TypedKey<Long> key = number("several");
    commit(
        client.run(
            txn -> {
              txn.putIfAbsent(key, 5L);
              txn.add(key, 2);
              txn.max(key, 3);
              txn.add(key, -1);
              return "";
            }));
    assertThat(get(key)).isEqualTo(6);
    commit(
        client.run(
            txn -> {
              txn.putIfAbsent(key, 5L);
              txn.put(key, 40L);
              txn.add(key, 2);
              return "";
            }));
    assertThat(get(key)).isEqualTo(42);
  }

  @Test
  void aReadBeforeTheMergeIsOneThatCounts() {
    TypedKey<Long> key = number("read before");
    commit(
        client.run(
            txn -> {
              txn.add(key, 1 + txn.getOrDefault(key, 10L));
              return "";
            }));
    assertThat(get(key)).isEqualTo(11);
  }

  @Test
  void badInputIsRefusedBeforeAnythingIsSent() {
    TypedKey<Long> other =
        TypedKey.of(
            Key.of("other codec"), Codecs.mapped(Codecs.STRING, n -> "" + n, Long::parseLong));
    assertThatThrownBy(
            () ->
                client.run(
                    txn -> {
                      txn.add(other, 1);
                      return "";
                    }))
        .hasStackTraceContaining("another codec");
    refuses(txn -> txn.append(list("bad"), "x", 0), "from 1 to 16384");
    refuses(txn -> txn.append(list("bad"), "x", Limits.MAX_LIST_ITEMS + 1), "from 1 to 16384");
    refuses(txn -> txn.append(list("bad"), "x".repeat(600_000), 2), "in a list of at most 2 items");
    TypedKey<List<String>> mapped =
        TypedKey.of(
            Key.of("bad"), Codecs.mapped(Codecs.listOf(Codecs.STRING), list -> list, list -> list));
    refuses(txn -> txn.append(mapped, "x", 2), "no codec of lists");
    String half = "x".repeat(Limits.MAX_VALUE_BYTES / 2);
    refuses(
        txn -> {
          txn.putIfAbsent(text("bad"), half);
          txn.putIfAbsent(text("bad"), half);
        },
        "would have merged");
    refuses(txn -> txn.putIfAbsent(text("bad"), half + half), "would have merged");
    assertThat(get(text("bad"))).isNull();
  }

  private static void refuses(Consumer<DirectTransaction> body, String why) {
    assertThatThrownBy(
            () ->
                client.run(
                    txn -> {
                      body.accept(txn);
                      return "";
                    }))
        .hasStackTraceContaining(why);
  }

  /** The continuation style puts and merges into one key in one write. */
  @Test
  void aMergeThatDoesNotFitTheOwnPutAborts() throws Exception {
    TypedKey<Long> key = number("own put");
    Result<String> result =
        client
            .<String>execute(
                "",
                (txn, ctx) -> {
                  txn.put(ctx, key, Long.MAX_VALUE);
                  txn.add(ctx, key, 1);
                  txn.commit(ctx);
                })
            .get(60, TimeUnit.SECONDS);
    assertThat(result.toString()).contains("MERGE_FAILED");
    assertThat(get(key)).isNull();
  }

  @Test
  void aReadSeesTheOwnMergesBeforeIt() {
    TypedKey<Long> key = number("own merges");
    TypedKey<Long> other = number("own merges, other");
    for (int before = 0; before < 100; before += 10) {
      long expected = before;
      Result<List<Long>> result =
          client.run(
              txn -> {
                txn.add(key, 1);
                long first = txn.getOrDefault(key, 0L);
                txn.add(key, 2); // after a read: a put
                long second = txn.getOrDefault(key, 0L);
                txn.max(key, 0);
                txn.add(key, 7);
                return List.of(first, second, txn.getOrDefault(key, 0L));
              });
      assertThat(((Result.Committed<List<Long>>) result).value())
          .containsExactly(expected + 1, expected + 3, expected + 10);
    }
    assertThat(get(key)).isEqualTo(100);
    Result<Long> late =
        client.run(
            txn -> {
              var begun = txn.getAsync(other); // not waited for, so the merge comes after it
              txn.add(key, 5);
              long merged = txn.getOrDefault(key, 0L);
              Long found = begun.await();
              return merged + (found == null ? 0 : found);
            });
    assertThat(((Result.Committed<Long>) late).value()).isEqualTo(105);
    Result<Long> early =
        client.run(
            txn -> {
              var begun = txn.getAsync(key); // misses the merge
              txn.add(key, 5);
              return Objects.requireNonNull(begun.await()) * 1_000 + txn.getOrDefault(key, 0L);
            });
    assertThat(((Result.Committed<Long>) early).value()).isEqualTo(105_110);
    assertThat(get(key)).isEqualTo(110);
  }

  /** Many run at once, so that many of them execute again. */
  @Test
  void transactionsThatMergeAndReadCountOnce() throws InterruptedException {
    TypedKey<Long> sum = number("merged and read");
    Set<Long> seen = ConcurrentHashMap.newKeySet();
    try (var threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < 100; i++) {
        threads.execute(
            () -> {
              Result<Long> result =
                  client.run(
                      txn -> {
                        txn.add(sum, 1);
                        return txn.getOrDefault(sum, 0L);
                      });
              seen.add(((Result.Committed<Long>) result).value());
            });
      }
      threads.shutdown();
      assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(get(sum)).isEqualTo(100);
    assertThat(seen).hasSize(100);
  }

  @Test
  void listsKeepTheLastItemsInTheOrderOfTheTransactions() throws InterruptedException {
    TypedKey<List<String>> key = list("list");
    for (int i = 0; i < 7; i++) {
      String item = "item " + i;
      commit(
          client.run(
              txn -> {
                txn.append(key, item, 5);
                return "";
              }));
    }
    assertThat(get(key)).containsExactly("item 2", "item 3", "item 4", "item 5", "item 6");
    cluster.stop("server-1");
    commit(
        client.run(
            txn -> {
              txn.append(key, "last", 4);
              assertThat(txn.get(key)).containsExactly("item 4", "item 5", "item 6", "last");
              txn.append(key, "very last", 4);
              return "";
            }));
    cluster.restart("server-1");
    cluster.stop("server-2");
    assertThat(get(key)).containsExactly("item 5", "item 6", "last", "very last");
    cluster.restart("server-2");
    Result<String> result =
        client.run(
            txn -> {
              txn.append(list("sum of another test"), "x", 4);
              txn.add(number("sum of another test"), 1);
              return "";
            });
    assertThat(result.toString()).contains("MERGE_FAILED");
  }

  /** The merge has committed above a put that commits later. */
  @Test
  void aMergeThatTurnsOutNotToFitFailsAllReadsUntilAPut() {
    String name = "found out late";
    commit(
        client.run(
            txn -> {
              CompletableFuture.runAsync(() -> commit(client.run(other -> add(other, name))))
                  .join();
              txn.put(text(name), "words");
              return "";
            }));
    assertThatThrownBy(() -> get(text(name))).hasStackTraceContaining("has failed");
    assertThatThrownBy(() -> get(number(name))).hasStackTraceContaining("has failed");
    commit(
        client.run(
            txn -> {
              txn.put(number(name), 5L);
              txn.add(number(name), 1);
              return "";
            }));
    assertThat(get(number(name))).isEqualTo(6);
  }

  @Test
  void aMergeThatDoesNotFitAborts() {
    commit(
        client.run(
            txn -> {
              txn.put(text("words"), "some words");
              txn.put(number("full"), Long.MAX_VALUE);
              return "";
            }));
    for (String name : new String[] {"words", "full"}) {
      Result<String> result =
          client.run(
              txn -> {
                txn.add(number(name), 1);
                return "";
              });
      assertThat(result.toString()).contains("MERGE_FAILED");
    }
    assertThat(get(text("words"))).isEqualTo("some words");
    assertThat(get(number("full"))).isEqualTo(Long.MAX_VALUE);
  }
}
