package org.mortydb.cli.backup;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.LocalProcess;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.TransportClient;
import org.mortydb.transport.tls.ConfiguredTls;
import org.mortydb.transport.tls.InvalidCredentialsException;
import org.mortydb.transport.tls.Tls;
import org.mortydb.wire.WireFormat;

/**
 * Connections of one client to all servers of a cluster, on one event loop. What arrives is told
 * there; whatever is sent while a server is away is lost.
 */
final class ReplicaLinks implements AutoCloseable {

  /** Who is told what arrives, on the event loop. */
  interface Receiver {
    void received(ReplicaId from, Message message);
  }

  private final ClusterConfig cluster;
  private final ClientId self;
  private final EventLoopGroup group = EventLoops.create(1, "morty-backup");
  private final EventLoop loop = group.next();
  private final Map<String, Link> links = new HashMap<>();
  private final Map<String, String> problems = new LinkedHashMap<>();

  /**
   * Connects.
   *
   * @throws InvalidCredentialsException when the cluster uses TLS, and there are no credentials
   */
  ReplicaLinks(ClusterConfig cluster, String region, Receiver receiver)
      throws InvalidCredentialsException {
    this.cluster = cluster;
    Tls tls = ConfiguredTls.ofClient(cluster.security(), null);
    long random = new SecureRandom().nextLong();
    self = new ClientId(tls == null ? random : tls.identity().clientId(random));
    LocalProcess process =
        new LocalProcess(
            cluster.name(),
            new WireFormat(cluster.system()),
            new PeerInfo.Client(self, region),
            tls);
    loop.execute(
        () -> {
          for (ServerSpec server : cluster.servers()) {
            problems.put(server.name(), "no answer from " + server.address() + " yet");
            links.put(
                server.name(),
                TransportClient.connect(
                    loop,
                    server.name(),
                    server.host(),
                    server.port(),
                    process,
                    cluster.linkOptions(),
                    cluster.delays(),
                    new Listener(server.name(), receiver)));
          }
        });
  }

  /** The id that servers know this client by. */
  ClientId self() {
    return self;
  }

  /** Where everything happens. */
  EventLoop loop() {
    return loop;
  }

  /** Sends a message; on the event loop. */
  void send(ReplicaId to, Message message) {
    Link link = links.get(cluster.serverOf(to).name());
    if (link != null && link.isUp()) {
      link.send(self, to, message);
    }
  }

  /** Why servers cannot be reached, by their names; on the event loop. */
  Map<String, String> problems() {
    return problems;
  }

  @Override
  public void close() {
    loop.execute(() -> links.values().forEach(Link::close));
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private final class Listener implements LinkListener {
    private final String server;
    private final Receiver receiver;

    Listener(String server, Receiver receiver) {
      this.server = server;
      this.receiver = receiver;
    }

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
