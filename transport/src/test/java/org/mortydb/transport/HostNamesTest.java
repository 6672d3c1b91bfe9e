package org.mortydb.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.Security;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.config.DelayMatrix;
import org.mortydb.config.LinkOptions;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.system.Morty;
import org.mortydb.transport.RecordingListener.Failed;
import org.mortydb.transport.RecordingListener.Up;
import org.mortydb.wire.WireFormat;

/** Servers on several loopback addresses, reached by a name whose addresses change. */
@Timeout(60)
class HostNamesTest {
  private static final String HOST = "moving.example";
  private static final String[] NONE = {};
  private static final WireFormat FORMAT = new WireFormat(Morty.SYSTEM);
  private static final LinkOptions OPTIONS =
      new LinkOptions(
          64 * 1024,
          128 * 1024,
          17 * 1024 * 1024,
          Duration.ofSeconds(2),
          Duration.ofSeconds(5),
          Duration.ofMillis(5),
          Duration.ofMillis(50));

  private final EventLoopGroup loops = EventLoops.create(1, "test");
  private final List<TransportServer> servers = new ArrayList<>();
  private final RecordingListener atServer = new RecordingListener();
  private final RecordingListener atClient = new RecordingListener();
  private final AtomicReference<String[]> addresses = new AtomicReference<>(NONE);
  private final AtomicInteger asked = new AtomicInteger();

  @AfterEach
  void close() throws Exception {
    servers.forEach(TransportServer::close);
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
  }

  private InetAddress[] resolve(String host) throws UnknownHostException {
    assertThat(host).isEqualTo(HOST);
    asked.incrementAndGet();
    String[] now = addresses.get();
    if (now.length == 0) {
      throw new UnknownHostException(host);
    }
    InetAddress[] answer = new InetAddress[now.length];
    for (int i = 0; i < now.length; i++) {
      answer[i] = InetAddress.ofLiteral(now[i]);
    }
    return answer;
  }

  private TransportServer listen(String address, int port) throws IOException {
    TransportServer server =
        TransportServer.listen(
            loops,
            new InetSocketAddress(InetAddress.ofLiteral(address), port),
            new LocalProcess("tea", FORMAT, new PeerInfo.Server("s1", "r")),
            OPTIONS,
            DelayMatrix.NONE,
            (peer, identity) -> null,
            loop -> atServer);
    servers.add(server);
    return server;
  }

  private Link connect(int port) {
    return TransportClient.connect(
        loops.next(),
        "s1",
        HOST,
        port,
        new LocalProcess("tea", FORMAT, new PeerInfo.Client(new ClientId(7), "r")),
        OPTIONS,
        DelayMatrix.NONE,
        atClient,
        this::resolve);
  }

  @Test
  void aServerThatMovesIsFoundAtItsNewAddress() throws Exception {
    TransportServer before = listen("127.0.0.2", 0);
    int port = before.address().getPort();
    addresses.set(new String[] {"127.0.0.2"});
    connect(port);
    atClient.next(Up.class);
    addresses.set(new String[] {"127.0.0.3"});
    before.close();
    // Nobody listens there yet: the reason names both the name and its new address.
    assertThat(atClient.await(Failed.class).reason().detail())
        .contains(HOST + ":" + port)
        .contains("127.0.0.3");
    listen("127.0.0.3", port);
    atClient.await(Up.class);
    assertThat(asked.get()).isGreaterThanOrEqualTo(3);
  }

  @Test
  void aNameThatHasNoAddressYetIsAskedForAgain() throws Exception {
    int port = listen("127.0.0.2", 0).address().getPort();
    connect(port);
    assertThat(atClient.await(Failed.class).reason().detail())
        .contains("'" + HOST + "' has no address");
    addresses.set(new String[] {"127.0.0.2"});
    atClient.await(Up.class);
  }

  @Test
  void theAddressesOfANameTakeTurns() throws Exception {
    int port = listen("127.0.0.4", 0).address().getPort();
    addresses.set(new String[] {"127.0.0.2", "127.0.0.3", "127.0.0.4"});
    connect(port);
    assertThat(atClient.next(Failed.class).reason().detail()).contains("127.0.0.2");
    assertThat(atClient.next(Failed.class).reason().detail()).contains("127.0.0.3");
    atClient.next(Up.class);
  }

  @Test
  void aProgramOfOnesOwnKeepsNoAnswer() {
    String ttl = Security.getProperty("networkaddress.cache.ttl");
    String negative = Security.getProperty("networkaddress.cache.negative.ttl");
    try {
      HostNames.neverKept();
      assertThat(Security.getProperty("networkaddress.cache.ttl")).isEqualTo("0");
      assertThat(Security.getProperty("networkaddress.cache.negative.ttl")).isEqualTo("0");
    } finally {
      Security.setProperty("networkaddress.cache.ttl", ttl == null ? "30" : ttl);
      Security.setProperty("networkaddress.cache.negative.ttl", negative == null ? "10" : negative);
    }
  }
}
