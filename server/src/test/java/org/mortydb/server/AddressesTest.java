package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.config.ClusterConfig;

/** Servers that listen on one address and advertise another, or move to another one. */
@Timeout(120)
class AddressesTest {
  @TempDir private Path folder;

  /**
   * The configuration of three servers.
   *
   * @param second the addresses of s1, as settings
   */
  private static String text(List<Integer> ports, String second) {
    return """
    cluster { name = tea, regions = [r0, r1, r2], servers = [
      { name = s0, region = r0, listen = "127.0.0.1:%d" }
      { name = s1, region = r1, %s }
      { name = s2, region = r2, listen = "127.0.0.1:%d" }
    ] }
    server.durability = memory
    server.links.max-backoff = 200ms
    """
        .formatted(ports.get(0), second, ports.get(2));
  }

  private static List<Integer> freePorts() throws Exception {
    List<ServerSocket> sockets = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ServerSocket socket = new ServerSocket(0);
      sockets.add(socket);
      ports.add(socket.getLocalPort());
    }
    for (ServerSocket socket : sockets) {
      socket.close();
    }
    return ports;
  }

  @Test
  void othersReachAServerThroughARelayAtTheAddressThatItAdvertises() throws Exception {
    List<Integer> ports = freePorts();
    try (Relay relay =
        new Relay(
            InetAddress.ofLiteral("127.0.0.3"), InetAddress.ofLiteral("127.0.0.2"), ports.get(1))) {
      ClusterConfig config =
          ClusterConfig.parse(
              text(
                  ports,
                  "listen = \"127.0.0.2:%d\", advertise = \"127.0.0.3:%d\""
                      .formatted(ports.get(1), relay.port())));
      List<MortyServer> servers = new ArrayList<>();
      try (TestClient client = new TestClient(config)) {
        for (int i = 0; i < 3; i++) {
          servers.add(MortyServer.start(config, "s" + i));
        }
        for (MortyServer server : servers) {
          server.serving().get(30, TimeUnit.SECONDS);
        }
        client.awaitUp(3);
        // s0 dials s1, the client too; s1 itself dials s2 directly.
        assertThat(relay.connections()).isGreaterThanOrEqualTo(2);
      } finally {
        servers.forEach(MortyServer::close);
      }
    }
  }

  @Test
  void aServerProcessFindsAnotherOneThatHasMoved() throws Exception {
    List<Integer> ports = freePorts();
    Path names = folder.resolve("names");
    rename(names, "127.0.0.2");
    String advertised = "listen = \"127.0.0.%d:%d\", advertise = \"moving.test:" + ports.get(1);
    String here = text(ports, advertised.formatted(2, ports.get(1)) + "\"");
    String there = text(ports, advertised.formatted(3, ports.get(1)) + "\"");
    Path file = Files.writeString(folder.resolve("cluster.conf"), here);
    Process process =
        ServerMainTest.start(
            List.of(),
            List.of("-D" + NamesOfFile.FILE + "=" + names),
            "--config",
            file.toString(),
            "--name",
            "s0");
    try {
      try (MortyServer before = MortyServer.start(ClusterConfig.parse(here), "s1")) {
        awaitLinked(before);
      }
      rename(names, "127.0.0.3");
      try (MortyServer after = MortyServer.start(ClusterConfig.parse(there), "s1")) {
        awaitLinked(after);
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static void rename(Path names, String address) throws Exception {
    Path next = Files.writeString(names.resolveSibling("next"), "moving.test " + address + "\n");
    Files.move(next, names, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Waits for less than the 30 seconds for which a JVM keeps an address by default. */
  private static void awaitLinked(MortyServer server) throws Exception {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (server.status().peers().stream()
        .noneMatch(peer -> peer.server().equals("s0") && peer.up())) {
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
      Thread.sleep(50);
    }
  }
}
