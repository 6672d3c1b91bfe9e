package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.GetReply;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.Put;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.server.status.Warning;
import org.mortydb.storage.CheckpointOptions;
import org.mortydb.storage.Durability;
import org.mortydb.storage.Identity;
import org.mortydb.storage.LogListener;
import org.mortydb.storage.LogOptions;
import org.mortydb.storage.Storage;
import org.mortydb.storage.StorageException;
import org.mortydb.storage.StorageOptions;
import org.mortydb.wire.StoredRecordEncoder;
import org.slf4j.LoggerFactory;

/** Servers that have lost what they knew, or have none to found a cluster with. */
@Timeout(60)
class JoiningTest {
  private static final int PARTITIONS = 2;
  private static final int KEYS = 30;
  private static final int LOST = 2;

  @TempDir private Path data;

  @Test
  void aServerThatLostItsDirectoryTakesFromTheOthersWhatWasCommitted() throws Exception {
    String sync = ", server { durability = sync, data = \"" + data + "\" }";
    try (TestCluster cluster = new TestCluster("cluster.partitions = " + PARTITIONS + sync)) {
      losesAndJoins(cluster, () -> delete(data.resolve("s" + LOST)));
      // What it took over it has stored as well: it serves without the others from now on.
      cluster.stopAll();
      cluster.start(LOST, null, MicrosClock.SYSTEM).serving().get(20, TimeUnit.SECONDS);
      try (TestClient client = new TestClient(cluster.config).awaitUp(1)) {
        for (int i = 0; i < KEYS; i++) {
          assertThat(read(client, LOST, key(i)).value()).isEqualTo(Value.of("value" + i));
        }
      }
    }
  }

  @Test
  void aServerThatStoresNothingTakesFromTheOthersWhatWasCommitted() throws Exception {
    try (TestCluster cluster = new TestCluster("cluster.partitions = " + PARTITIONS)) {
      losesAndJoins(cluster, () -> {});
    }
  }

  /**
   * What a server does in memory is not in its directory: the directory must not count as whole.
   */
  @Test
  void aServerThatRanWithoutItsDirectoryJoinsAnew() throws Exception {
    String text = TestCluster.text("server.data = \"" + data + "\"\n");
    ClusterConfig memory = ClusterConfig.parse(text);
    ClusterConfig sync = ClusterConfig.parse(text + "server.durability = sync\n");
    List<MortyServer> founders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      founders.add(MortyServer.start(sync, "s" + i));
    }
    for (MortyServer founder : founders) {
      founder.serving().get(20, TimeUnit.SECONDS);
    }
    founders.forEach(MortyServer::close);
    try (MortyServer whole = MortyServer.start(sync, "s0")) {
      whole.serving().get(20, TimeUnit.SECONDS);
    }
    MortyServer.start(memory, "s0").close();
    try (MortyServer again = MortyServer.start(sync, "s0")) {
      assertThat(again.serving()).isNotDone(); // it needs the others, which do not run
      assertThat(Files.readString(data.resolve("s0/state"))).contains("doubtful=true");
      try (MortyServer first = MortyServer.start(sync, "s1");
          MortyServer second = MortyServer.start(sync, "s2")) {
        again.serving().get(30, TimeUnit.SECONDS);
        while (!Files.readString(data.resolve("s0/state")).contains("doubtful=false")) {
          Thread.sleep(10);
        }
        assertThat(first.serving()).isDone();
        assertThat(second.serving()).isDone();
      }
    }
  }

  /**
   * A replica of a map that is not decided need not join before its server serves. It stays in
   * doubt meanwhile: after another restart it must not found its partition.
   */
  @Test
  void doubtIsSettledOnlyOnceReplicasOfUndecidedMapsHaveJoinedToo() throws Exception {
    ClusterConfig sync =
        ClusterConfig.parse(
            TestCluster.text(
                "cluster.changes = true, server { durability = sync, data = \"" + data + "\" }"));
    List<MortyServer> founders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      founders.add(MortyServer.start(sync, "s" + i));
    }
    for (MortyServer founder : founders) {
      founder.serving().get(20, TimeUnit.SECONDS);
    }
    founders.forEach(MortyServer::close);
    ClusterMap map =
        sync.firstMap().moved(1, 10, 1, Map.of(1, List.of("s0", "s1", "s2")), Map.of(7, 1));
    LogRecord hosted = new LogRecord.Hosted(map);
    try (Storage storage =
        Storage.open(
            data.resolve("s0"),
            new Identity(TestCluster.NAME, "s0"),
            new StorageOptions(LogOptions.of(Durability.SYNC), CheckpointOptions.DEFAULTS),
            (tag, payload) -> {},
            (tag, payload) -> {},
            new LogListener() {
              @Override
              public void onKept(long position) {}

              @Override
              public void onFailed(StorageException cause) {
                throw new AssertionError(cause);
              }
            })) {
      storage
          .log()
          .append(
              ServerStorage.REPLICA, new StoredRecordEncoder().encode(new ReplicaId(1, 0), hosted));
      storage.doubt();
    }
    try (MortyServer first = MortyServer.start(sync, "s1");
        MortyServer second = MortyServer.start(sync, "s2");
        MortyServer again = MortyServer.start(sync, "s0")) {
      again.serving().get(30, TimeUnit.SECONDS);
      assertThat(first.serving()).isDone();
      assertThat(second.serving()).isDone();
      Thread.sleep(500);
      assertThat(Files.readString(data.resolve("s0/state"))).contains("doubtful=true");
    }
  }

  /** Replicas in doubt have promised what they forget: they never found a partition again. */
  @Test
  void aClusterInDoubtDoesNotServe() throws Exception {
    String sync = "server { durability = sync, data = \"" + data + "\" }";
    try (TestCluster cluster = new TestCluster("cluster.partitions = 2, " + sync)) {
      cluster.startAll();
      cluster.stopAll();
      for (int i = 0; i < 3; i++) {
        Storage.doubt(data.resolve("s" + i), new Identity(TestCluster.NAME, "s" + i));
      }
      List<MortyServer> doubtful = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        doubtful.add(cluster.start(i, null, MicrosClock.SYSTEM));
      }
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        for (int i = 0; i < 30; i++) {
          Thread.sleep(100);
          assertThat(doubtful).noneMatch(server -> server.serving().isDone());
        }
        assertThat(Warning.of(doubtful.getFirst().status()))
            .extracting(Warning::kind)
            .contains(Warning.Kind.DOUBT);
      }
    }
  }

  private interface Loss {
    void happen() throws IOException;
  }

  private static void losesAndJoins(TestCluster cluster, Loss loss) throws Exception {
    MortyServer lost = cluster.startAll().get(LOST);
    // Clients' links to the server that goes down would be late to come back.
    try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
      for (int i = 0; i < KEYS; i++) {
        commit(client, 3, key(i), Value.of(i % 2 == 0 ? "superseded" : "value" + i));
      }
      lost.close();
      // While it is away: the other two are a quorum.
      for (int i = 0; i < KEYS; i += 2) {
        commit(client, 2, key(i), Value.of("value" + i));
      }
    }
    loss.happen();
    cluster.start(LOST, null, MicrosClock.SYSTEM).serving().get(30, TimeUnit.SECONDS);
    try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
      for (int i = 0; i < KEYS; i++) {
        assertThat(read(client, LOST, key(i)).value()).isEqualTo(Value.of("value" + i));
      }
      // And it votes.
      commit(client, 3, Key.of("afterwards"), Value.of("all three"));
      assertThat(read(client, LOST, Key.of("afterwards")).value()).isEqualTo(Value.of("all three"));
    }
  }

  @Test
  void aNewClusterWithoutOneOfItsServersDoesNotServeAndSaysSo() throws Exception {
    BlockingQueue<String> said = new LinkedBlockingQueue<>();
    AppenderBase<ILoggingEvent> appender =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            said.add(event.getLevel() + " " + event.getFormattedMessage());
          }
        };
    Logger logger = (Logger) LoggerFactory.getLogger(JoiningWatch.class);
    appender.setContext(logger.getLoggerContext());
    appender.start();
    logger.addAppender(appender);
    try (TestCluster cluster = new TestCluster("")) {
      MortyServer first = cluster.start(0, null, MicrosClock.SYSTEM);
      MortyServer second = cluster.start(1, null, MicrosClock.SYSTEM);
      Set<String> silent = new HashSet<>(List.of("s0", "s1"));
      while (!silent.isEmpty()) {
        String line = said.poll(20, TimeUnit.SECONDS);
        assertThat(line).isNotNull();
        for (String name : List.of("s0", "s1")) {
          if (line.startsWith(
              "WARN server '" + name + "' does not serve yet: 1 of its 1 replicas")) {
            assertThat(line).contains("not connected to s2");
            silent.remove(name);
          }
        }
      }
      assertThat(first.serving()).isNotDone();
      assertThat(second.serving()).isNotDone();
      try (TestClient client = new TestClient(cluster.config).awaitUp(2)) {
        TxnId txn = client.begin(0);
        Write write = new Write(Key.of("k"), 1, Value.of("v"));
        for (int index = 0; index < 2; index++) {
          client.send(new ReplicaId(0, index), new Get(txn, 0, Key.of("k")));
          assertThat(client.next(Refused.class).reason()).isEqualTo(Refusal.NOT_SERVING);
          client.send(new ReplicaId(0, index), new Put(txn, 0, write));
          assertThat(client.next(Refused.class).reason()).isEqualTo(Refusal.NOT_SERVING);
        }
        // With the third it is founded.
        cluster.start(2, null, MicrosClock.SYSTEM).serving().get(20, TimeUnit.SECONDS);
        first.serving().get(20, TimeUnit.SECONDS);
        second.serving().get(20, TimeUnit.SECONDS);
        client.awaitUp(1);
        commit(client, 3, Key.of("k"), Value.of("v"), 1);
      }
    } finally {
      logger.detachAppender(appender);
    }
  }

  // ---- transactions by hand -----------------------------------------------------------------

  private static Key key(int i) {
    return Key.of("key" + i);
  }

  private static void commit(TestClient client, int replicas, Key key, Value value)
      throws Exception {
    commit(client, replicas, key, value, PARTITIONS);
  }

  /** Commits with the votes of the first so many replicas, and waits until these know. */
  private static void commit(TestClient client, int replicas, Key key, Value value, int partitions)
      throws Exception {
    int partition = Topology.partitionOf(key, partitions);
    TxnId txn = client.begin(partition);
    List<Integer> participants = List.of(partition);
    Prepare prepare =
        new Prepare(
            new ExecutionId(txn, 0), List.of(), List.of(new Write(key, 1, value)), participants);
    for (int index = 0; index < replicas; index++) {
      client.send(new ReplicaId(partition, index), prepare);
    }
    for (int index = 0; index < replicas; index++) {
      assertThat(client.next(PrepareReply.class).answer())
          .isEqualTo(new PrepareAnswer.Voted(Vote.COMMIT));
    }
    for (int index = 0; index < replicas; index++) {
      ReplicaId replica = new ReplicaId(partition, index);
      client.send(replica, new Decide(txn, Outcome.commit(0, participants)));
      client.send(replica, new Get(client.begin(partition), 0, key));
      assertThat(client.next(GetReply.class).value()).isEqualTo(value);
    }
  }

  private static GetReply read(TestClient client, int index, Key key) throws Exception {
    int partition = Topology.partitionOf(key, PARTITIONS);
    client.send(new ReplicaId(partition, index), new Get(client.begin(partition), 0, key));
    return client.next(GetReply.class);
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
