package org.mortydb.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.log.LogRecord;
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
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.storage.Durability;
import org.mortydb.storage.Identity;
import org.mortydb.storage.LogListener;
import org.mortydb.storage.Storage;
import org.mortydb.storage.StorageException;
import org.mortydb.storage.StorageOptions;
import org.mortydb.wire.StoredRecordEncoder;

/** The main program, as a process of its own. */
@Timeout(60)
class ServerMainTest {
  @TempDir private Path folder;

  @Test
  void itIsReadyThenStopsWhenTold() throws Exception {
    Path config = write(TestCluster.text(""));
    Process process = start("--config", config.toString(), "--name", "s1");
    try (BufferedReader out = process.inputReader()) {
      assertThat(out.readLine())
          .startsWith("ready: server 's1' of cluster 'tea' listens on 127.0.0.1:")
          .endsWith(" and holds 1 replica");
      // Unlike the process's own method, leaves the streams open.
      assertThat(process.toHandle().destroy()).isTrue();
      assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(out.readLine()).isNull();
    }
    // 128 + SIGTERM: what a JVM ends with when it was told to.
    assertThat(process.exitValue()).isEqualTo(143);
  }

  /** Killed at any moment, it comes back with every vote that was heard of. */
  @Test
  void whatAKilledProcessVotedIsThereWhenItComesBack() throws Exception {
    String text = TestCluster.text(storing());
    Path config = write(text);
    ClusterConfig cluster = ClusterConfig.parse(text);
    ReplicaId replica = cluster.replicasOf(cluster.servers().get(1)).getFirst();
    Value value = Value.of("x".repeat(1000));
    List<TxnId> voted = new ArrayList<>();
    rememberServing(cluster, replica);
    Process process = startReady(List.of(), config);
    try (TestClient client = new TestClient(cluster).awaitUp(1)) {
      for (int i = 0; i < 300; i++) {
        client.send(replica, prepare(client.begin(0), i, value));
      }
      for (int i = 0; i < 200; i++) {
        voted.add(client.next(PrepareReply.class).txn());
      }
      assertThat(process.toHandle().destroyForcibly()).isTrue();
      assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }
    process = startReady(List.of(), config);
    try (TestClient client = new TestClient(cluster).awaitUp(1)) {
      for (int i = 0; i < voted.size(); i++) {
        client.send(replica, new Decide(voted.get(i), Outcome.commit(0, List.of(0))));
        client.send(replica, new Get(client.begin(0), 0, Key.of("key" + i)));
        assertThat(client.next(GetReply.class).value()).isEqualTo(value);
      }
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void logsInJsonNameTheTransaction() throws Exception {
    String text = TestCluster.text(storing());
    Path config = write(text);
    ClusterConfig cluster = ClusterConfig.parse(text);
    ReplicaId replica = cluster.replicasOf(cluster.servers().get(1)).getFirst();
    rememberServing(cluster, replica);
    List<String> logging = List.of("env", "MORTY_LOG_FORMAT=json", "MORTY_LOG_TRANSACTIONS=trace");
    Process process = startReady(logging, config);
    try (TestClient client = new TestClient(cluster).awaitUp(1)) {
      TxnId txn = client.begin(0);
      client.send(replica, prepare(txn, 1, Value.of("value")));
      assertThat(client.next(PrepareReply.class).txn()).isEqualTo(txn);
      BufferedReader errors = process.errorReader();
      String line = errors.readLine();
      while (line != null && !line.contains(txn.toString())) {
        assertThat(line).startsWith("{").endsWith("}");
        line = errors.readLine();
      }
      assertThat(line)
          .contains("\"loggerName\":\"" + TransactionLog.NAME + "\"")
          .contains("{\"txn\":\"" + txn + "\"}", "{\"replica\":\"" + replica + "\"}")
          .contains("\"formattedMessage\":\"vote to commit execution 0\"");
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void aFormatOfLogsThatThereIsNotIsRefused() throws Exception {
    Path config = write(TestCluster.text(""));
    Process process =
        start(
            List.of("env", "MORTY_LOG_FORMAT=xml"), "--config", config.toString(), "--name", "s1");
    assertThat(errorsOf(process))
        .contains("the environment variable MORTY_LOG_FORMAT is 'xml': it must be text or json");
    assertThat(process.exitValue()).isEqualTo(2);
  }

  @Test
  void itEndsWithThreeAndSaysWhyWhenItsDiskFails() throws Exception {
    String text = TestCluster.text(storing());
    Path config = write(text);
    ClusterConfig cluster = ClusterConfig.parse(text);
    ReplicaId replica = cluster.replicasOf(cluster.servers().get(1)).getFirst();
    rememberServing(cluster, replica);
    // No file longer than 1000 KiB: what a full disk is to the log.
    List<String> limited = List.of("bash", "-c", "ulimit -f 1000; exec \"$@\"", "bash");
    Process process = startReady(limited, config);
    try (TestClient client = new TestClient(cluster).awaitUp(1)) {
      Value value = Value.of("x".repeat(100_000));
      for (int i = 0; i < 20; i++) {
        client.send(replica, prepare(client.begin(0), i, value));
      }
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(3);
      assertThat(
              new String(process.getInputStream().readAllBytes(), UTF_8)
                  + new String(process.getErrorStream().readAllBytes(), UTF_8))
          .contains("server 's1' stops serving: writing " + folder)
          .contains("make room");
      assertThat(client.received).hasSizeLessThan(11);
    }
  }

  /** Earlier programs gave a new partition the number of one whose change was given up. */
  @Test
  void aDirectoryWithTwoReplicasOfAPartitionIsNamedWithTheWayOut() throws Exception {
    String text = TestCluster.text(storing()) + "\ncluster.changes = true";
    Path config = write(text);
    ClusterConfig cluster = ClusterConfig.parse(text);
    remember(cluster, new ReplicaId(1, 1), adding(cluster, 1, List.of("s0", "s1", "s2")));
    remember(cluster, new ReplicaId(1, 0), adding(cluster, 2, List.of("s1", "s0", "s2")));
    // It must not wait for the others, in vain.
    Process process =
        start(List.of("timeout", "20"), "--config", config.toString(), "--name", "s1");
    assertThat(errorsOf(process))
        .contains(folder.resolve("data").resolve("s1") + " holds replica p1r1 of map 1 and p1r0")
        .contains("move the directory away and start the server without it")
        .contains("docs/how-to/replace-a-replica.md")
        .doesNotContain("Exception");
    assertThat(process.exitValue()).isEqualTo(3);
  }

  private static LogRecord adding(ClusterConfig cluster, int number, List<String> servers) {
    return new LogRecord.Hosted(
        cluster.firstMap().moved(number, 10L * number, 1, Map.of(1, servers), Map.of(number, 1)));
  }

  private String storing() {
    return "server { durability = sync, data = \"" + folder.resolve("data") + "\" }";
  }

  /** Makes the data directory of s1 that of a server that has served: it need not join. */
  private void rememberServing(ClusterConfig cluster, ReplicaId replica) throws Exception {
    remember(cluster, replica, new LogRecord.Serving(true));
  }

  private void remember(ClusterConfig cluster, ReplicaId replica, LogRecord record)
      throws Exception {
    LogListener unheard =
        new LogListener() {
          @Override
          public void onKept(long position) {}

          @Override
          public void onFailed(StorageException failure) {
            throw new AssertionError(failure);
          }
        };
    try (Storage storage =
        Storage.open(
            Files.createDirectories(folder.resolve("data")).resolve("s1"),
            new Identity(cluster.name(), "s1"),
            StorageOptions.of(Durability.SYNC),
            (tag, payload) -> {},
            (tag, payload) -> {},
            unheard)) {
      storage
          .log()
          .append(ServerStorage.REPLICA, new StoredRecordEncoder().encode(replica, record));
    }
  }

  /** Before it says that it serves: whoever waits for that does not move replicas to a cold one. */
  @Test
  void aServerWithoutReplicasRehearses() throws Exception {
    StringBuilder text = new StringBuilder("cluster { name = tea, changes = true, servers = [");
    for (int i = 0; i < 6; i++) {
      text.append(
          "\n{ name = s%d, region = r%d, listen = \"127.0.0.%d:7099\" }"
              .formatted(i, i % 3, 11 + i));
    }
    text.append("], regions = [r0, r1, r2] }\nserver.durability = memory\n");
    Path config = write(text.toString());
    ClusterConfig cluster = ClusterConfig.parse(text.toString());
    ServerSpec spec =
        cluster.servers().stream()
            .filter(server -> cluster.replicasOf(server).isEmpty())
            .findFirst()
            .orElseThrow();
    Process process = start("--config", config.toString(), "--name", spec.name());
    try {
      String line = process.inputReader().readLine();
      while (line != null && !line.startsWith("serving: ")) {
        line = process.inputReader().readLine();
      }
      assertThat(line).contains("server '" + spec.name() + "'");
      BufferedReader errors = process.errorReader();
      StringBuilder logged = new StringBuilder();
      while (errors.ready()) {
        logged.append(errors.readLine()).append('\n');
      }
      assertThat(logged).contains("server '" + spec.name() + "' has rehearsed with");
    } finally {
      process.destroyForcibly();
    }
  }

  /** All that was committed, and nothing else, is there after a loss of all processes. */
  @Test
  void aClusterWhoseProcessesWereAllKilledServesWhatWasCommitted() throws Exception {
    String text = TestCluster.text(storing());
    Path config = write(text);
    ClusterConfig cluster = ClusterConfig.parse(text);
    int keys = 50;
    List<Process> processes = startAllServing(config);
    try (TestClient client = new TestClient(cluster).awaitUp(3)) {
      for (int i = 0; i < keys; i++) {
        TxnId txn = client.begin(0);
        client.broadcast(0, prepare(txn, i, Value.of("value" + i)));
        for (int index = 0; index < 3; index++) {
          assertThat(client.next(PrepareReply.class).answer())
              .isEqualTo(new PrepareAnswer.Voted(Vote.COMMIT));
        }
        client.broadcast(0, new Decide(txn, Outcome.commit(0, List.of(0))));
        for (int index = 0; index < 3; index++) {
          client.send(new ReplicaId(0, index), new Get(client.begin(0), 0, Key.of("key" + i)));
          assertThat(client.next(GetReply.class).settled()).isTrue();
        }
      }
    } finally {
      kill(processes);
    }
    processes = startAllServing(config);
    try (TestClient client = new TestClient(cluster).awaitUp(3)) {
      for (int i = 0; i < keys; i++) {
        for (int index = 0; index < 3; index++) {
          client.send(new ReplicaId(0, index), new Get(client.begin(0), 0, Key.of("key" + i)));
          assertThat(client.next(GetReply.class).value()).isEqualTo(Value.of("value" + i));
        }
      }
      client.send(new ReplicaId(0, 0), new Get(client.begin(0), 0, Key.of("key" + keys)));
      assertThat(client.next(GetReply.class).value().isAbsent()).isTrue();
    } finally {
      kill(processes);
    }
  }

  /** Starts s0 to s2 and waits until each has said that it serves. */
  private static List<Process> startAllServing(Path config) throws IOException {
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      processes.add(start(List.of(), "--config", config.toString(), "--name", "s" + i));
    }
    for (int i = 0; i < 3; i++) {
      BufferedReader out = processes.get(i).inputReader();
      assertThat(out.readLine()).startsWith("ready: server 's" + i + "' of cluster 'tea'");
      assertThat(out.readLine()).isEqualTo("serving: server 's" + i + "' of cluster 'tea'");
    }
    return processes;
  }

  private static void kill(List<Process> processes) throws InterruptedException {
    for (Process process : processes) {
      process.toHandle().destroyForcibly();
    }
    for (Process process : processes) {
      assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static Prepare prepare(TxnId txn, int key, Value value) {
    return new Prepare(
        new ExecutionId(txn, 0),
        List.of(),
        List.of(new Write(Key.of("key" + key), 1, value)),
        List.of(0));
  }

  private static Process startReady(List<String> before, Path config) throws IOException {
    Process process = start(before, "--config", config.toString(), "--name", "s1");
    // Not closed: that would close the process's output.
    String line = process.inputReader().readLine();
    while (line != null && !line.startsWith("ready")) {
      line = process.inputReader().readLine();
    }
    assertThat(line).isNotNull();
    return process;
  }

  @Test
  void aWrongConfigurationIsToldAndEndsWithTwo() throws Exception {
    Path config = write(TestCluster.text("server { durability = sync, data = \"\" }"));
    Process process = start("--config", config.toString(), "--name", "s1");
    assertThat(errorsOf(process))
        .contains("server.data (" + config + ":")
        .contains("must name the directory");
    assertThat(process.exitValue()).isEqualTo(2);
  }

  @Test
  void whatIsMissingIsNamed() throws Exception {
    String good = write(TestCluster.text("")).toString();
    assertWrong("none.conf does not exist", "--config", folder + "/none.conf", "--name", "s1");
    assertWrong("there is no server 's9' in cluster 'tea'", "--config", good, "--name", "s9");
    assertWrong("Missing required option: '--name=NAME'", "--config", good);
  }

  /** The codes in the help are those of all commands: 3 for what cannot be run. */
  @Test
  void aServerThatCannotRunEndsWithThree() throws Exception {
    assertThat(ServerMain.commandLine().getCommandSpec().usageMessage().exitCodeList())
        .containsOnlyKeys("2", "3", "143");
    String text = TestCluster.text(storing());
    Path config = write(text);
    ServerSpec spec = ClusterConfig.parse(text).servers().get(1);
    StringWriter errors = new StringWriter();
    try (ServerSocket taken =
        new ServerSocket(spec.port(), 1, InetAddress.ofLiteral("127.0.0.1"))) {
      assertThat(run(errors, config)).isEqualTo(3);
      assertThat(errors.toString())
          .containsOnlyOnce("127.0.0.1:" + taken.getLocalPort())
          .doesNotContain("bind(");
    }
    Path file = Files.createFile(folder.resolve("file"));
    Path other = write(TestCluster.text("server { durability = sync, data = \"" + file + "\" }"));
    StringWriter directory = new StringWriter();
    assertThat(run(directory, other)).isEqualTo(3);
    assertThat(directory.toString())
        .contains(file.resolve("s1").toString(), "server.data")
        .doesNotContain("java.", "Exception");
  }

  private static int run(StringWriter errors, Path config) {
    return ServerMain.commandLine()
        .setErr(new PrintWriter(errors, true))
        .execute("--config", config.toString(), "--name", "s1");
  }

  private static void assertWrong(String error, String... arguments) {
    StringWriter errors = new StringWriter();
    int exitCode =
        ServerMain.commandLine().setErr(new PrintWriter(errors, true)).execute(arguments);
    assertThat(errors.toString()).contains(error);
    assertThat(exitCode).isEqualTo(2);
  }

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("cluster.conf"), text);
  }

  private static Process start(String... arguments) throws IOException {
    return start(List.of(), arguments);
  }

  private static Process start(List<String> before, String... arguments) throws IOException {
    return start(before, List.of(), arguments);
  }

  static Process start(List<String> before, List<String> options, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ServerMain.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).start();
  }

  private static String errorsOf(Process process) throws Exception {
    String errors = new String(process.getErrorStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    return errors;
  }
}
