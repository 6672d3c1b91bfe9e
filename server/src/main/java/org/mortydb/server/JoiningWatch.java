package org.mortydb.server;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.ReplicaId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs now and then what a server waits for while it does not serve yet. */
final class JoiningWatch {
  private static final Logger log = LoggerFactory.getLogger(JoiningWatch.class);
  private static final long FIRST_SECONDS = 5;
  private static final long NEXT_SECONDS = 30;

  private final String server;
  private final Directory directory;
  private final List<PartitionHost> hosts;
  private final boolean doubtful;
  private volatile @Nullable ScheduledFuture<?> next;

  /**
   * @param doubtful whether the server may have lost votes
   */
  JoiningWatch(String server, Directory directory, List<PartitionHost> hosts, boolean doubtful) {
    this.server = server;
    this.doubtful = doubtful;
    this.directory = directory;
    this.hosts = hosts;
  }

  /** Starts to look, on an event loop. */
  void start(EventLoop loop) {
    next = loop.scheduleWithFixedDelay(this::look, FIRST_SECONDS, NEXT_SECONDS, TimeUnit.SECONDS);
  }

  void stop() {
    ScheduledFuture<?> scheduled = next;
    if (scheduled != null) {
      scheduled.cancel(false);
    }
  }

  private void look() {
    List<ReplicaId> joining = new ArrayList<>();
    TreeSet<String> unlinked = new TreeSet<>();
    for (PartitionHost host : hosts) {
      if (!host.isServing()) {
        joining.add(host.replica());
        unlinked.addAll(directory.unlinked(host.replica().partition()));
      }
    }
    if (joining.isEmpty()) {
      stop();
      return;
    }
    log.warn(
        "server '{}' does not serve yet: {} of its {} replicas have not joined, the first is {};"
            + " {}; {}",
        server,
        joining.size(),
        hosts.size(),
        joining.getFirst(),
        unlinked.isEmpty()
            ? "it is connected to all servers that it needs; see their logs"
            : "it is not connected to " + String.join(", ", unlinked) + "; check that they run",
        doubtful
            ? "its votes are in doubt, so each partition needs f+1 others that serve; if more than f"
                + " servers of a partition lost power, stop all servers and type 'morty recover"
                + " --help'"
            : "a new partition needs all its servers, an old one f+1 others that serve");
  }
}
