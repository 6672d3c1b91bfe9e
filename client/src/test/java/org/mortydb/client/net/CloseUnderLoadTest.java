package org.mortydb.client.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.Codecs;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.fixture.NetworkCluster;
import org.mortydb.protocol.model.Key;

/** A client that is closed while threads use it tells each of them how its transaction ended. */
@Timeout(90)
class CloseUnderLoadTest {
  private static final int ROUNDS = Integer.getInteger("rounds", 2);
  private static final int THREADS = 6;

  private final AtomicLong committed = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private final AtomicReference<Throwable> unexpected = new AtomicReference<>();

  @Test
  void everyCallEndsAndNoneIsTakenForAnother() throws Exception {
    try (NetworkCluster cluster = NetworkCluster.start(2)) {
      for (int round = 0; round < ROUNDS; round++) {
        MortyClient client =
            MortyClient.connect(cluster.config(), ClientOptions.inRegion("r0").withEngines(2));
        // A key of its own: what the last client has left open is recovered in a few seconds.
        TypedKey<Long> counter = counter(round);
        CountDownLatch running = new CountDownLatch(THREADS);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          boolean direct = i % 2 == 0;
          threads.add(Thread.ofVirtual().start(() -> count(client, counter, direct, running)));
        }
        running.await();
        Thread.sleep(ThreadLocalRandom.current().nextInt(50));
        client.close();
        for (Thread thread : threads) {
          assertThat(thread.join(Duration.ofSeconds(10))).isTrue();
        }
        assertThat(unexpected.get()).isNull();
      }
      try (MortyClient client =
          MortyClient.connect(cluster.config(), ClientOptions.inRegion("r0"))) {
        Result<Long> read =
            client.run(
                TransactionOptions.DEFAULTS.withDeadlineMicros(50_000_000),
                txn -> {
                  long sum = 0;
                  for (int round = 0; round < ROUNDS; round++) {
                    sum += txn.getOrDefault(counter(round), 0L);
                  }
                  return sum;
                });
        assertThat(read)
            .isInstanceOfSatisfying(
                Result.Committed.class,
                result ->
                    assertThat((Long) result.value())
                        .isBetween(committed.get(), committed.get() + unknown.get()));
        assertThat(committed.get()).isPositive();
      }
    }
  }

  private static TypedKey<Long> counter(int round) {
    return TypedKey.of(Key.of("counter" + round), Codecs.INT64);
  }

  /** Increments until the client is closed. */
  private void count(
      MortyClient client, TypedKey<Long> counter, boolean direct, CountDownLatch running) {
    try {
      while (true) {
        Result<?> result =
            direct
                ? client.run(
                    txn -> {
                      long next = txn.getOrDefault(counter, 0L) + 1;
                      txn.put(counter, next);
                      return next;
                    })
                : client
                    .execute(
                        0L,
                        (txn, ctx) ->
                            txn.get(
                                ctx,
                                counter,
                                (c, before) -> {
                                  long next = before == null ? 1 : before + 1;
                                  txn.put(c, counter, next);
                                  txn.commit(c.with(next));
                                }))
                    .get(20, TimeUnit.SECONDS);
        running.countDown();
        switch (result) {
          case Result.Committed<?> _ -> committed.incrementAndGet();
          case Result.OutcomeUnknown<?> _ -> unknown.incrementAndGet();
          case Result.AbortedByConflict<?> _ -> {}
          case Result.AbortedByApplication<?> aborted ->
              throw new AssertionError("nobody has aborted: " + aborted);
        }
      }
    } catch (ClientClosedException e) {
      // the end
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof ClientClosedException)) {
        unexpected.set(e);
      }
    } catch (Throwable e) {
      unexpected.set(e);
    } finally {
      running.countDown();
    }
  }
}
