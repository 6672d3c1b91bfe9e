package org.mortydb.bench.cluster;

import java.util.List;
import org.mortydb.config.ClusterConfig;

/** A running cluster on this machine. */
public sealed interface LocalCluster extends AutoCloseable permits EmbeddedServers, ProcessCluster {

  /** How long a cluster may take to serve. */
  long START_SECONDS = 60;

  /** Its configuration, for clients. */
  ClusterConfig config();

  /** The servers' processes; none when they run in this one. */
  List<ProcessHandle> processes();

  /**
   * Checks that all servers run that were not killed or stopped.
   *
   * @throws ClusterFailedException when one has ended by itself
   */
  void check();

  /** Ends all servers. */
  @Override
  void close();

  /**
   * Starts a cluster; returns when all servers serve.
   *
   * @throws ClusterFailedException when it cannot be started, or a server does not serve within a
   *     minute
   */
  static LocalCluster start(ClusterSettings settings) throws InterruptedException {
    return settings.processes() ? ProcessCluster.start(settings) : EmbeddedServers.start(settings);
  }
}
