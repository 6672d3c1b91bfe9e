package org.mortydb.bench.tracing;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.mortydb.client.Client;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.TypedKey;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.Progress.Phase;
import org.mortydb.workloads.sampling.Sampler;

/**
 * Bank transfers between few accounts, with keys that are readable in traces: {@code account/7}.
 */
final class Transfers {
  private static final KeySpace<String, Long> ACCOUNTS =
      KeySpace.of("account", Codecs.STRING, Codecs.INT64);
  private static final long AT_FIRST = 1_000;
  private static final int MOST_AMOUNT = 50;
  private static final double ZIPF = 0.9;
  private static final long POLL_MILLIS = 100;

  private final List<? extends Client> clients;
  private final int sessions;
  private final int accounts;
  private final AtomicLong committed = new AtomicLong();

  /**
   * @param sessions the number of concurrent transactions over all clients
   * @param accounts the number of accounts, at least 2
   */
  Transfers(List<? extends Client> clients, int sessions, int accounts) {
    this.clients = List.copyOf(clients);
    this.sessions = sessions;
    this.accounts = accounts;
  }

  private static TypedKey<Long> account(int number) {
    return ACCOUNTS.key(Integer.toString(number));
  }

  /** Keeps the sessions busy for a while. */
  void run(double seconds, String name, Progress progress) throws InterruptedException {
    AtomicBoolean stop = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    SplittableRandom seeds = new SplittableRandom(sessions);
    for (int i = 0; i < sessions; i++) {
      Client client = clients.get(i % clients.size());
      SplittableRandom random = seeds.split();
      threads.add(Thread.ofVirtual().start(() -> session(client, random, stop)));
    }
    long begin = System.nanoTime();
    try (Phase phase = progress.begin(name, "s", Math.round(seconds))) {
      double elapsed = 0;
      while (elapsed < seconds) {
        Thread.sleep(POLL_MILLIS);
        elapsed = (System.nanoTime() - begin) / 1e9;
        phase.update((long) Math.min(elapsed, seconds), committed + " transfers committed so far");
      }
    } finally {
      stop.set(true);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void session(Client client, SplittableRandom random, AtomicBoolean stop) {
    Sampler drawn = Sampler.ranks(random, accounts, ZIPF);
    while (!stop.get()) {
      int from = drawn.next();
      int to = (from + 1 + random.nextInt(accounts - 1)) % accounts;
      if (transfer(client, account(from), account(to), random.nextInt(1, MOST_AMOUNT + 1))) {
        committed.incrementAndGet();
      }
    }
  }

  private static boolean transfer(
      Client client, TypedKey<Long> from, TypedKey<Long> to, long amount) {
    return client
        .run(
            txn -> {
              long source = txn.getOrDefault(from, AT_FIRST);
              long target = txn.getOrDefault(to, AT_FIRST);
              if (source >= amount) {
                txn.put(from, source - amount);
                txn.put(to, target + amount);
              }
              return source;
            })
        .isCommitted();
  }
}
