package org.mortydb.bench.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.mortydb.server.MortyServer;
import org.mortydb.transport.config.ClusterConfig;
import org.mortydb.transport.config.InvalidConfigException;

/** A cluster whose servers run in this process, and talk over real connections. */
final class EmbeddedCluster implements LocalCluster {
  private final ClusterConfig config;
  private final List<MortyServer> servers = new ArrayList<>();

  private EmbeddedCluster(ClusterConfig config) {
    this.config = config;
  }

  static EmbeddedCluster start(ClusterSettings settings) {
    try {
      EmbeddedCluster cluster = new EmbeddedCluster(ClusterConfig.parse(ClusterFile.of(settings)));
      cluster.startServers(settings);
      return cluster;
    } catch (IOException | InvalidConfigException e) {
      throw new ClusterFailedException("the servers cannot be started: " + e.getMessage(), e);
    }
  }

  private void startServers(ClusterSettings settings) throws IOException {
    boolean started = false;
    try {
      for (int region = 0; region < settings.regionCount(); region++) {
        servers.add(MortyServer.start(config, ClusterFile.serverName(region)));
      }
      started = true;
    } finally {
      if (!started) {
        close();
      }
    }
  }

  @Override
  public ClusterConfig config() {
    return config;
  }

  @Override
  public List<ProcessHandle> processes() {
    return List.of();
  }

  @Override
  public void check() {
    // They end with this process only.
  }

  @Override
  public void close() {
    servers.forEach(MortyServer::close);
    servers.clear();
  }
}
