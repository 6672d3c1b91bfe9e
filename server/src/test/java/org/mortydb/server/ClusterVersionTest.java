package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.server.status.PeerStatus;
import org.mortydb.storage.StorageException;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.LocalProcess;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.Question;
import org.mortydb.transport.Reply;
import org.mortydb.transport.TransportClient;
import org.mortydb.wire.VersionRange;

/** Servers that speak several versions, in one process. */
@Timeout(120)
class ClusterVersionTest {
  private static final VersionRange OLD = new VersionRange(3, 3);
  private static final VersionRange NEW = new VersionRange(3, 4);

  @TempDir private Path folder;
  private final MortyServer[] servers = new MortyServer[3];

  private TestCluster cluster(boolean stored) throws IOException {
    String data = folder.toString().replace('\\', '/');
    return new TestCluster(
        (stored ? "server.durability = sync\nserver.data = \"" + data + "\"\n" : "")
            + "server.links.max-backoff = 100ms\n");
  }

  private MortyServer start(TestCluster cluster, int index, VersionRange speaks)
      throws IOException {
    MortyServer before = servers[index];
    if (before != null) {
      before.close();
    }
    MortyServer server = cluster.start(index, ServerOptions.DEFAULTS.withVersions(speaks));
    servers[index] = server;
    return server;
  }

  private void startAll(TestCluster cluster, VersionRange... speak) throws IOException {
    for (int i = 0; i < 3; i++) {
      start(cluster, i, speak[i]);
    }
  }

  private void awaitVersions(int version) throws InterruptedException {
    for (MortyServer server : servers) {
      awaitVersion(server, version);
    }
  }

  private static void awaitVersion(MortyServer server, int version) throws InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (server.clusterVersion() != version) {
      assertThat(server.clusterVersion()).as(server.spec().name()).isLessThan(version);
      assertThat(System.nanoTime()).as(server.spec().name()).isLessThan(deadlineNanos);
      Thread.sleep(5);
    }
  }

  private void awaitServing() {
    for (MortyServer server : servers) {
      server.serving().orTimeout(30, TimeUnit.SECONDS).join();
    }
  }

  @Test
  void aNewClusterUsesTheNewestVersionThatAllSpeak() throws Exception {
    try (TestCluster cluster = cluster(false)) {
      startAll(cluster, new VersionRange(2, 5), new VersionRange(3, 4), new VersionRange(1, 6));
      awaitServing();
      awaitVersions(4);
    }
  }

  @Test
  void aServerThatLostItsDataLearnsTheVersionFromTheOthers() throws Exception {
    try (TestCluster cluster = cluster(false)) {
      startAll(cluster, OLD, OLD, OLD);
      awaitServing();
      awaitVersions(3);
      for (int i = 0; i < 3; i++) {
        start(cluster, i, NEW).serving().get(30, TimeUnit.SECONDS);
        awaitVersion(servers[i], 3);
      }
    }
  }

  @Test
  void theVersionRisesAtAnOperatorsWordOnceAllSpeakIt() throws Exception {
    try (TestCluster cluster = cluster(true);
        Client operator = new Client(cluster, NEW)) {
      startAll(cluster, OLD, OLD, OLD);
      awaitServing();
      awaitVersions(3);
      start(cluster, 0, NEW).serving().get(30, TimeUnit.SECONDS);
      start(cluster, 1, NEW).serving().get(30, TimeUnit.SECONDS);
      awaitLinked(1);
      awaitLinked(2);

      Reply.Versions versions = (Reply.Versions) operator.ask(0, new Question.AskVersions());
      assertThat(versions.speaks()).isEqualTo(NEW);
      assertThat(versions.inUse()).isEqualTo(3);
      assertThat(versions.dataFormat()).isEqualTo(1);
      assertThat(versions.newestDataFormat()).isEqualTo(2);
      assertThat(versions.clients()).isEqualTo(1);
      assertThat(versions.clientsSpeak()).isEqualTo(4);
      assertThat(refusal(operator.ask(0, new Question.UseVersion(4))))
          .contains("server 's2' that it speaks version 3: upgrade it first");
      assertThat(refusal(operator.ask(2, new Question.UseVersion(4))))
          .contains("speaks version 3, not version 4");
      servers[2].close();
      awaitUnlinked(2);
      assertThat(refusal(operator.ask(1, new Question.UseVersion(4))))
          .contains("no connection to s2", "start all servers");
      awaitVersions(3);

      start(cluster, 2, NEW).serving().get(30, TimeUnit.SECONDS);
      awaitLinked(1);
      awaitLinked(2);
      try (Client old = new Client(cluster, OLD)) {
        old.awaitUp(0);
        for (int i = 0; i < 3; i++) {
          Reply.Versions raised = (Reply.Versions) operator.ask(i, new Question.UseVersion(4));
          assertThat(raised.inUse()).isEqualTo(4);
          assertThat(raised.dataFormat()).isEqualTo(2);
          assertThat(servers[i].clusterVersion()).isEqualTo(4);
        }
        assertThat(old.awaitFailure(0)).contains("uses version 4", "speaks version 3");
      }
      assertThat(operator.ask(1, new Question.UseVersion(4))).isInstanceOf(Reply.Versions.class);
      assertThat(refusal(operator.ask(1, new Question.UseVersion(3)))).contains("never lowered");

      // It is stored: a server that starts alone knows it, and no older program starts any more.
      for (MortyServer server : servers) {
        server.close();
      }
      assertThat(start(cluster, 0, NEW).clusterVersion()).isEqualTo(4);
      assertThatThrownBy(() -> start(cluster, 1, OLD))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("is written in version 4, this program reads version 3");
      assertThat(Files.readString(folder.resolve("s1").resolve("state")))
          .startsWith("morty-data 2\n");
      start(cluster, 1, NEW);
      start(cluster, 2, new VersionRange(4, 5));
      awaitServing();
      awaitVersions(4);
    }
  }

  /** One server was told, and the operator's command died before it told the others. */
  @Test
  void serversThatWereNotToldLearnTheVersionWhenTheyConnectAgain() throws Exception {
    try (TestCluster cluster = cluster(false);
        Client operator = new Client(cluster, NEW)) {
      startAll(cluster, OLD, NEW, NEW);
      awaitServing();
      awaitVersions(3);
      start(cluster, 0, NEW);
      awaitServing();
      awaitLinked(0);
      awaitLinked(1);
      assertThat(operator.ask(0, new Question.UseVersion(4))).isInstanceOf(Reply.Versions.class);
      assertThat(servers[1].clusterVersion()).isEqualTo(3);
      start(cluster, 1, NEW);
      awaitVersion(servers[1], 4);
      start(cluster, 2, OLD);
      assertThat(awaitRefusal(servers[0])).contains("uses version 4", "speaks version 3");
      assertThat(servers[2].clusterVersion()).isZero();
      start(cluster, 2, NEW);
      awaitVersion(servers[2], 4);
    }
  }

  /** Waits until a server has refused another one, or was refused, and returns the reason. */
  private static String awaitRefusal(MortyServer server) throws InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (true) {
      for (PeerStatus peer : server.status().peers()) {
        if (peer.reason().contains("version")) {
          return peer.reason();
        }
      }
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
      Thread.sleep(20);
    }
  }

  private static String refusal(Reply reply) {
    return ((Reply.Refused) reply).reason();
  }

  private void awaitLinked(int server) throws InterruptedException {
    awaitLinks(server, true);
  }

  private void awaitUnlinked(int server) throws InterruptedException {
    awaitLinks(server, false);
  }

  private void awaitLinks(int server, boolean up) throws InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    for (int i = 0; i < 3; i++) {
      MortyServer other = servers[i];
      while (i != server
          && other.status().peers().stream()
              .anyMatch(peer -> peer.server().equals("s" + server) && peer.up() != up)) {
        assertThat(System.nanoTime()).isLessThan(deadlineNanos);
        Thread.sleep(20);
      }
    }
  }

  /** A client over the transport alone, that speaks given versions. */
  private static final class Client implements AutoCloseable {
    private final EventLoopGroup loops = EventLoops.create(1, "client");
    private final Link[] links = new Link[3];
    private final Heard[] heard = new Heard[3];

    Client(TestCluster cluster, VersionRange speaks) {
      LocalProcess self =
          LocalProcess.of(
                  cluster.config, new PeerInfo.Client(new ClientId(speaks.newest()), "r0"), null)
              .withVersions(speaks, () -> 0);
      for (int i = 0; i < 3; i++) {
        ServerSpec spec = cluster.config.servers().get(i);
        heard[i] = new Heard();
        links[i] =
            TransportClient.connect(
                loops.next(),
                spec.name(),
                spec.host(),
                spec.port(),
                self,
                cluster.config.linkOptions(),
                cluster.config.delays(),
                heard[i]);
      }
    }

    void awaitUp(int server) throws Exception {
      long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (!links[server].eventLoop().submit(links[server]::isUp).get()) {
        assertThat(System.nanoTime()).as("%s", heard[server].failures).isLessThan(deadlineNanos);
        Thread.sleep(5);
      }
    }

    Reply ask(int server, Question question) throws Exception {
      awaitUp(server);
      CompletableFuture<Reply> answer = new CompletableFuture<>();
      links[server]
          .eventLoop()
          .execute(
              () -> {
                var _ =
                    links[server]
                        .ask(question)
                        .whenComplete(
                            (reply, failure) -> {
                              if (failure == null) {
                                answer.complete(reply);
                              } else {
                                answer.completeExceptionally(failure);
                              }
                            });
              });
      return answer.get(20, TimeUnit.SECONDS);
    }

    String awaitFailure(int server) throws InterruptedException {
      String failure;
      do {
        failure = heard[server].failures.poll(20, TimeUnit.SECONDS);
        assertThat(failure).isNotNull();
      } while (!failure.contains("version"));
      return failure;
    }

    @Override
    public void close() {
      for (Link link : links) {
        link.eventLoop().execute(link::close);
      }
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  private static final class Heard implements LinkListener {
    private final BlockingQueue<String> failures = new LinkedBlockingQueue<>();

    @Override
    public void onUp(Link link, PeerInfo peer) {}

    @Override
    public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {}

    @Override
    public void onBatchEnd(Link link) {}

    @Override
    public void onDown(Link link, LinkFailure reason) {
      failures.add(reason.detail());
    }

    @Override
    public void onConnectFailed(Link link, LinkFailure reason) {
      failures.add(reason.detail());
    }
  }
}
