package org.mortydb.cli.links;

import io.netty.channel.EventLoop;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
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
public final class ReplicaLinks implements AutoCloseable {

  /** Gets the messages that arrive, on the event loop. */
  public interface Receiver {
    void received(ReplicaId from, Message message);
  }

  private final List<ServerSpec> servers;
  private final Function<ReplicaId, ServerSpec> placement;
  private final ServerLinks links;
  private final Map<String, String> problems = new LinkedHashMap<>();

  /**
   * Connects to the servers of the first map.
   *
   * @param thread the name of the event loop's thread
   * @throws InvalidCredentialsException when the cluster uses TLS, and there are no credentials
   */
  public ReplicaLinks(ClusterConfig cluster, String region, String thread, Receiver receiver)
      throws InvalidCredentialsException {
    this.servers = cluster.servers();
    this.placement = cluster::serverOf;
    this.links = new ServerLinks(cluster, region, thread, listeners(receiver));
  }

  /**
   * Connects to the servers of a map.
   *
   * @param thread the name of the event loop's thread
   * @throws InvalidCredentialsException when the cluster uses TLS, and there are no credentials
   * @throws IllegalArgumentException if nobody has said where a server is that holds a partition
   */
  public ReplicaLinks(
      ClusterConfig cluster, ClusterMap map, String region, String thread, Receiver receiver)
      throws InvalidCredentialsException {
    Map<ReplicaId, ServerSpec> known = new HashMap<>();
    map.servers()
        .forEach(
            (partition, names) -> {
              for (int i = 0; i < names.size(); i++) {
                ServerSpec server = cluster.server(names.get(i), map);
                if (server == null) {
                  throw new IllegalArgumentException(
                      "nobody has said where server '" + names.get(i) + "' is");
                }
                known.put(new ReplicaId(partition, i), server);
              }
            });
    this.servers = List.copyOf(new LinkedHashSet<>(known.values()));
    this.placement = replica -> Objects.requireNonNull(known.get(replica));
    this.links = new ServerLinks(cluster, servers, region, thread, listeners(receiver));
  }

  /** Connects to a cluster without TLS, on an event loop of the caller. */
  public ReplicaLinks(
      EventLoop loop, ClientId self, ClusterConfig cluster, String region, Receiver receiver) {
    this.servers = cluster.servers();
    this.placement = cluster::serverOf;
    this.links = ServerLinks.on(loop, self, cluster, region, listeners(receiver));
  }

  private BiFunction<ServerSpec, ClientId, LinkListener> listeners(Receiver receiver) {
    for (ServerSpec server : servers) {
      problems.put(server.name(), "no answer from " + server.address() + " yet");
    }
    return (server, self) -> new Listener(server.name(), problems, receiver);
  }

  /** Returns the id by which servers know this client. */
  public ClientId self() {
    return links.self();
  }

  /** Returns the event loop of all calls. */
  public EventLoop loop() {
    return links.loop();
  }

  /** The server that holds a replica. */
  public ServerSpec serverOf(ReplicaId replica) {
    return placement.apply(replica);
  }

  /** Sends a message; called on the event loop. */
  public void send(ReplicaId to, Message message) {
    Link link = links.to(placement.apply(to));
    if (link != null && link.isUp()) {
      link.send(links.self(), to, message);
    }
  }

  /** Whether the server of a replica is connected; called on the event loop. */
  public boolean isUp(ReplicaId replica) {
    Link link = links.to(placement.apply(replica));
    return link != null && link.isUp();
  }

  /** Whether all servers are connected; called on the event loop. */
  public boolean allUp() {
    return servers.stream().map(links::to).allMatch(link -> link != null && link.isUp());
  }

  /** Returns why servers cannot be reached, by their names; called on the event loop. */
  public Map<String, String> problems() {
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
