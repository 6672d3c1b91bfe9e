package org.mortydb.cli.tls;

import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.DelayMatrix;
import org.mortydb.config.LinkOptions;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.system.Morty;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.LocalProcess;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.TransportClient;
import org.mortydb.transport.TransportServer;
import org.mortydb.transport.tls.Tls;
import org.mortydb.wire.WireFormat;

/** A process that says of itself what it likes, over the transport alone. */
final class Peer implements LinkListener, AutoCloseable {
  final BlockingQueue<LinkFailure> failures = new LinkedBlockingQueue<>();
  final BlockingQueue<Message> received = new LinkedBlockingQueue<>();
  private final BlockingQueue<Link> up = new LinkedBlockingQueue<>();
  private final EventLoopGroup loops = EventLoops.create(1, "peer");
  private final LocalProcess self;
  private @Nullable Link link;
  private @Nullable TransportServer server;

  Peer(PeerInfo info, @Nullable Tls tls) {
    self = new LocalProcess(TlsCluster.NAME, new WireFormat(Morty.SYSTEM), info, tls);
  }

  Peer connect(ServerSpec to) {
    return connect(to.name(), to.host(), to.port());
  }

  Peer connect(String name, String host, int port) {
    link =
        TransportClient.connect(
            loops.next(), name, host, port, self, LinkOptions.DEFAULTS, DelayMatrix.NONE, this);
    return this;
  }

  /** Listens on a free port, and welcomes everybody. */
  InetSocketAddress listen() throws IOException {
    server =
        TransportServer.listen(
            loops,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            self,
            LinkOptions.DEFAULTS,
            DelayMatrix.NONE,
            (peer, identity) -> null,
            loop -> this);
    return server.address();
  }

  Link awaitUp() throws InterruptedException {
    Link first = up.poll(10, TimeUnit.SECONDS);
    if (first == null) {
      throw new AssertionError("no link came up: " + failures);
    }
    return first;
  }

  /** The first failure, before which no link may have come up to stay. */
  LinkFailure awaitFailure() throws InterruptedException {
    LinkFailure failure = failures.poll(10, TimeUnit.SECONDS);
    if (failure == null) {
      throw new AssertionError("no failure within 10 s");
    }
    return failure;
  }

  boolean wasEverUp() {
    return !up.isEmpty();
  }

  @Override
  public void onUp(Link link, PeerInfo peer) {
    up.add(link);
  }

  @Override
  public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {
    received.add(message);
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
    Link open = link;
    if (open != null) {
      open.eventLoop().execute(open::close);
    }
    if (server != null) {
      server.close();
    }
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
