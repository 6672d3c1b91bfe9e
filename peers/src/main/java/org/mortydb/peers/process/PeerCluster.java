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
 * The processes of one store on this machine, with a folder of their own. They are ended, each by
 * its id, when it is closed and when this process exits. Used by one thread.
 */
public final class PeerCluster implements AutoCloseable {
  private final Path folder;
  private final List<PeerProcess> processes = new ArrayList<>();
  private final Thread hook = new Thread(this::end, "morty-peers-end");

  /**
   * Makes the folder.
   *
   * @param data an existing directory, on whose disk the store keeps its data
   * @param store the store's name
   */
  public PeerCluster(Path data, String store) {
    try {
      folder = Files.createTempDirectory(data.toAbsolutePath(), "morty-peers-" + store + "-");
    } catch (IOException e) {
      throw new ClusterFailedException(
          "no folder can be made in " + data + " (--data): " + e.getMessage(), e);
    }
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** The folder that goes when this is closed. */
  public Path folder() {
    return folder;
  }

  /** Adds a process that was started. */
  public PeerProcess add(PeerProcess process) {
    processes.add(process);
    return process;
  }

  /** The processes, for the time that they use. */
  public List<ProcessHandle> handles() {
    return processes.stream().map(PeerProcess::handle).toList();
  }

  /**
   * Sees that all processes are still there.
   *
   * @throws ClusterFailedException when one has ended
   */
  public void check() {
    processes.forEach(PeerProcess::check);
  }

  /** A port that nobody listens on at the moment, on the loopback interface. */
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
