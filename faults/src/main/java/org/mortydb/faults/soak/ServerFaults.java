package org.mortydb.faults.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;

/**
 * Kills servers and starts them again. At most f are down at a time, where one that is back counts
 * as down until it serves; now and then, if nothing is lost by that, all are. Used by one thread.
 */
final class ServerFaults {
  /** One of so many kills hits all servers. */
  private static final int TOTAL_FAILURE_EVERY = 8;

  /** A server that takes longer to serve will not do so at all. */
  private static final long SERVE_NANOS = 120_000_000_000L;

  private static final long SHORTEST_PAUSE_NANOS = 100_000_000L;
  private static final long POLL_MILLIS = 20;

  private enum State {
    UP,
    DOWN,
    STARTING
  }

  private final ProcessCluster cluster;
  private final ClusterSettings settings;
  private final SoakOptions options;
  private final RandomGenerator random;
  private final State[] states;

  /** When a server that is down is started, or one that is starting has to serve. */
  private final long[] dueNanos;

  private final boolean[] blank;
  private long nextKillNanos;
  private int kills;
  private int totalFailures;
  private int wipes;
  private int rejoins;

  ServerFaults(
      ProcessCluster cluster,
      ClusterSettings settings,
      SoakOptions options,
      RandomGenerator random) {
    this.cluster = cluster;
    this.settings = settings;
    this.options = options;
    this.random = random;
    this.states = new State[cluster.size()];
    this.dueNanos = new long[cluster.size()];
    this.blank = new boolean[cluster.size()];
    Arrays.fill(states, State.STARTING);
    Arrays.fill(dueNanos, System.nanoTime() + SERVE_NANOS);
  }

  /** The first kill is due one interval from now. */
  void begin() {
    nextKillNanos = System.nanoTime() + killInterval();
  }

  private long killInterval() {
    return (long) (options.killEverySeconds() * 1e9 * (0.5 + random.nextDouble()));
  }

  /**
   * Does what is due.
   *
   * @throws ClusterFailedException when a server has ended that was not killed, or does not serve
   */
  void step() throws IOException, InterruptedException {
    mend(System.nanoTime());
    if (System.nanoTime() - nextKillNanos >= 0) {
      nextKillNanos = System.nanoTime() + killInterval();
      fail();
    }
  }

  private void mend(long now) throws IOException {
    for (int i = 0; i < states.length; i++) {
      switch (states[i]) {
        case UP -> cluster.check(i);
        case DOWN -> {
          if (now - dueNanos[i] >= 0) {
            cluster.restart(i);
            states[i] = State.STARTING;
            dueNanos[i] = now + SERVE_NANOS;
          }
        }
        case STARTING -> {
          cluster.check(i);
          if (cluster.isServing(i)) {
            states[i] = State.UP;
            if (blank[i]) {
              rejoins++;
              blank[i] = false;
            }
          } else if (now - dueNanos[i] >= 0 && !anyDown()) {
            throw new ClusterFailedException(
                "server-%d was started %d s ago and does not serve yet; the logs are in %s"
                    .formatted(i + 1, SERVE_NANOS / 1_000_000_000L, cluster.keep()));
          }
        }
      }
    }
  }

  private boolean anyDown() {
    return Arrays.asList(states).contains(State.DOWN);
  }

  private void fail() throws IOException, InterruptedException {
    List<Integer> up = new ArrayList<>();
    for (int i = 0; i < states.length; i++) {
      if (states[i] == State.UP) {
        up.add(i);
      }
    }
    int notUp = states.length - up.size();
    if (notUp == 0
        && settings.durability().equals("sync")
        && random.nextInt(TOTAL_FAILURE_EVERY) == 0) {
      totalFailures++;
      for (int server : up) {
        kill(server);
      }
    } else if (notUp < settings.f()) {
      int victim = up.get(random.nextInt(up.size()));
      boolean wipe = random.nextDouble() < options.wipeShare();
      kill(victim);
      if (wipe) {
        cluster.wipe(victim);
        wipes++;
      }
      blank[victim] = wipe || settings.durability().equals("memory");
    }
  }

  private void kill(int server) throws InterruptedException {
    cluster.kill(server);
    kills++;
    states[server] = State.DOWN;
    double pause = options.killEverySeconds() * 0.8 * random.nextDouble();
    dueNanos[server] = System.nanoTime() + SHORTEST_PAUSE_NANOS + (long) (pause * 1e9);
  }

  /** Kills no more; returns when all servers serve. */
  void awaitAllUp() throws IOException, InterruptedException {
    while (true) {
      mend(System.nanoTime());
      if (notUp() == 0) {
        return;
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** How many servers do not serve. */
  int notUp() {
    int count = 0;
    for (State state : states) {
      count += state == State.UP ? 0 : 1;
    }
    return count;
  }

  /** Whether a server serves. */
  boolean isUp(int server) {
    return states[server] == State.UP;
  }

  int kills() {
    return kills;
  }

  int totalFailures() {
    return totalFailures;
  }

  int wipes() {
    return wipes;
  }

  int rejoins() {
    return rejoins;
  }
}
