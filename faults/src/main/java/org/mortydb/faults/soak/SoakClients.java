package org.mortydb.faults.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.faults.kit.Pace;
import org.mortydb.workloads.load.AbortCounter;
import org.mortydb.workloads.load.LastingLoad;
import org.mortydb.workloads.load.LastingLoad.Tally;
import org.mortydb.workloads.load.Target;

/**
 * The clients of a soak. Now and then one is closed in the middle of its transactions and replaced
 * by a new one. The servers must decide the transactions that were about to commit. Used by one
 * thread.
 */
final class SoakClients implements AutoCloseable {
  private static final int MOST_CLIENTS = 4;

  /** The interval between deaths of clients, relative to that between kills of servers. */
  private static final double INTERVAL_FACTOR = 1.5;

  private static final TransactionOptions PATIENCE =
      new TransactionOptions(10_000_000, new RetryPolicy(Integer.MAX_VALUE, 1_000, 50_000));

  /** One client, or the place of one. */
  private static final class Slot {
    final String region;
    final int sessions;
    final HistoryLog log;
    @Nullable MortyClient client;
    LastingLoad.@Nullable Group group;

    Slot(String region, int sessions, HistoryLog log) {
      this.region = region;
      this.sessions = sessions;
      this.log = log;
    }
  }

  private final ClusterConfig config;
  private final LastingLoad load;
  private final SoakOptions options;
  private final RandomGenerator random;
  private final List<Slot> slots = new ArrayList<>();
  private Tally ofTheDead = new Tally(0, 0);
  private long nextDeathNanos;
  private int deaths;

  SoakClients(
      ClusterConfig config,
      ClusterSettings settings,
      LastingLoad load,
      SoakOptions options,
      HistoryFolder histories,
      RandomGenerator random)
      throws IOException {
    this.config = config;
    this.load = load;
    this.options = options;
    this.random = random;
    int count = Math.min(MOST_CLIENTS, options.clients());
    List<String> regions = settings.regions();
    for (int i = 0; i < count; i++) {
      int sessions = options.clients() / count + (i < options.clients() % count ? 1 : 0);
      slots.add(new Slot(regions.get(i % regions.size()), sessions, histories.newLog()));
    }
  }

  /** A client with the patience of all. */
  static MortyClient connect(ClusterConfig config, String region, AbortCounter aborts) {
    return MortyClient.connect(
        config, ClientOptions.inRegion(region).withTransaction(PATIENCE).withListener(aborts));
  }

  /** Connects all and begins. */
  void begin() {
    for (Slot slot : slots) {
      connect(slot);
    }
    scheduleDeath();
  }

  private void connect(Slot slot) {
    AbortCounter aborts = new AbortCounter();
    MortyClient client = connect(config, slot.region, aborts);
    slot.client = client;
    slot.group = load.begin(new Target(client, aborts, slot.log), slot.sessions);
  }

  private void scheduleDeath() {
    nextDeathNanos =
        System.nanoTime() + Pace.nanos(INTERVAL_FACTOR * options.killEverySeconds(), random);
  }

  /**
   * Does what is due.
   *
   * @param reachable whether enough servers are up for new clients
   */
  void step(boolean reachable) {
    for (Slot slot : slots) {
      if (slot.client == null && reachable) {
        try {
          connect(slot);
        } catch (ClusterUnreachableException e) {
          // A server that has just been started may need a moment more; there is a next step.
          return;
        }
      }
    }
    if (System.nanoTime() - nextDeathNanos >= 0) {
      scheduleDeath();
      Slot victim = slots.get(random.nextInt(slots.size()));
      if (victim.client != null) {
        close(victim);
        deaths++;
      }
    }
  }

  private void close(Slot slot) {
    if (slot.group != null) {
      slot.group.stop();
    }
    if (slot.client != null) {
      slot.client.close();
    }
    if (slot.group != null) {
      ofTheDead = ofTheDead.plus(slot.group.takeTally());
    }
    slot.client = null;
    slot.group = null;
  }

  /** What came to an end since this was last asked. */
  Tally takeTally() {
    Tally sum = ofTheDead;
    ofTheDead = new Tally(0, 0);
    for (Slot slot : slots) {
      if (slot.group != null) {
        sum = sum.plus(slot.group.takeTally());
      }
    }
    return sum;
  }

  /** Begins no more transactions, and waits until all have ended. */
  void drain() throws InterruptedException {
    List<LastingLoad.Group> groups =
        slots.stream().map(slot -> slot.group).filter(Objects::nonNull).toList();
    groups.forEach(LastingLoad.Group::stop);
    for (LastingLoad.Group group : groups) {
      group.drain();
    }
  }

  int deaths() {
    return deaths;
  }

  @Override
  public void close() {
    slots.forEach(this::close);
  }
}
