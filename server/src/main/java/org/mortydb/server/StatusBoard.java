package org.mortydb.server;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.server.status.LoopStatus;
import org.mortydb.server.status.PeerStatus;
import org.mortydb.server.status.ReplicaStatus;
import org.mortydb.server.status.ServerStatus;
import org.mortydb.transport.Link;

/** Composes the status of a server from what its event loops note at regular intervals. */
final class StatusBoard {
  private static final long FIRST_LOOK_SECONDS = 1;

  private final ClusterConfig config;
  private final ServerSpec spec;
  private final MicrosClock clock;
  private final Directory directory;
  private final List<LoopHost> loopHosts;
  private final List<PartitionHost> hosts;

  private final Peers links;

  private final @Nullable ServerStorage storage;
  private final ServerCounters counters;
  private final PauseWatch pauses;
  private final long everyNanos;
  private final long startNanos = System.nanoTime();
  private final AtomicBoolean started = new AtomicBoolean();
  private final CountDownLatch firstLook;

  StatusBoard(
      ClusterConfig config,
      ServerSpec spec,
      MicrosClock clock,
      Directory directory,
      List<LoopHost> loopHosts,
      List<PartitionHost> hosts,
      Peers links,
      @Nullable ServerStorage storage,
      ServerCounters counters,
      PauseWatch pauses,
      long everyNanos) {
    this.config = config;
    this.spec = spec;
    this.clock = clock;
    this.directory = directory;
    this.loopHosts = loopHosts;
    this.hosts = hosts;
    this.links = links;
    this.storage = storage;
    this.counters = counters;
    this.pauses = pauses;
    this.everyNanos = everyNanos;
    this.firstLook = new CountDownLatch(loopHosts.size());
  }

  /** Makes the event loops look regularly, and waits for the first look, at most a second. */
  void start() {
    if (!started.getAndSet(true)) {
      for (LoopHost loopHost : loopHosts) {
        loopHost.startLooking(everyNanos, firstLook::countDown);
      }
    }
    try {
      var _ = firstLook.await(FIRST_LOOK_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void stop() {
    for (LoopHost loopHost : loopHosts) {
      try {
        loopHost.loop().execute(loopHost::stopLooking);
      } catch (RejectedExecutionException e) {
        // The event loop has ended.
      }
    }
  }

  /** Returns the status. For any thread except event loops. */
  ServerStatus status() {
    List<ReplicaStatus> replicas = new ArrayList<>();
    TreeSet<String> waitsFor = new TreeSet<>();
    for (PartitionHost host : hosts) {
      ReplicaStatus replica = host.status();
      replicas.add(replica);
      if (!replica.serving()) {
        waitsFor.addAll(directory.unlinked(replica.replica().partition()));
      }
    }
    List<LoopStatus> loops = new ArrayList<>();
    loopHosts.forEach(loopHost -> loops.add(loopHost.status()));
    return new ServerStatus(
        config.name(),
        config.system().name(),
        spec.name(),
        spec.region(),
        clock.nowMicros(),
        (System.nanoTime() - startNanos) / 1000,
        config.system().isDurable() ? config.replicaOptions().retentionMicros() : 0,
        config.replicaOptions().allowedSkewMicros(),
        replicas,
        List.copyOf(waitsFor),
        peers(),
        directory.clients(),
        directory.clientTraffic(),
        loops,
        pauses.status(),
        storage == null ? null : storage.status(),
        counters.dropped());
  }

  private List<PeerStatus> peers() {
    List<PeerStatus> peers = new ArrayList<>();
    for (ServerSpec other : directory.maps().members()) {
      if (other.name().equals(spec.name())) {
        continue;
      }
      Link up = directory.linkTo(other);
      // A link that this server opens keeps its counters over all its connections.
      Link always = links.linkMadeTo(other.name());
      LinkHistory history = directory.history(other.name());
      peers.add(
          new PeerStatus(
              other.name(),
              other.region(),
              up != null,
              up == null ? 0 : up.counters().roundTripMicros(),
              up == null ? 0 : up.counters().clockAheadMicros(),
              history.breaks(),
              history.recentBreaks(),
              history.downMicros(),
              history.reason(),
              up == null ? 0 : up.counters().waitingBytes(),
              always == null ? directory.trafficFrom(other) : always.counters().traffic()));
    }
    return peers;
  }
}
