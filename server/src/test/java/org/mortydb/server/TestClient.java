package org.mortydb.server;

import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.LocalProcess;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.TransportClient;
import org.mortydb.wire.WireFormat;

/** A client over the transport alone: sends messages by hand and keeps what comes back. */
final class TestClient implements LinkListener, AutoCloseable {

  record Received(Endpoint from, Message message) {}

  final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
  final BlockingQueue<LinkFailure> failures = new LinkedBlockingQueue<>();
  private final BlockingQueue<PeerInfo> up = new LinkedBlockingQueue<>();
  private final ClientId id;
  private final ClusterConfig config;
  private final EventLoopGroup loops = EventLoops.create(1, "client");
  private final List<Link> links = new ArrayList<>();
  private long lastMicros = MicrosClock.SYSTEM.nowMicros();

  TestClient(ClusterConfig config, PeerInfo self, String cluster) {
    this.config = config;
    this.id = self instanceof PeerInfo.Client client ? client.id() : new ClientId(0);
    for (ServerSpec server : config.servers()) {
      links.add(
          TransportClient.connect(
              loops.next(),
              server.name(),
              server.host(),
              server.port(),
              new LocalProcess(cluster, new WireFormat(config.system()), self),
              config.linkOptions(),
              config.delays(),
              this));
    }
  }

  TestClient(ClusterConfig config) {
    this(config, new PeerInfo.Client(new ClientId(77), "r0"), TestCluster.NAME);
  }

  /** Waits until so many links are up that were not waited for before. */
  TestClient awaitUp(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      if (up.poll(10, TimeUnit.SECONDS) == null) {
        throw new AssertionError("only " + i + " links came up: " + failures);
      }
    }
    return this;
  }

  TxnId begin(int home) {
    lastMicros = Math.max(lastMicros + 1, MicrosClock.SYSTEM.nowMicros());
    return new TxnId(lastMicros, id.id(), home);
  }

  void send(ReplicaId to, Message message) {
    sendTo(config.servers().indexOf(config.serverOf(to)), to, message);
  }

  void sendTo(int server, ReplicaId to, Message message) {
    Link link = links.get(server);
    link.eventLoop().execute(() -> link.send(id, to, message));
  }

  void broadcast(int partition, Message message) {
    for (int index = 0; index < 3; index++) {
      send(new ReplicaId(partition, index), message);
    }
  }

  /**
   * The next message that is no question of a replica, to which a busy machine leads; it must be of
   * that type.
   */
  <M extends Message> M next(Class<M> type) throws InterruptedException {
    Received next = received.poll(10, TimeUnit.SECONDS);
    while (next != null && next.message instanceof Message.Inquire) {
      next = received.poll(10, TimeUnit.SECONDS);
    }
    if (next == null || !type.isInstance(next.message)) {
      throw new AssertionError("expected " + type.getSimpleName() + ", was " + next);
    }
    return type.cast(next.message);
  }

  @Override
  public void onUp(Link link, PeerInfo peer) {
    up.add(peer);
  }

  @Override
  public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {
    received.add(new Received(from, message));
  }

  @Override
  public void onBatchEnd(Link link) {}

  @Override
  public void onDown(Link link, LinkFailure reason) {
    failures.add(reason);
  }

  @Override
  public void onConnectFailed(Link link, LinkFailure reason) {
    failures.add(reason);
  }

  @Override
  public void close() {
    for (Link link : links) {
      link.eventLoop().execute(link::close);
    }
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
