package org.mortydb.cli.links;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.LocalProcess;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.TransportClient;
import org.mortydb.transport.tls.ConfiguredTls;
import org.mortydb.transport.tls.InvalidCredentialsException;
import org.mortydb.transport.tls.Tls;

/** Links of one client to all servers of a cluster, on one event loop. */
public final class ServerLinks implements AutoCloseable {
  private final ClientId self;
  private final @Nullable EventLoopGroup group;
  private final EventLoop loop;
  private final Map<String, Link> links = new HashMap<>();

  /**
   * Connects to all servers.
   *
   * @param region the region of this process, which matters for emulated delays
   * @param thread the name of the event loop's thread
   * @param listeners makes the listener of each link, from the server and the id of this client
   * @throws InvalidCredentialsException when the cluster uses TLS, and there are no credentials
   */
  public ServerLinks(
      ClusterConfig cluster,
      String region,
      String thread,
      BiFunction<ServerSpec, ClientId, LinkListener> listeners)
      throws InvalidCredentialsException {
    this(cluster, cluster.servers(), region, thread, listeners);
  }

  /** Connects to some servers of the cluster. */
  ServerLinks(
      ClusterConfig cluster,
      List<ServerSpec> servers,
      String region,
      String thread,
      BiFunction<ServerSpec, ClientId, LinkListener> listeners)
      throws InvalidCredentialsException {
    this(
        EventLoops.create(1, thread),
        ConfiguredTls.ofClient(cluster.security(), null),
        cluster,
        servers,
        region,
        listeners);
  }

  private ServerLinks(
      EventLoopGroup group,
      @Nullable Tls tls,
      ClusterConfig cluster,
      List<ServerSpec> servers,
      String region,
      BiFunction<ServerSpec, ClientId, LinkListener> listeners) {
    this(group, group.next(), newId(tls), tls, cluster, servers, region, listeners);
  }

  private static ClientId newId(@Nullable Tls tls) {
    long random = new SecureRandom().nextLong();
    return new ClientId(tls == null ? random : tls.identity().clientId(random));
  }

  /** Connects to all servers of a cluster without TLS, on an event loop of the caller. */
  static ServerLinks on(
      EventLoop loop,
      ClientId self,
      ClusterConfig cluster,
      String region,
      BiFunction<ServerSpec, ClientId, LinkListener> listeners) {
    return new ServerLinks(null, loop, self, null, cluster, cluster.servers(), region, listeners);
  }

  private ServerLinks(
      @Nullable EventLoopGroup group,
      EventLoop loop,
      ClientId self,
      @Nullable Tls tls,
      ClusterConfig cluster,
      List<ServerSpec> servers,
      String region,
      BiFunction<ServerSpec, ClientId, LinkListener> listeners) {
    this.group = group;
    this.loop = loop;
    this.self = self;
    LocalProcess process = LocalProcess.of(cluster, new PeerInfo.Client(self, region), tls);
    Map<ServerSpec, LinkListener> all = new LinkedHashMap<>();
    for (ServerSpec server : servers) {
      all.put(server, listeners.apply(server, self));
    }
    loop.execute(
        () -> all.forEach((server, listener) -> connect(cluster, process, server, listener)));
  }

  private void connect(
      ClusterConfig cluster, LocalProcess process, ServerSpec server, LinkListener listener) {
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
            listener));
  }

  /** Returns the id by which servers know this client. */
  public ClientId self() {
    return self;
  }

  /** Returns the event loop on which all listeners are called. */
  public EventLoop loop() {
    return loop;
  }

  /** Returns the link to a server, null before it exists; called on the event loop. */
  public @Nullable Link to(ServerSpec server) {
    return links.get(server.name());
  }

  /** Closes all links, and ends the event loop unless it is the caller's. */
  @Override
  public void close() {
    loop.execute(() -> links.values().forEach(Link::close));
    if (group != null) {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }
}
