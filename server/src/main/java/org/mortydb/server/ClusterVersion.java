package org.mortydb.server;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.storage.Storage;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkVersions;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.Reply;
import org.mortydb.wire.VersionRange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The version that the cluster uses, as a server knows it: the newest one that the server may send
 * and store. It never falls, and rises only to a version that all servers speak. The server stores
 * it before it uses it. docs/decisions/0005-versions.md explains why that suffices.
 *
 * <p>A server that does not know the version learns it from the others. If none of them knows it
 * either, the cluster is new, or all its servers have lost their data: then it is the newest
 * version that all of them speak. Safe for use by several threads.
 */
final class ClusterVersion implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ClusterVersion.class);

  /** Stores the version; may wait for the disk. */
  @FunctionalInterface
  interface Store {
    void version(int version) throws IOException;
  }

  private record Peer(PeerInfo info, LinkVersions versions) {}

  private final String self;
  private final TreeSet<String> others = new TreeSet<>();
  private final VersionRange speaks;
  private final @Nullable Store store;

  /** Stores one version at a time, because event loops must not wait for the disk. */
  private final ExecutorService storing =
      Executors.newSingleThreadExecutor(Thread.ofVirtual().name("morty-version").factory());

  /** The links that are up. */
  private final Map<Link, Peer> peers = new HashMap<>();

  private volatile int inUse;

  /**
   * @param self the server
   * @param speaks the versions that it speaks
   * @param stored the version that it has stored; 0 if there is none
   * @param store stores a version; null if the server stores nothing
   */
  ClusterVersion(
      ClusterConfig config,
      ServerSpec self,
      VersionRange speaks,
      int stored,
      @Nullable Store store) {
    this.self = self.name();
    this.speaks = speaks;
    this.inUse = stored;
    this.store = store;
    others(config.servers());
  }

  /** The servers of the cluster are these from now on. */
  final synchronized void others(List<ServerSpec> servers) {
    others.clear();
    servers.stream().map(ServerSpec::name).filter(name -> !name.equals(self)).forEach(others::add);
  }

  /** Returns the version that the cluster uses; 0 while this server does not know it. */
  int inUse() {
    return inUse;
  }

  /** A link is up. Learns the version from its server. */
  synchronized void up(Link link, PeerInfo peer, LinkVersions versions) {
    peers.put(link, new Peer(peer, versions));
    if (!(peer instanceof PeerInfo.Server(String name, _))) {
      return;
    }
    if (versions.cluster() > inUse) {
      // The handshake has refused a version that this server does not speak.
      learn(versions.cluster(), "server '" + name + "' uses it");
    } else if (inUse == 0) {
      learnFromAll();
    }
  }

  /** A link is down. */
  synchronized void down(Link link) {
    peers.remove(link);
  }

  /** Returns the versions of the servers that are linked, by name. */
  private Map<String, LinkVersions> servers() {
    Map<String, LinkVersions> servers = new HashMap<>();
    for (Peer peer : peers.values()) {
      if (peer.info instanceof PeerInfo.Server(String name, _)) {
        servers.put(name, peer.versions);
      }
    }
    return servers;
  }

  /** Nobody knows the version, and this server is linked to all others. */
  private void learnFromAll() {
    Map<String, LinkVersions> servers = servers();
    if (!servers.keySet().containsAll(others)) {
      return;
    }
    int newest = speaks.newest();
    for (LinkVersions versions : servers.values()) {
      newest = Math.min(newest, versions.peer().newest());
    }
    learn(newest, "no server has stored one, and all speak it");
  }

  private void learn(int version, String why) {
    try {
      storing.execute(
          () -> {
            try {
              use(version, why);
            } catch (IOException e) {
              log.warn("server '{}' could not store that it uses version {}", self, version, e);
            }
          });
    } catch (RejectedExecutionException e) {
      log.debug("the server is closed", e);
    }
  }

  /** Stores a version and uses it, unless a newer one is in use. On the thread that stores. */
  private void use(int version, String why) throws IOException {
    if (version <= inUse) {
      return;
    }
    if (store != null) {
      store.version(version);
    }
    synchronized (this) {
      inUse = version;
      for (Map.Entry<Link, Peer> peer : peers.entrySet()) {
        if (!peer.getValue().versions.peer().includes(version)) {
          Link link = peer.getKey();
          String reason =
              "the cluster uses version "
                  + version
                  + " of the protocol from now on, "
                  + peer.getValue().info
                  + " speaks "
                  + peer.getValue().versions.peer().words()
                  + ": run a release that speaks version "
                  + version
                  + " there";
          link.eventLoop().execute(() -> link.refuse(reason));
        }
      }
    }
    log.info("server '{}' uses version {} of the protocol: {}", self, version, why);
  }

  /** Answers what versions this server has. */
  synchronized Reply.Versions versions() {
    int clients = 0;
    int oldest = Integer.MAX_VALUE;
    for (Peer peer : peers.values()) {
      if (peer.info instanceof PeerInfo.Client) {
        clients++;
        oldest = Math.min(oldest, peer.versions.peer().newest());
      }
    }
    return new Reply.Versions(
        speaks,
        inUse,
        store == null ? 0 : Storage.formatOf(inUse),
        Storage.newestFormat(),
        clients,
        clients == 0 ? 0 : oldest);
  }

  /**
   * Raises the version at an operator's word.
   *
   * @return the versions once it is stored, or why it cannot be raised
   */
  CompletableFuture<Reply> raise(int version) {
    String refusal = refusal(version);
    if (refusal != null) {
      return CompletableFuture.completedFuture(
          new Reply.Refused("server '" + self + "' " + refusal));
    }
    CompletableFuture<Reply> raised = new CompletableFuture<>();
    try {
      storing.execute(
          () -> {
            try {
              use(version, "an operator has finished the upgrade");
              raised.complete(versions());
            } catch (IOException | RuntimeException e) {
              raised.complete(
                  new Reply.Refused(
                      "server '" + self + "' could not store version " + version + ": " + e));
            }
          });
    } catch (RejectedExecutionException e) {
      raised.complete(new Reply.Refused("server '" + self + "' is being stopped"));
    }
    return raised;
  }

  private synchronized @Nullable String refusal(int version) {
    if (!speaks.includes(version)) {
      return "speaks " + speaks.words() + ", not version " + version;
    }
    if (version < inUse) {
      return "uses version " + inUse + ", and a version is never lowered, to " + version;
    }
    Map<String, LinkVersions> servers = servers();
    List<String> missing = others.stream().filter(name -> !servers.containsKey(name)).toList();
    if (version > inUse && !missing.isEmpty()) {
      return "has no connection to "
          + String.join(", ", missing)
          + ", so it does not know what they speak: start all servers";
    }
    for (String name : others) {
      LinkVersions other = servers.get(name);
      if (version > inUse && other != null && !other.peer().includes(version)) {
        return "heard from server '"
            + name
            + "' that it speaks "
            + other.peer().words()
            + ": upgrade it first";
      }
    }
    return null;
  }

  /** Waits until a version that is being stored is stored. */
  @Override
  public void close() {
    storing.close();
  }
}
