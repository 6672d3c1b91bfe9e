package org.mortydb.bench.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.mortydb.server.MortyServer;
import org.mortydb.transport.config.ClusterConfig;
import org.mortydb.transport.config.InvalidConfigException;

/** A cluster whose servers run in this process, and talk over real connections. */
final class EmbeddedCluster implements LocalCluster {
  private final ClusterConfig config;

  /** Holds certificates and what servers store, if there are any. */
  private final Path folder;

  private final List<MortyServer> servers = new ArrayList<>();

  private EmbeddedCluster(ClusterConfig config, Path folder) {
    this.config = config;
    this.folder = folder;
  }

  static EmbeddedCluster start(ClusterSettings settings) {
    try {
      Path folder = ClusterFile.newFolder(settings);
      ClusterConfig config = ClusterConfig.parse(ClusterFile.of(settings, folder));
      EmbeddedCluster cluster = new EmbeddedCluster(config, folder);
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
    ClusterFile.delete(folder);
  }
}
