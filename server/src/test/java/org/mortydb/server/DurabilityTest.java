package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.GetReply;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;

/** Servers that store, stop, and come back. */
@Timeout(60)
class DurabilityTest {
  private static final int PARTITIONS = 3;
  private static final int KEYS = 30;

  @TempDir private Path data;

  private TestCluster cluster(String durability) throws IOException {
    return new TestCluster(
        "cluster.partitions = "
            + PARTITIONS
            + ", server { event-loops = 2, durability = "
            + durability
            + ", data = \""
            + data
            + "\" }");
  }

  private static int partitionOf(Key key) {
    return Topology.partitionOf(key, PARTITIONS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sync", "async"})
  void whatCommittedIsThereAfterAllServersStopped(String durability) throws Exception {
    try (TestCluster cluster = cluster(durability)) {
      cluster.startAll();
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        for (int i = 0; i < KEYS; i++) {
          commit(client, Key.of("key" + i), Value.of("value" + i));
        }
      }
      cluster.stopAll();
      cluster.startAll();
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        for (int i = 0; i < KEYS; i++) {
          for (int index = 0; index < 3; index++) {
            assertThat(read(client, index, Key.of("key" + i)).value())
                .isEqualTo(Value.of("value" + i));
          }
        }
      }
    }
  }

  /** The files as they are in the middle of everything are what a killed process leaves. */
  @ParameterizedTest
  @ValueSource(strings = {"sync", "async"})
  void aVoteThatWasHeardOfIsStoredBeforeTheServerEnds(String durability) throws Exception {
    Path killed = data.resolveSibling(data.getFileName() + "-killed");
    Key key = Key.of("prepared");
    try (TestCluster cluster = cluster(durability)) {
      cluster.startAll();
      TxnId txn;
      ExecutionId execution;
      List<Write> writes = List.of(new Write(key, 1, Value.of("voted for")));
      List<Integer> participants = List.of(partitionOf(key));
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        txn = client.begin(partitionOf(key));
        execution = new ExecutionId(txn, 0);
        client.broadcast(partitionOf(key), new Prepare(execution, List.of(), writes, participants));
        for (int i = 0; i < 3; i++) {
          assertThat(client.next(PrepareReply.class).answer())
              .isEqualTo(new PrepareAnswer.Voted(Vote.COMMIT));
        }
        copy(data, killed);
      }
      cluster.stopAll();
      delete(data);
      copy(killed, data);
      delete(killed);
      cluster.startAll();
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        // The write set is known from the log alone: the decision makes it visible.
        client.broadcast(partitionOf(key), new Decide(txn, Outcome.commit(0, participants)));
        for (int index = 0; index < 3; index++) {
          assertThat(read(client, index, key).value()).isEqualTo(Value.of("voted for"));
        }
      }
    }
  }

  @Test
  void damagedDataIsRefusedWithItsFile() throws Exception {
    try (TestCluster cluster = cluster("sync")) {
      cluster.startAll();
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        commit(client, Key.of("a"), Value.of("b"));
      }
      cluster.stopAll();
      Path segment;
      try (Stream<Path> files = Files.list(data.resolve("s0"))) {
        segment = files.filter(file -> file.toString().endsWith(".seg")).findFirst().get();
      }
      try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
        file.seek(100);
        int before = file.read();
        file.seek(100);
        file.write(before ^ 4);
      }
      assertThatThrownBy(() -> cluster.start(0, null, MicrosClock.SYSTEM))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(segment.toString())
          .hasMessageContaining("damaged");
      // The address is free again, and so is the directory.
      delete(data.resolve("s0"));
      cluster.start(0, null, MicrosClock.SYSTEM);
    }
  }

  @Test
  void replicasOfAnotherPlacementAreRefused() throws Exception {
    try (TestCluster cluster = cluster("sync")) {
      cluster.startAll();
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        for (int i = 0; i < KEYS; i++) {
          commit(client, Key.of("key" + i), Value.of("value"));
        }
      }
    }
    try (TestCluster cluster =
        new TestCluster("server { durability = sync, data = \"" + data + "\" }")) {
      assertThatThrownBy(() -> cluster.start(0, null, MicrosClock.SYSTEM))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(data.resolve("s0").toString())
          .hasMessageContaining("which the configuration does not have");
    }
  }

  @Test
  void checkpointsReplaceTheLog() throws Exception {
    String more =
        "server { durability = sync, data = \""
            + data
            + "\", replica.retention = 1s, storage { segment = 1 MiB, checkpoint-log = 1 MiB } }";
    Value value = Value.of("x".repeat(20_000));
    Path first = data.resolve("s0/log-0000000000000000000.seg");
    try (TestCluster cluster = new TestCluster(more)) {
      cluster.startAll();
      int written = 0;
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        while (!hasCheckpoint("s0") || Files.exists(first)) {
          Key key = Key.of("key" + written++);
          commitIn(client, 0, key, value);
          Thread.sleep(10);
        }
      }
      cluster.stopAll();
      cluster.startAll();
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        for (int i = 0; i < written; i++) {
          TxnId txn = client.begin(0);
          client.send(new ReplicaId(0, 0), new Get(txn, 0, Key.of("key" + i)));
          assertThat(client.next(GetReply.class).value()).isEqualTo(value);
        }
      }
    }
  }

  @Test
  void aLongLogIsReplacedWhenTheServerStarts() throws Exception {
    String more =
        "server { durability = sync, data = \""
            + data
            + "\", replica.retention = 1h, storage { segment = 1 MiB, checkpoint-log = 1 MiB } }";
    Value value = Value.of("x".repeat(20_000));
    int keys = 100;
    try (TestCluster cluster = new TestCluster(more)) {
      cluster.startAll();
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        for (int i = 0; i < keys; i++) {
          commitIn(client, 0, Key.of("key" + i), value);
        }
      }
      assertThat(hasCheckpoint("s0")).isFalse();
      cluster.stopAll();
      cluster.startAll();
      Path first = data.resolve("s0/log-0000000000000000000.seg");
      while (!hasCheckpoint("s0") || Files.exists(first)) {
        Thread.sleep(10);
      }
      cluster.stopAll();
      cluster.startAll();
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        for (int i = 0; i < keys; i++) {
          TxnId txn = client.begin(0);
          client.send(new ReplicaId(0, 0), new Get(txn, 0, Key.of("key" + i)));
          assertThat(client.next(GetReply.class).value()).isEqualTo(value);
        }
      }
    }
  }

  private boolean hasCheckpoint(String server) throws IOException {
    try (Stream<Path> files = Files.list(data.resolve(server))) {
      return files.anyMatch(file -> file.toString().endsWith(".ckpt"));
    }
  }

  // ---- transactions by hand -----------------------------------------------------------------

  private static void commit(TestClient client, Key key, Value value) throws Exception {
    commitIn(client, partitionOf(key), key, value);
  }

  private static void commitIn(TestClient client, int partition, Key key, Value value)
      throws Exception {
    TxnId txn = client.begin(partition);
    List<Integer> participants = List.of(partition);
    client.broadcast(
        partition,
        new Prepare(
            new ExecutionId(txn, 0), List.of(), List.of(new Write(key, 1, value)), participants));
    for (int i = 0; i < 3; i++) {
      assertThat(client.next(PrepareReply.class).answer())
          .isEqualTo(new PrepareAnswer.Voted(Vote.COMMIT));
    }
    client.broadcast(partition, new Decide(txn, Outcome.commit(0, participants)));
  }

  private static GetReply read(TestClient client, int index, Key key) throws Exception {
    client.send(
        new ReplicaId(partitionOf(key), index), new Get(client.begin(partitionOf(key)), 0, key));
    return client.next(GetReply.class);
  }

  // ---- files --------------------------------------------------------------------------------

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          copyFile(file, target);
        }
      }
    }
  }

  private static void copyFile(Path file, Path target) throws IOException {
    try {
      Files.copy(file, target);
    } catch (NoSuchFileException e) {
      // A server that runs has put it into the place of another file meanwhile.
      assertThat(file.toString()).endsWith(".tmp");
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
