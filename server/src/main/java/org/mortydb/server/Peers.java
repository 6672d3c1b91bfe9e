package org.mortydb.server;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.transport.Link;
import org.mortydb.transport.LocalProcess;
import org.mortydb.transport.TransportClient;

/**
 * The links of a server to the others, which come and go with the maps of the cluster. Two servers
 * need one link. Of the servers of the file, each connects to those after it; one that has joined
 * connects to all of the file, and to those that have joined with a higher name. Safe for any
 * thread.
 */
final class Peers {
  /** How often a server asks another one for maps. */
  private static final long ASK_SECONDS = 2;

  private record Dialled(ServerSpec to, Link link) {}

  private final ClusterConfig config;
  private final ServerSpec self;
  private final LocalProcess process;
  private final Directory directory;
  private final List<LoopHost> loopHosts;

  /** The links that this server has made, by server. */
  private final Map<String, Dialled> dialled = new HashMap<>();

  private int made;
  private int asked;
  private boolean closed;

  Peers(
      ClusterConfig config,
      ServerSpec self,
      LocalProcess process,
      Directory directory,
      List<LoopHost> loopHosts) {
    this.config = config;
    this.self = self;
    this.process = process;
    this.directory = directory;
    this.loopHosts = loopHosts;
  }

  /** Asks for maps regularly, if they may change. */
  void start() {
    if (config.changes()) {
      var _ =
          loopHosts
              .getFirst()
              .loop()
              .scheduleWithFixedDelay(this::ask, ASK_SECONDS, ASK_SECONDS, TimeUnit.SECONDS);
    }
  }

  private void ask() {
    List<Link> links = List.copyOf(directory.serverLinks().values());
    if (!links.isEmpty()) {
      Link link = links.get(Math.floorMod(asked++, links.size()));
      LoopHost host = hostOf(link);
      if (host != null) {
        link.eventLoop().execute(() -> host.askForMaps(link));
      }
    }
  }

  private @Nullable LoopHost hostOf(Link link) {
    for (LoopHost host : loopHosts) {
      if (host.loop().equals(link.eventLoop())) {
        return host;
      }
    }
    return null;
  }

  /** Connects to servers that are new, and closes the links to those that have left. */
  synchronized void follow(List<ServerSpec> members) {
    if (closed) {
      return;
    }
    Map<String, ServerSpec> now = new HashMap<>();
    members.forEach(server -> now.put(server.name(), server));
    dialled
        .values()
        .removeIf(
            one -> {
              boolean gone = !one.to.equals(now.get(one.to.name()));
              if (gone) {
                one.link.eventLoop().execute(one.link::close);
              }
              return gone;
            });
    directory
        .serverLinks()
        .forEach(
            (name, link) -> {
              if (!now.containsKey(name)) {
                link.eventLoop()
                    .execute(() -> link.refuse("server '" + name + "' has left the cluster"));
              }
            });
    boolean member = now.containsKey(self.name());
    for (ServerSpec other : members) {
      if (member && connectsTo(other) && !dialled.containsKey(other.name())) {
        dialled.put(other.name(), new Dialled(other, connect(other)));
      }
    }
  }

  private boolean connectsTo(ServerSpec other) {
    List<String> first = config.firstServers().stream().map(ServerSpec::name).toList();
    int own = first.indexOf(self.name());
    int its = first.indexOf(other.name());
    if (own < 0 || its < 0) {
      return own < 0 && (its >= 0 || self.name().compareTo(other.name()) < 0);
    }
    return own < its;
  }

  private Link connect(ServerSpec other) {
    LoopHost loopHost = loopHosts.get(made++ % loopHosts.size());
    return TransportClient.connect(
        loopHost.loop(),
        other.name(),
        other.host(),
        other.port(),
        process,
        config.linkOptions(),
        config.delays(),
        loopHost);
  }

  /** The link that this server has made to another one; null if that one connects, or is gone. */
  synchronized @Nullable Link linkMadeTo(String server) {
    Dialled one = dialled.get(server);
    return one == null ? null : one.link;
  }

  /** Closes all links that this server has made. */
  synchronized List<CompletableFuture<Void>> close() {
    closed = true;
    return dialled.values().stream()
        .map(one -> CompletableFuture.runAsync(one.link::close, one.link.eventLoop()))
        .toList();
  }
}
