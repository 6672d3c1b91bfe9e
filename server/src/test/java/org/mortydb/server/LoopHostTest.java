package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.config.Identity;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkCounters;
import org.mortydb.transport.PeerInfo;
import org.mortydb.wire.EncodedMessage;

/** Who may say what to the replicas of a server. */
@Timeout(30)
class LoopHostTest {
  private static final ReplicaId HERE = new ReplicaId(0, 0);
  private static final Message INQUIRE = new Message.Inquire(new TxnId(5, 77, 0));

  private final List<Event> received = new ArrayList<>();
  private final ServerCounters counters = new ServerCounters();

  @Test
  void aReplicaSpeaksFromItsOwnServer() throws Exception {
    EventLoopGroup group = EventLoops.create(1, "test");
    try (TestCluster cluster = new TestCluster("")) {
      Directory directory = new Directory(cluster.config);
      EventLoop loop = group.next();
      LoopHost loopHost = new LoopHost(loop, directory, counters, MicrosClock.SYSTEM);
      PartitionHost host =
          new PartitionHost(
              HERE,
              (nowMicros, event, out) -> received.add(event),
              loopHost,
              null,
              StorageObserver.NONE);
      directory.add(host);
      Link link = new LinkOf(new PeerInfo.Server("s1", "r1"), loop);
      loop.submit(
              () -> {
                loopHost.onMessage(link, new ReplicaId(0, 1), HERE, INQUIRE);
                loopHost.onMessage(link, new ReplicaId(0, 2), HERE, INQUIRE);
              })
          .get();
      assertThat(received).containsExactly(new Event.Received(new ReplicaId(0, 1), INQUIRE));
      assertThat(counters.wrongPartition()).isEqualTo(1);
    } finally {
      var unused = group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
  }

  /** A link of a peer that sends nothing. */
  private record LinkOf(PeerInfo peer, EventLoop eventLoop) implements Link {
    @Override
    public @Nullable Identity identity() {
      return null;
    }

    @Override
    public void send(Endpoint from, Endpoint to, Message message) {}

    @Override
    public void send(Endpoint from, Endpoint to, EncodedMessage message) {}

    @Override
    public boolean isUp() {
      return true;
    }

    @Override
    public void ping() {}

    @Override
    public LinkCounters counters() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void goOn() {}

    @Override
    public void close() {}
  }
}
