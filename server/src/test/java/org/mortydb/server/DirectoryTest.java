package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.DelayMatrix;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.LocalProcess;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.TransportClient;
import org.mortydb.transport.TransportServer;
import org.mortydb.wire.WireFormat;

/** Links of one client, which come and go. */
class DirectoryTest {
  private static final ClientId CLIENT = new ClientId(7);

  /** Keeps the links that come up, and does nothing. */
  private static final class Links implements LinkListener {
    final BlockingQueue<Link> up = new LinkedBlockingQueue<>();

    @Override
    public void onUp(Link link, PeerInfo peer) {
      up.add(link);
    }

    @Override
    public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {}

    @Override
    public void onBatchEnd(Link link) {}

    @Override
    public void onDown(Link link, LinkFailure reason) {}

    @Override
    public void onConnectFailed(Link link, LinkFailure reason) {}
  }

  /** The end of an old connection may be noticed after the next one has begun. */
  @Test
  void aLinkThatWasReplacedTakesNothingWithIt() throws Exception {
    EventLoopGroup loops = EventLoops.create(1, "test");
    try (TestCluster cluster = new TestCluster("")) {
      ClusterConfig config = cluster.config;
      Directory directory = new Directory(config, config.servers().getFirst());
      WireFormat format = new WireFormat(config.system());
      Links links = new Links();
      TransportServer server =
          TransportServer.listen(
              loops,
              new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
              new LocalProcess(TestCluster.NAME, format, new PeerInfo.Server("s0", "r0")),
              config.linkOptions(),
              DelayMatrix.NONE,
              (peer, identity) -> null,
              loop -> links);
      List<Link> accepted = new ArrayList<>();
      PeerInfo client = new PeerInfo.Client(CLIENT, "r0");
      for (int i = 0; i < 2; i++) {
        var unused =
            TransportClient.connect(
                loops.next(),
                "s0",
                "127.0.0.1",
                server.address().getPort(),
                new LocalProcess(TestCluster.NAME, format, client),
                config.linkOptions(),
                DelayMatrix.NONE,
                new Links());
        accepted.add(links.up.poll(10, TimeUnit.SECONDS));
      }
      assertThat(accepted).doesNotContainNull().doesNotHaveDuplicates();

      directory.enter(accepted.get(0), client);
      assertThat(directory.linkTo(CLIENT)).isSameAs(accepted.get(0));
      directory.enter(accepted.get(1), client);
      assertThat(directory.linkTo(CLIENT)).isSameAs(accepted.get(1));
      directory.remove(accepted.get(0));
      assertThat(directory.linkTo(CLIENT)).isSameAs(accepted.get(1));
      assertThat(directory.clients()).isEqualTo(1);
      directory.remove(accepted.get(1));
      assertThat(directory.linkTo(CLIENT)).isNull();
      server.close();
    } finally {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }
}
