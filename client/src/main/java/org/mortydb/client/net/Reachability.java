package org.mortydb.client.net;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
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

  /** The servers that the client connects to, by number. */
  private final Map<Integer, ServerSpec> servers = new TreeMap<>();

  /** The last map that the client knows. */
  private ClusterMap map;

  private final BitSet up = new BitSet();
  private final Map<Integer, LinkFailure> failures = new HashMap<>();
  private final CompletableFuture<Void> enough = new CompletableFuture<>();

  Reachability(ClusterConfig cluster) {
    this.cluster = cluster;
    this.map = cluster.firstMap();
  }

  /** The client begins to connect to a server. */
  void add(int server, ServerSpec spec) {
    servers.put(server, spec);
  }

  /** The client connects to a server no more. */
  void remove(int server) {
    servers.remove(server);
    up.clear(server);
    failures.remove(server);
    look();
  }

  /** Whether the client has tried all servers. */
  boolean hasTriedAll() {
    return servers.keySet().stream().allMatch(i -> up.get(i) || failures.containsKey(i));
  }

  /** Completes when enough servers answer; fails when a server refuses. Safe on any thread. */
  CompletableFuture<Void> whenEnough() {
    return enough;
  }

  /** The client follows a later map. */
  void follow(ClusterMap next) {
    map = next;
    look();
  }

  void up(int server) {
    up.set(server);
    failures.remove(server);
    look();
  }

  void failed(int server, LinkFailure failure) {
    if (!servers.containsKey(server)) {
      return;
    }
    up.clear(server);
    failures.put(server, failure);
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
    if (hasTriedAll() && hasMajorities()) {
      enough.complete(null);
    }
  }

  private boolean hasMajorities() {
    for (List<String> group : map.servers().values()) {
      long reached = group.stream().filter(this::isUp).count();
      if (reached <= map.f()) {
        return false;
      }
    }
    return true;
  }

  private boolean isUp(String name) {
    return servers.entrySet().stream()
        .anyMatch(one -> one.getValue().name().equals(name) && up.get(one.getKey()));
  }

  private ClusterUnreachableException unreachable(String what) {
    StringBuilder message =
        new StringBuilder("cannot connect to cluster '")
            .append(cluster.name())
            .append("': ")
            .append(what);
    servers.forEach(
        (i, server) -> {
          LinkFailure failure = failures.get(i);
          message
              .append("\n  server '")
              .append(server.name())
              .append("' at ")
              .append(server.address())
              .append(": ")
              .append(
                  up.get(i) ? "connected" : failure == null ? "no answer yet" : failure.detail());
        });
    return new ClusterUnreachableException(message.toString());
  }
}
