package org.mortydb.bench.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

  static EmbeddedCluster start(ClusterSettings settings) throws InterruptedException {
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

  private void startServers(ClusterSettings settings) throws IOException, InterruptedException {
    boolean started = false;
    try {
      for (int region = 0; region < settings.regionCount(); region++) {
        servers.add(MortyServer.start(config, ClusterFile.serverName(region)));
      }
      awaitServing();
      started = true;
    } finally {
      if (!started) {
        close();
      }
    }
  }

  private void awaitServing() throws InterruptedException {
    var all =
        CompletableFuture.allOf(
            servers.stream().map(MortyServer::serving).toArray(CompletableFuture[]::new));
    try {
      all.get(START_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      List<String> joining =
          servers.stream()
              .filter(server -> !server.serving().isDone())
              .map(server -> server.spec().name())
              .toList();
      throw new ClusterFailedException(
          "after "
              + START_SECONDS
              + " s these servers do not serve yet: "
              + String.join(", ", joining)
              + "; their log says what they wait for",
          e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
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
