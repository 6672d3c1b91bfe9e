package org.mortydb.faults.soak;

import java.io.IOException;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.faults.kit.Pace;
import org.mortydb.faults.kit.ServerFaults;

/**
 * Kills the servers of a soak again and again, and starts each of them again after a pause. Used by
 * one thread.
 */
final class KillSchedule {
  /** One of so many kills hits all servers. */
  private static final int TOTAL_FAILURE_EVERY = 8;

  /** A server that takes longer to serve will not do so at all. */
  private static final long SERVE_SECONDS = 120;

  private static final long SHORTEST_PAUSE_NANOS = 100_000_000L;
  private static final long POLL_MILLIS = 20;

  private final ProcessCluster servers;
  private final SoakOptions options;
  private final RandomGenerator random;
  private final ServerFaults faults;
  private final int allOneIn;

  /** When a server that is down is started; of one that runs, when it was. */
  private final long[] startNanos;

  private long nextKillNanos;
  private int totalFailures;

  KillSchedule(
      ProcessCluster servers,
      ClusterSettings settings,
      SoakOptions options,
      RandomGenerator random) {
    this.servers = servers;
    this.options = options;
    this.random = random;
    this.faults = new ServerFaults(servers, settings, random);
    this.allOneIn = settings.durability().equals("sync") ? TOTAL_FAILURE_EVERY : 0;
    this.startNanos = new long[servers.size()];
  }

  /** Makes the first kill due one interval from now. */
  void begin() {
    nextKillNanos = System.nanoTime() + Pace.nanos(options.killEverySeconds(), random);
  }

  /**
   * Does what is due.
   *
   * @throws ClusterFailedException when a server has ended that was not killed, or does not serve
   */
  void step() throws IOException, InterruptedException {
    startThoseDue();
    if (System.nanoTime() - nextKillNanos >= 0) {
      begin();
      kill();
    }
  }

  private void startThoseDue() throws IOException {
    faults.look();
    for (int server = 0; server < servers.size(); server++) {
      if (servers.isDown(server) && System.nanoTime() - startNanos[server] >= 0) {
        startNanos[server] = System.nanoTime();
        servers.restart(server);
      }
    }
    // One that starts while another is down may have to wait for that.
    if (IntStream.range(0, servers.size()).noneMatch(servers::isDown)) {
      for (int server = 0; server < servers.size(); server++) {
        if (!servers.isServing(server)
            && System.nanoTime() - startNanos[server] >= SERVE_SECONDS * 1_000_000_000L) {
          throw new ClusterFailedException(
              "server-%d was started %d s ago and does not serve yet; the logs are in %s"
                  .formatted(server + 1, SERVE_SECONDS, servers.keep()));
        }
      }
    }
  }

  private void kill() throws IOException, InterruptedException {
    List<Integer> victims = faults.victims(allOneIn);
    boolean all = victims.size() > 1;
    totalFailures += all ? 1 : 0;
    for (int victim : victims) {
      if (!all && random.nextDouble() < options.wipeShare()) {
        boolean _ = faults.killAndWipe(victim);
      } else {
        boolean _ = faults.kill(victim);
      }
      double pause = options.killEverySeconds() * 0.8 * random.nextDouble();
      startNanos[victim] = System.nanoTime() + SHORTEST_PAUSE_NANOS + (long) (pause * 1e9);
    }
  }

  /** Kills no more; returns when all servers serve. */
  void awaitAllServing() throws IOException, InterruptedException {
    startThoseDue();
    while (notServing() > 0) {
      Thread.sleep(POLL_MILLIS);
      startThoseDue();
    }
    faults.look();
  }

  int notServing() {
    return servers.size() - servers.serving().size();
  }

  ServerFaults faults() {
    return faults;
  }

  /** How often all servers were killed at once. */
  int totalFailures() {
    return totalFailures;
  }
}
