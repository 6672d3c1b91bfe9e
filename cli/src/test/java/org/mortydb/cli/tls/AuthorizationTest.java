package org.mortydb.cli.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mortydb.cli.CommandLines.morty;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.cli.ExitCode;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.client.NotAuthorizedException;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.Identity;
import org.mortydb.config.Identity.Role;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.transport.Link;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.Question;
import org.mortydb.transport.Reply;
import org.mortydb.transport.tls.Tls;
import org.mortydb.wire.WireContract;

/** Alice may write, bob may read, carol may nothing. */
@Timeout(60)
class AuthorizationTest {
  private static final ReplicaId REPLICA = new ReplicaId(0, 0);

  private static final Identity ALICE = new Identity("tea", Role.CLIENT, "alice");

  @TempDir Path folder;
  private TlsCluster cluster;
  private MortyClient alice;
  private Logged logged;

  @BeforeEach
  void start() throws Exception {
    logged = new Logged();
    String rights = "server.authorization.clients { alice = write, bob = read }";
    cluster = new TlsCluster(folder, rights).startAll();
    alice = cluster.connect();
    TlsCluster.write(alice, "by alice");
  }

  @AfterEach
  void stop() {
    alice.close();
    cluster.close();
    logged.close();
  }

  /** Neither a reader nor a writer; an administrator may, and hears what prevents it. */
  @Test
  void onlyAnAdministratorRaisesTheVersion() throws Exception {
    int next = WireContract.VERSIONS.newest() + 1;
    assertThat(askToRaise("bob", next)).contains("requires the right 'admin'", "has 'read'");
    assertThat(askToRaise("alice", next)).contains("requires the right 'admin'", "has 'write'");
    cluster.close();
    Path folderOfAdmin = Files.createDirectory(folder.resolve("admin"));
    cluster =
        new TlsCluster(folderOfAdmin, "server.authorization.clients { alice = write, bob = admin }")
            .startAll();
    assertThat(askToRaise("bob", next)).contains("speaks version", "not version " + next);
  }

  /** It changes nothing, so it needs no right. */
  @Test
  void aWriterHearsThatNothingIsToBeFinished() {
    Ran finished =
        morty("upgrade", "finish", "--config", folder.resolve("cluster.conf").toString());
    assertThat(finished.code()).as(finished.err()).isEqualTo(ExitCode.OK);
    assertThat(finished.out())
        .contains("all servers use version " + WireContract.VERSIONS.newest());
  }

  private String askToRaise(String client, int version) throws Exception {
    Tls tls = Tls.load(cluster.files(Role.CLIENT, client), Duration.ofHours(1));
    PeerInfo self = new PeerInfo.Client(new ClientId(tls.identity().clientId(9)), "r0");
    try (Peer peer = new Peer(self, tls).connect(cluster.config.servers().getFirst())) {
      Link link = peer.awaitUp();
      CompletableFuture<Reply> answer = new CompletableFuture<>();
      link.eventLoop()
          .execute(
              () -> {
                var _ =
                    link.ask(new Question.UseVersion(version))
                        .whenComplete((reply, failure) -> answer.complete(reply));
              });
      return ((Reply.Refused) answer.get(10, TimeUnit.SECONDS)).reason();
    }
  }

  @Test
  void aReaderReadsAndDoesNotWrite() throws Exception {
    try (MortyClient bob = cluster.connect("bob")) {
      assertThat(TlsCluster.read(bob)).isEqualTo("by alice");
      assertThatThrownBy(() -> TlsCluster.write(bob, "by bob"))
          .isInstanceOf(NotAuthorizedException.class)
          .hasMessageContaining("client 'bob' of cluster 'tea' lacks the right 'write'")
          .hasMessageContaining("server.authorization");
      assertThatThrownBy(
              () ->
                  bob.run(
                      txn -> {
                        String before = txn.get(TlsCluster.KEY);
                        txn.put(TlsCluster.KEY, before + ", and bob");
                        return txn.get(TlsCluster.KEY);
                      }))
          .isInstanceOf(NotAuthorizedException.class);
      logged.await("client 'bob' of cluster 'tea'", "lacks the right 'write'");
      assertThat(TlsCluster.read(bob)).isEqualTo("by alice");
    }
    TlsCluster.write(alice, "by alice again");
    assertThat(TlsCluster.read(alice)).isEqualTo("by alice again");
  }

  @Test
  void whoHasNoRightIsNotLetIn() {
    assertThatThrownBy(() -> cluster.connect("carol"))
        .isInstanceOf(ClusterUnreachableException.class)
        .hasMessageContaining("client 'carol' of cluster 'tea' has no right in")
        .hasMessageContaining("server.authorization");
  }

  @Test
  void rightsAreThoseThatTheServersReadAtTheirStart() throws Exception {
    Path file = folder.resolve("cluster.conf");
    Files.writeString(file, Files.readString(file).replace("bob = read", "bob = none"));
    try (MortyClient bob = cluster.connect("bob")) {
      assertThat(TlsCluster.read(bob)).isEqualTo("by alice");
    }
  }

  @Test
  void aReaderThatSpeaksTheProtocolByHandWritesNothing() throws Exception {
    Tls tls = Tls.load(cluster.files(Role.CLIENT, "bob"), Duration.ofHours(1));
    ClientId id = new ClientId(tls.identity().clientId(99));
    Write write = new Write(TlsCluster.KEY.key(), 1, Value.of("by bob"));
    TxnId txn = new TxnId(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()), id.id(), 0);
    ExecutionId execution = new ExecutionId(txn, 0);
    try (Peer bob =
        new Peer(new PeerInfo.Client(id, "r0"), tls).connect(cluster.config.servers().get(0))) {
      Link link = bob.awaitUp();
      for (Message refused :
          List.of(
              new Message.Put(txn, 0, write),
              new Message.Retract(txn, 0, List.of(Key.of("k"))),
              new Message.ReadCut(txn, KeyRange.ALL, 0),
              new Message.Prepare(execution, List.of(), List.of(write), List.of(0)),
              new Message.Prepare(execution, List.of(), List.of(), List.of(0)),
              new Message.Finalize(txn, View.CLIENT, Outcome.commit(0, List.of(0))))) {
        send(link, id, refused);
        Message answer = bob.received.poll(10, TimeUnit.SECONDS);
        assertThat(answer).isInstanceOf(Message.Refused.class);
        assertThat(((Message.Refused) answer).reason()).isEqualTo(Message.Refusal.NOT_AUTHORIZED);
      }
      TxnId scanner = new TxnId(txn.timeMicros() + 1, id.id(), 0);
      send(link, id, new Message.Scan(scanner, 0, KeyRange.ALL, 10));
      assertThat(bob.received.poll(10, TimeUnit.SECONDS))
          .as("who may read may scan")
          .isInstanceOfSatisfying(
              Message.ScanReply.class, reply -> assertThat(reply.txn()).isEqualTo(scanner));
      send(link, id, new Message.Get(scanner, 1, TlsCluster.KEY.key()));
      assertThat(bob.received.poll(10, TimeUnit.SECONDS))
          .as("who may read sees the ids of writers")
          .isInstanceOfSatisfying(
              Message.GetReply.class,
              reply -> assertThat(ALICE.mayUse(reply.version().writer().clientId())).isTrue());
      // Neither by the messages of replicas, which are dropped.
      VersionedValue row = new VersionedValue(write.key(), WriteId.INITIAL, write.value(), true);
      send(link, id, new Message.ScanReply(txn, 0, List.of(row), null));
      send(link, id, new Message.PushRow(txn, 0, 1, row));
      send(link, id, new Message.FetchReply(execution, List.of(), List.of(write), List.of(0)));
      send(link, id, new Message.Decide(txn, Outcome.commit(0, List.of(0))));
      long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      while (cluster.server("s0").counters().notAuthorized() < 9) {
        assertThat(System.nanoTime()).isLessThan(deadlineNanos);
        Thread.sleep(5);
      }
      assertThat(bob.received).as("what replicas say is dropped without an answer").isEmpty();
    }
    assertThat(TlsCluster.read(alice)).isEqualTo("by alice");
  }

  private static void send(Link link, ClientId from, Message message) {
    link.eventLoop().execute(() -> link.send(from, REPLICA, message));
  }
}
