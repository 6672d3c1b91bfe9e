package org.mortydb.bench.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.mortydb.check.journal.DeletedAtExit;
import org.mortydb.config.ClusterConfig;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.EmbeddedClusterException;

/** A cluster whose servers run in this process, with real connections between them. */
final class EmbeddedServers implements LocalCluster {
  private final EmbeddedCluster cluster;

  /** The folder of certificates and data, if there are any. */
  private final Path folder;

  private final DeletedAtExit atExit;

  private EmbeddedServers(EmbeddedCluster cluster, Path folder) {
    this.cluster = cluster;
    this.folder = folder;
    this.atExit = new DeletedAtExit(folder);
  }

  static EmbeddedServers start(ClusterSettings settings) {
    Path folder = null;
    try {
      folder = ClusterFile.newFolder(settings);
      return new EmbeddedServers(EmbeddedCluster.start(ClusterFile.of(settings, folder)), folder);
    } catch (IOException | EmbeddedClusterException e) {
      if (folder != null) {
        ClusterFile.delete(folder);
      }
      throw new ClusterFailedException(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public ClusterConfig config() {
    return cluster.config();
  }

  @Override
  public List<ProcessHandle> processes() {
    return List.of();
  }

  @Override
  public void check() {
    // Embedded servers end only with this process.
  }

  @Override
  public void kill(int server) {
    throw new ClusterFailedException("a server in this process cannot be killed");
  }

  @Override
  public void close() {
    cluster.close();
    ClusterFile.delete(folder);
    atExit.close();
  }
}
