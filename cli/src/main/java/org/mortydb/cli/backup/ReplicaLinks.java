package org.mortydb.cli.backup;

import io.netty.channel.EventLoop;
import java.util.LinkedHashMap;
import java.util.Map;
import org.mortydb.cli.links.ServerLinks;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.tls.InvalidCredentialsException;

/**
 * Sends messages to replicas and receives theirs, on one event loop. A message to a server that is
 * not connected is lost.
 */
final class ReplicaLinks implements AutoCloseable {

  /** Gets the messages that arrive, on the event loop. */
  interface Receiver {
    void received(ReplicaId from, Message message);
  }

  private final ClusterConfig cluster;
  private final ServerLinks links;
  private final Map<String, String> problems = new LinkedHashMap<>();

  /**
   * Connects.
   *
   * @throws InvalidCredentialsException when the cluster uses TLS, and there are no credentials
   */
  ReplicaLinks(ClusterConfig cluster, String region, Receiver receiver)
      throws InvalidCredentialsException {
    this.cluster = cluster;
    for (ServerSpec server : cluster.servers()) {
      problems.put(server.name(), "no answer from " + server.address() + " yet");
    }
    links =
        new ServerLinks(
            cluster,
            region,
            "morty-backup",
            (server, self) -> new Listener(server.name(), problems, receiver));
  }

  /** Returns the id by which servers know this client. */
  ClientId self() {
    return links.self();
  }

  /** Returns the event loop of all calls. */
  EventLoop loop() {
    return links.loop();
  }

  /** Sends a message; called on the event loop. */
  void send(ReplicaId to, Message message) {
    Link link = links.to(cluster.serverOf(to));
    if (link != null && link.isUp()) {
      link.send(links.self(), to, message);
    }
  }

  /** Returns why servers cannot be reached, by their names; called on the event loop. */
  Map<String, String> problems() {
    return problems;
  }

  @Override
  public void close() {
    links.close();
  }

  private record Listener(String server, Map<String, String> problems, Receiver receiver)
      implements LinkListener {

    @Override
    public void onUp(Link link, PeerInfo peer) {
      problems.remove(server);
    }

    @Override
    public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {
      if (from instanceof ReplicaId replica) {
        receiver.received(replica, message);
      }
    }

    @Override
    public void onBatchEnd(Link link) {}

    @Override
    public void onDown(Link link, LinkFailure reason) {
      problems.put(server, "the connection was lost: " + reason.detail());
    }

    @Override
    public void onConnectFailed(Link link, LinkFailure reason) {
      problems.put(server, reason.detail());
    }
  }
}
