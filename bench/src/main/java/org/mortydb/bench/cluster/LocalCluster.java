package org.mortydb.bench.cluster;

import java.util.List;
import org.mortydb.config.ClusterConfig;

/** A running cluster on this machine. */
public sealed interface LocalCluster extends AutoCloseable permits EmbeddedServers, ProcessCluster {

  /** The most time until a cluster serves. */
  long START_SECONDS = 60;

  /** Its configuration, for clients. */
  ClusterConfig config();

  /** The servers' processes; none if they run in this process. */
  List<ProcessHandle> processes();

  /**
   * Checks that all servers run, except those that were killed or stopped.
   *
   * @throws ClusterFailedException if one has ended by itself
   */
  void check();

  /**
   * Kills a server for the rest of the run, and waits for its end.
   *
   * @param server its index, from 0
   * @throws ClusterFailedException if it has no process of its own
   */
  void kill(int server) throws InterruptedException;

  /** Ends all servers. */
  @Override
  void close();

  /**
   * Starts a cluster. Returns when all servers serve.
   *
   * @throws ClusterFailedException if it cannot be started, or a server does not serve within a
   *     minute
   */
  static LocalCluster start(ClusterSettings settings) throws InterruptedException {
    return settings.processes() ? ProcessCluster.start(settings) : EmbeddedServers.start(settings);
  }
}
