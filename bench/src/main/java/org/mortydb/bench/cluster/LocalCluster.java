package org.mortydb.bench.cluster;

import java.util.List;
import org.mortydb.transport.config.ClusterConfig;

/** A running cluster on this machine. */
public sealed interface LocalCluster extends AutoCloseable permits EmbeddedCluster, ProcessCluster {

  /** Its configuration, for clients. */
  ClusterConfig config();

  /** The servers' processes; none when they run in this one. */
  List<ProcessHandle> processes();

  /**
   * Sees that all servers are still there.
   *
   * @throws ClusterFailedException when one is not
   */
  void check();

  /** Ends all servers. */
  @Override
  void close();

  /**
   * Starts a cluster; returns when all servers accept connections.
   *
   * @throws ClusterFailedException when it cannot be started
   */
  static LocalCluster start(ClusterSettings settings) throws InterruptedException {
    return settings.processes() ? ProcessCluster.start(settings) : EmbeddedCluster.start(settings);
  }
}
