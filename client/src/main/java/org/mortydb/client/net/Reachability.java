package org.mortydb.client.net;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.transport.LinkFailure;

/**
 * Finds out whether enough servers answer to begin: a majority of every partition's replicas, once
 * the client has tried every server. Used on one event loop, except {@link #whenEnough}.
 */
final class Reachability {
  private final ClusterConfig cluster;
  private final List<ServerSpec> servers;

  /** The last map that the client knows; all its servers are in the configuration. */
  private ClusterMap map;

  private final boolean[] up;
  private final @Nullable LinkFailure[] failures;
  private final CompletableFuture<Void> enough = new CompletableFuture<>();

  Reachability(ClusterConfig cluster) {
    this.cluster = cluster;
    this.servers = cluster.servers();
    this.map = cluster.firstMap();
    this.up = new boolean[servers.size()];
    this.failures = new LinkFailure[servers.size()];
  }

  /** Completes when enough servers answer; fails when a server refuses. Safe on any thread. */
  CompletableFuture<Void> whenEnough() {
    return enough;
  }

  /** The client follows a later map, whose servers are all in the configuration. */
  void follow(ClusterMap next) {
    map = next;
    look();
  }

  void up(int server) {
    up[server] = true;
    failures[server] = null;
    look();
  }

  void failed(int server, LinkFailure failure) {
    up[server] = false;
    failures[server] = failure;
    if (failure.kind() == LinkFailure.Kind.REFUSED) {
      enough.completeExceptionally(unreachable("a server refused this client"));
    }
    look();
  }

  /** The time is over: completes or fails with the servers that are reached. */
  void giveUp() {
    if (hasMajorities()) {
      enough.complete(null);
    } else {
      enough.completeExceptionally(unreachable("too few servers answered in time"));
    }
  }

  private void look() {
    if (enough.isDone()) {
      return;
    }
    for (int i = 0; i < up.length; i++) {
      if (!up[i] && failures[i] == null) {
        return;
      }
    }
    if (hasMajorities()) {
      enough.complete(null);
    }
  }

  private boolean hasMajorities() {
    for (List<String> group : map.servers().values()) {
      long reached = group.stream().filter(name -> up[indexOf(name)]).count();
      if (reached <= map.f()) {
        return false;
      }
    }
    return true;
  }

  private int indexOf(String server) {
    return servers.indexOf(cluster.server(server));
  }

  private ClusterUnreachableException unreachable(String what) {
    StringBuilder message =
        new StringBuilder("cannot connect to cluster '")
            .append(cluster.name())
            .append("': ")
            .append(what);
    for (int i = 0; i < up.length; i++) {
      ServerSpec server = servers.get(i);
      LinkFailure failure = failures[i];
      message
          .append("\n  server '")
          .append(server.name())
          .append("' at ")
          .append(server.address())
          .append(": ")
          .append(up[i] ? "connected" : failure == null ? "no answer yet" : failure.detail());
    }
    return new ClusterUnreachableException(message.toString());
  }
}
