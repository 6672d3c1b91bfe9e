package org.mortydb.faults.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.faults.kit.Pace;
import org.mortydb.workloads.load.AbortCounter;
import org.mortydb.workloads.load.LastingLoad;
import org.mortydb.workloads.load.LastingLoad.Tally;
import org.mortydb.workloads.load.Style;
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

  /** A place for a client, and the client if there is one. */
  private static final class Slot {
    final String region;
    final int sessions;
    final Style style;
    final HistoryLog log;
    @Nullable Running running;

    Slot(String region, int sessions, Style style, HistoryLog log) {
      this.region = region;
      this.sessions = sessions;
      this.style = style;
      this.log = log;
    }
  }

  private record Running(MortyClient client, LastingLoad.Group group) {}

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
      Style style = i % 2 == 0 ? Style.CONTINUATIONS : Style.DIRECT;
      slots.add(new Slot(regions.get(i % regions.size()), sessions, style, histories.newLog()));
    }
  }

  /** Connects a client that retries until its deadline. */
  static MortyClient connect(ClusterConfig config, String region, AbortCounter aborts) {
    return MortyClient.connect(
        config,
        ClientOptions.inRegion(region)
            .withTransaction(RetryDefaults.of(RetryDefaults.retries(config.system(), 0)))
            .withListener(aborts));
  }

  /** Connects all and starts their load. */
  void begin() {
    for (Slot slot : slots) {
      connect(slot);
    }
    scheduleDeath();
  }

  private void connect(Slot slot) {
    AbortCounter aborts = new AbortCounter();
    MortyClient client = connect(config, slot.region, aborts);
    Target target = new Target(slot.style.on(client), aborts, slot.log);
    slot.running = new Running(client, load.begin(target, slot.sessions));
  }

  private void scheduleDeath() {
    nextDeathNanos =
        System.nanoTime() + Pace.nanos(INTERVAL_FACTOR * options.killEverySeconds(), random);
  }

  /**
   * Does what is due.
   *
   * @param reachable whether enough servers serve for new clients
   */
  void step(boolean reachable) {
    for (Slot slot : slots) {
      if (slot.running == null && reachable) {
        try {
          connect(slot);
        } catch (ClusterUnreachableException e) {
          // A server that has just started may need a moment; the next step tries again.
          return;
        }
      }
    }
    if (System.nanoTime() - nextDeathNanos >= 0) {
      scheduleDeath();
      Slot victim = slots.get(random.nextInt(slots.size()));
      if (victim.running != null) {
        close(victim);
        deaths++;
      }
    }
  }

  private void close(Slot slot) {
    Running running = slot.running;
    if (running != null) {
      running.group.stop();
      running.client.close();
      ofTheDead = ofTheDead.plus(running.group.takeTally());
      slot.running = null;
    }
  }

  private List<LastingLoad.Group> groups() {
    return slots.stream()
        .map(slot -> slot.running)
        .filter(Objects::nonNull)
        .map(Running::group)
        .toList();
  }

  /** The numbers since the last call. */
  Tally takeTally() {
    Tally sum = ofTheDead;
    ofTheDead = new Tally(0, 0);
    for (LastingLoad.Group group : groups()) {
      sum = sum.plus(group.takeTally());
    }
    return sum;
  }

  /** Begins no more transactions, and waits until all have ended. */
  void drain() throws InterruptedException {
    groups().forEach(LastingLoad.Group::stop);
    for (LastingLoad.Group group : groups()) {
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
