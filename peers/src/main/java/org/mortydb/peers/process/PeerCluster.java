package org.mortydb.peers.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.mortydb.bench.cluster.ClusterFailedException;

/**
 * The processes of a store on this machine, and their folder. They end when it is closed or when
 * this process exits. Not thread-safe.
 */
public final class PeerCluster implements AutoCloseable {
  private final Path folder;
  private final List<PeerProcess> processes = new ArrayList<>();
  private final Thread hook = new Thread(this::end, "morty-peers-end");

  /**
   * Creates the folder.
   *
   * @param data an existing directory for the store's data
   * @param store the store's name
   */
  public PeerCluster(Path data, String store) {
    try {
      folder = Files.createTempDirectory(data.toAbsolutePath(), "morty-peers-" + store + "-");
    } catch (IOException e) {
      throw new ClusterFailedException(
          "--data: cannot create a folder in " + data + ": " + e.getMessage(), e);
    }
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** The folder, which {@link #close} deletes. */
  public Path folder() {
    return folder;
  }

  /** Adds a started process. */
  public PeerProcess add(PeerProcess process) {
    processes.add(process);
    return process;
  }

  /** The processes, for their processor time. */
  public List<ProcessHandle> handles() {
    return processes.stream().map(PeerProcess::handle).toList();
  }

  /**
   * Checks that all processes run.
   *
   * @throws ClusterFailedException if one has ended
   */
  public void check() {
    processes.forEach(PeerProcess::check);
  }

  /** A port of the loopback interface that is free at the moment. */
  public static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new ClusterFailedException("no port is free on this machine: " + e.getMessage(), e);
    }
  }

  private void end() {
    processes.forEach(PeerProcess::end);
    processes.forEach(PeerProcess::awaitEnd);
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the hook is running
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new ClusterFailedException("cannot delete " + folder + ": " + e.getMessage(), e);
    }
  }
}
