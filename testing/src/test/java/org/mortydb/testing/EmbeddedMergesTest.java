package org.mortydb.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
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
    TypedKey<Long> key = number("read after");
    assertThatThrownBy(
            () ->
                client.run(
                    txn -> {
                      txn.add(key, 1);
                      return txn.get(key);
                    }))
        .hasStackTraceContaining("read it before");
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
