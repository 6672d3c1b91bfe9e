package org.mortydb.bench.cluster;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/** Counts the checkpoints that a cluster's servers complete, by polling their directories. */
public final class CheckpointWatch implements AutoCloseable {
  private static final String SUFFIX = ".ckpt";
  private static final long PAUSE_MILLIS = 100;

  private final ProcessCluster servers;
  private final Set<String> seen = new HashSet<>();
  private final int before;
  private final Thread looking;

  private CheckpointWatch(ProcessCluster servers) throws IOException {
    this.servers = servers;
    look();
    this.before = seen.size();
    this.looking =
        Thread.ofPlatform().daemon().name("morty-bench-checkpoints").unstarted(this::lookOften);
  }

  /** Starts to poll every tenth of a second. Existing checkpoints do not count. */
  public static CheckpointWatch start(ProcessCluster servers) throws IOException {
    CheckpointWatch watch = new CheckpointWatch(servers);
    watch.looking.start();
    return watch;
  }

  private void lookOften() {
    try {
      while (!Thread.interrupted()) {
        look();
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    } catch (IOException e) {
      // Checkpoints seen so far count.
    }
  }

  private synchronized void look() throws IOException {
    for (int server = 0; server < servers.size(); server++) {
      for (String file : servers.storedFiles(server).keySet()) {
        if (file.endsWith(SUFFIX)) {
          seen.add(server + "/" + file);
        }
      }
    }
  }

  /** The number of completed checkpoints so far. Thread-safe. */
  public synchronized int seen() {
    return seen.size() - before;
  }

  @Override
  public void close() {
    looking.interrupt();
  }
}
