package org.mortydb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Client;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectBody;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.testing.MortyCluster;

@MortyCluster(partitions = 4)
class OrderedIndexTest {
  private static final int SMALL_NODES = 4;
  private static final TransactionOptions PATIENT =
      TransactionOptions.DEFAULTS.withDeadlineMicros(60_000_000);

  private final Client client;

  OrderedIndexTest(Client client) {
    this.client = client;
  }

  private <R> R run(DirectBody<R> body) {
    return switch (client.<R>run(PATIENT, body)) {
      case Result.Committed<R>(R value, var info) -> value;
      case Result<R> other -> throw new AssertionError("not committed: " + other);
    };
  }

  private static LongSupplier newIds(Random random) {
    long[] ids = random.longs(OrderedIndex.NEW_IDS, 1, Long.MAX_VALUE).toArray();
    int[] next = {0};
    return () -> ids[next[0]++ % ids.length];
  }

  /** In a transaction of its own, with all nodes that can be guessed asked for at once. */
  private void add(OrderedIndex index, String key, Random random) {
    List<TypedKey<Node>> guessed = index.guess(key, 0);
    long seed = random.nextLong();
    run(
        txn -> {
          index.prefetch(txn, guessed);
          index.add(txn, key, newIds(new Random(seed)));
          return true;
        });
  }

  private List<String> scan(OrderedIndex index, String from, int count) {
    List<TypedKey<Node>> guessed = index.guess(from, count);
    return run(
        txn -> {
          index.prefetch(txn, guessed);
          return Objects.requireNonNull(index.scan(txn, from, count));
        });
  }

  @Test
  void behavesLikeASortedSet() {
    OrderedIndex index = new OrderedIndex("sorted", SMALL_NODES);
    TreeSet<String> model = new TreeSet<>();
    Random random = new Random(1);
    for (int step = 0; step < 600; step++) {
      String key = "k" + random.nextInt(150);
      if (random.nextInt(3) > 0) {
        add(index, key, random);
        model.add(key);
      } else {
        run(
            txn -> {
              index.remove(txn, key);
              return true;
            });
        model.remove(key);
      }
      if (step % 10 == 9) {
        String from = "k" + random.nextInt(160);
        int count = 1 + random.nextInt(40);
        assertThat(scan(index, from, count))
            .as("step %d: %d from %s", step, count, from)
            .isEqualTo(model.tailSet(from).stream().limit(count).toList());
      }
    }
    assertThat(scan(index, "", 1_000)).containsExactlyElementsOf(model);
  }

  @Test
  void keysOfOneTransactionSplitNodesSeveralTimes() {
    OrderedIndex index = new OrderedIndex("bulk", SMALL_NODES);
    List<String> keys = IntStream.range(100, 200).mapToObj(Integer::toString).toList();
    run(
        txn -> {
          long[] last = {0};
          keys.forEach(key -> index.add(txn, key, () -> ++last[0]));
          return true;
        });
    assertThat(scan(index, "150", 1_000)).isEqualTo(keys.subList(50, 100));
  }

  @Test
  void aTableWithoutIndexIsTold() {
    OrderedIndex index = new OrderedIndex("nothing", SMALL_NODES);
    assertThat(client.run(txn -> index.scan(txn, "", 1)))
        .isInstanceOfSatisfying(
            Result.Committed.class, committed -> assertThat(committed.value()).isNull());
  }

  @Test
  void concurrentInsertsAreAllThere() throws InterruptedException {
    OrderedIndex index = new OrderedIndex("concurrent", SMALL_NODES);
    inParallel(
        8,
        thread -> {
          Random random = new Random(thread);
          for (int i = 0; i < 40; i++) {
            add(index, "%d-%d".formatted(random.nextInt(1_000), thread), random);
          }
        });
    TreeSet<String> expected = new TreeSet<>();
    for (int thread = 0; thread < 8; thread++) {
      Random random = new Random(thread);
      for (int i = 0; i < 40; i++) {
        expected.add("%d-%d".formatted(random.nextInt(1_000), thread));
        random.nextLong(); // what add has drawn
      }
    }
    assertThat(scan(index, "", 10_000)).containsExactlyElementsOf(expected);
  }

  /**
   * Everyone counts the keys of a range, and adds one to it that is named by the count. With a
   * phantom, two would have counted the same.
   */
  @Test
  void nobodyIsAddedToARangeUnnoticed() throws InterruptedException {
    OrderedIndex index = new OrderedIndex("phantoms", SMALL_NODES);
    KeySpace<String, Long> authors = KeySpace.of("author", Codecs.STRING, Codecs.INT64);
    int threads = 6;
    int each = 15;
    inParallel(
        threads,
        thread -> {
          for (int i = 0; i < each; i++) {
            long seed = ThreadLocalRandom.current().nextLong();
            run(
                txn -> {
                  LongSupplier ids = newIds(new Random(seed));
                  List<String> seen = index.scan(txn, "n", 10_000);
                  String key = "n%04d".formatted(seen == null ? 0 : seen.size());
                  index.add(txn, key, ids);
                  TypedKey<Long> author = authors.key(key);
                  txn.put(author, txn.getOrDefault(author, 0L) + 1);
                  return key;
                });
          }
        });
    List<String> keys = scan(index, "", 10_000);
    assertThat(keys)
        .isEqualTo(IntStream.range(0, threads * each).mapToObj("n%04d"::formatted).toList());
    for (String key : keys) {
      Long added = run(txn -> txn.getOrDefault(authors.key(key), 0L));
      assertThat(added).as(key).isEqualTo(1);
    }
  }

  private interface Work {
    void run(int thread);
  }

  private static void inParallel(int threads, Work work) throws InterruptedException {
    List<Throwable> failures = new ArrayList<>();
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int thread = i;
      all.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      work.run(thread);
                    } catch (Throwable e) {
                      synchronized (failures) {
                        failures.add(e);
                      }
                    }
                  }));
    }
    for (Thread thread : all) {
      thread.join();
    }
    assertThat(failures).isEmpty();
  }
}
