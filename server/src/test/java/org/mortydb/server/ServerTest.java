package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchException;

import com.google.protobuf.ByteString;
import io.netty.channel.EventLoopGroup;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.GetReply;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.Put;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.PeerInfo;
import org.mortydb.wire.WireContract;
import org.mortydb.wire.proto.Envelope;
import org.mortydb.wire.proto.Frame;

/** Real replicas behind real sockets, spoken to by hand. */
@Timeout(30)
class ServerTest {

  @Test
  void aTransactionCommitsAndIsRead() throws Exception {
    try (TestCluster cluster = new TestCluster("")) {
      cluster.startAll();
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        commit(client, 0, Key.of("tea"), Value.of("oolong"));
        assertThat(read(client, new ReplicaId(0, 1), Key.of("tea")).value())
            .isEqualTo(Value.of("oolong"));
      }
    }
  }

  @Test
  void partitionsOfSeveralLoopsServe() throws Exception {
    int partitions = 5;
    try (TestCluster cluster = new TestCluster("cluster.partitions = 5, server.event-loops = 2")) {
      cluster.startAll();
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        for (int i = 0; i < 40; i++) {
          Key key = Key.of("key" + i);
          int partition = Topology.partitionOf(key, partitions);
          commit(client, partition, key, Value.of("value" + i));
          for (int index = 0; index < 3; index++) {
            GetReply reply = read(client, new ReplicaId(partition, index), key);
            assertThat(reply.value()).isEqualTo(Value.of("value" + i));
          }
        }
      }
    }
  }

  @Test
  void severalServersShareTheLoopsOfOneProcess() throws Exception {
    EventLoopGroup loops = EventLoops.create(2, "shared");
    try (TestCluster cluster = new TestCluster("cluster.partitions = 4")) {
      List<MortyServer> servers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        servers.add(cluster.start(i, loops, MicrosClock.SYSTEM));
      }
      for (MortyServer server : servers) {
        server.serving().get(20, TimeUnit.SECONDS);
      }
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        Key key = Key.of("shared");
        int partition = Topology.partitionOf(key, 4);
        commit(client, partition, key, Value.of("yes"));
        assertThat(read(client, new ReplicaId(partition, 2), key).value())
            .isEqualTo(Value.of("yes"));
      }
    }
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
  }

  @Test
  void aReplicaThatIsNotThereRefuses() throws Exception {
    try (TestCluster cluster = new TestCluster("cluster.partitions = 2")) {
      cluster.startAll();
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        TxnId txn = client.begin(0);
        // No such partition; and a replica that another server holds.
        for (ReplicaId nobody : List.of(new ReplicaId(9, 0), new ReplicaId(0, 1))) {
          client.sendTo(0, nobody, new Get(txn, 0, Key.of("k")));
          Refused refused = client.next(Refused.class);
          assertThat(refused.txn()).isEqualTo(txn);
          assertThat(refused.reason()).isEqualTo(Refusal.WRONG_PARTITION);
          assertThat(refused.replicaClockMicros()).isGreaterThanOrEqualTo(txn.timeMicros());
        }
        // The replica is there, the key belongs to the other partition.
        Key key = Key.of("k");
        int wrong = 1 - Topology.partitionOf(key, 2);
        client.send(new ReplicaId(wrong, 0), new Get(client.begin(wrong), 0, key));
        assertThat(client.next(Refused.class).reason()).isEqualTo(Refusal.WRONG_PARTITION);
      }
    }
  }

  @Test
  void aClientFarAheadOfTheClockIsRefusedWithTheClock() throws Exception {
    try (TestCluster cluster = new TestCluster("")) {
      long behindMicros = 10_000_000;
      cluster.startWhole(0, () -> MicrosClock.SYSTEM.nowMicros() - behindMicros);
      try (TestClient client = new TestClient(cluster.config).awaitUp(1)) {
        TxnId txn = client.begin(0);
        client.send(new ReplicaId(0, 0), new Get(txn, 0, Key.of("k")));
        Refused refused = client.next(Refused.class);
        assertThat(refused.reason()).isEqualTo(Refusal.CLOCK_AHEAD);
        assertThat(txn.timeMicros() - refused.replicaClockMicros())
            .isBetween(behindMicros / 2, behindMicros);
      }
    }
  }

  @Test
  void strangersAreRefusedWithTheReason() throws Exception {
    try (TestCluster cluster = new TestCluster("")) {
      cluster.start(1, null, MicrosClock.SYSTEM);
      assertRefused(
          cluster,
          new PeerInfo.Client(new ClientId(1), "r0"),
          "coffee",
          "belongs to cluster 'tea', client 1 to cluster 'coffee'");
      assertRefused(
          cluster,
          new PeerInfo.Client(new ClientId(1), "mars"),
          TestCluster.NAME,
          "region 'mars' of client 1 is not in the configuration of server 's1', which has r0, r1");
      assertRefused(
          cluster,
          new PeerInfo.Server("s9", "r0"),
          TestCluster.NAME,
          "server 's9' is not in the configuration of server 's1'");
      assertRefused(
          cluster,
          new PeerInfo.Server("s1", "r1"),
          TestCluster.NAME,
          "two processes must not run under one name");
      assertRefused(
          cluster,
          new PeerInfo.Server("s0", "r2"),
          TestCluster.NAME,
          "server 's0' says it is in region 'r2', in the configuration of server 's1' it is in");
    }
  }

  private static void assertRefused(
      TestCluster cluster, PeerInfo stranger, String name, String reason) throws Exception {
    try (TestClient client = new TestClient(cluster.config, stranger, name)) {
      LinkFailure failure;
      do {
        failure = client.failures.poll(10, TimeUnit.SECONDS);
        assertThat(failure).isNotNull();
      } while (failure.kind() != LinkFailure.Kind.REFUSED);
      assertThat(failure.detail()).contains(reason);
    }
  }

  @Test
  void whoSendsGarbageOrTooMuchIsDisconnectedAlone() throws Exception {
    try (TestCluster cluster = new TestCluster("")) {
      cluster.startAll();
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        commit(client, 0, Key.of("k"), Value.of("v"));
        assertThat(rejectionOf(cluster, new byte[] {1, 2, 3, 4}))
            .contains("malformed frame: ")
            .contains("at byte ");
        assertThat(rejectionOf(cluster, oversizedPut()))
            .contains("Write.value has 1048577 bytes, at most 1048576");
        assertThat(read(client, new ReplicaId(0, 0), Key.of("k")).value()).isEqualTo(Value.of("v"));
        assertThat(client.failures).isEmpty();
      }
    }
  }

  @Test
  void aServerThatWasAwayIsReachedAgain() throws Exception {
    try (TestCluster cluster = new TestCluster("server.links.max-backoff = 100ms")) {
      MortyServer third = cluster.startAll().get(2);
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        commit(client, 0, Key.of("k"), Value.of("v"));
        third.close();
        assertThat(client.failures.poll(10, TimeUnit.SECONDS)).isNotNull();
        assertThat(read(client, new ReplicaId(0, 1), Key.of("k")).value()).isEqualTo(Value.of("v"));

        cluster.start(2, null, MicrosClock.SYSTEM);
        client.awaitUp(1);
        // Memory mode: it has forgotten everything, and says so until it has joined again.
        client.send(new ReplicaId(0, 2), new Get(client.begin(0), 0, Key.of("k")));
        assertThat(client.next(Refused.class).reason()).isEqualTo(Refusal.NOT_SERVING);
      }
    }
  }

  @Test
  void anUnknownNameAndATakenAddressAreNamed() throws Exception {
    try (TestCluster cluster = new TestCluster("")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> MortyServer.start(cluster.config, "s7"))
          .withMessage("there is no server 's7' in cluster 'tea': its servers are s0, s1, s2");
      cluster.start(0, null, MicrosClock.SYSTEM);
      assertThat(catchException(() -> cluster.start(0, null, MicrosClock.SYSTEM)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot listen on " + cluster.config.servers().get(0).address());
    }
  }

  // ---- by hand ------------------------------------------------------------------------------

  private static void commit(TestClient client, int partition, Key key, Value value)
      throws InterruptedException {
    TxnId txn = client.begin(partition);
    ExecutionId execution = new ExecutionId(txn, 0);
    Write write = new Write(key, 1, value);
    client.send(new ReplicaId(partition, 0), new Get(txn, 0, key));
    GetReply seen = client.next(GetReply.class);
    assertThat(seen.version()).isEqualTo(WriteId.INITIAL);
    client.broadcast(partition, new Put(txn, 0, write));
    client.broadcast(
        partition,
        new Prepare(
            execution, List.of(new Read(key, seen.version())), List.of(write), List.of(partition)));
    for (int index = 0; index < 3; index++) {
      PrepareReply reply = client.next(PrepareReply.class);
      assertThat(reply.execution()).isEqualTo(execution);
      assertThat(reply.answer()).isEqualTo(new PrepareAnswer.Voted(Vote.COMMIT));
    }
    client.broadcast(partition, new Decide(txn, Outcome.commit(0, List.of(partition))));
  }

  private static GetReply read(TestClient client, ReplicaId replica, Key key)
      throws InterruptedException {
    client.send(replica, new Get(client.begin(replica.partition()), 0, key));
    GetReply reply = client.next(GetReply.class);
    assertThat(reply.settled()).isTrue();
    return reply;
  }

  /** What server s0 answers to a client that sends those bytes as its first frame. */
  private static String rejectionOf(TestCluster cluster, byte[] frame) throws IOException {
    var spec = cluster.config.servers().get(0);
    try (Socket socket = new Socket(spec.host(), spec.port())) {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      Frame.Builder hello = Frame.newBuilder();
      hello
          .getHelloBuilder()
          .setCluster(TestCluster.NAME)
          .setProtocolVersion(WireContract.VERSIONS.oldest())
          .setClient(666)
          .setRegion("r1");
      byte[] helloBytes = hello.build().toByteArray();
      out.writeInt(helloBytes.length);
      out.write(helloBytes);
      assertThat(Frame.parseFrom(in.readNBytes(in.readInt())).hasHello()).isTrue();
      out.writeInt(frame.length);
      out.write(frame);
      String reason = Frame.parseFrom(in.readNBytes(in.readInt())).getReject().getReason();
      assertThat(in.read()).isEqualTo(-1);
      return reason;
    }
  }

  private static byte[] oversizedPut() {
    Envelope.Builder envelope = Envelope.newBuilder().setFromClient(666);
    envelope.getToReplicaBuilder();
    var put = envelope.getPutBuilder();
    put.getTxnBuilder().setTimeMicros(1).setClientId(666);
    put.getWriteBuilder()
        .setValueId(1)
        .setValue(ByteString.copyFrom(new byte[Limits.MAX_VALUE_BYTES + 1]));
    return Frame.newBuilder().addEnvelopes(envelope).build().toByteArray();
  }
}
