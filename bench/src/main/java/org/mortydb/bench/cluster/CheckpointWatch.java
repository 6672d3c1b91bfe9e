package org.mortydb.bench.cluster;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/** Counts the checkpoints that a cluster's servers complete, by looking into their directories. */
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

  /** Begins to look, every tenth of a second. Those that are there already do not count. */
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
      // What was seen until then counts.
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

  /** How many were completed so far. By any thread. */
  public synchronized int seen() {
    return seen.size() - before;
  }

  @Override
  public void close() {
    looking.interrupt();
  }
}
