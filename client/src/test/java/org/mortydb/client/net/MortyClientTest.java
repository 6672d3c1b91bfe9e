package org.mortydb.client.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.client.Codecs;
import org.mortydb.client.Entry;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.fixture.NetworkCluster;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;

/** The client over loopback, with real replicas at the other end. */
@Timeout(30)
class MortyClientTest {
  private static final TypedKey<String> A = TypedKey.of(Key.of("a"), Codecs.STRING);
  private static final TypedKey<Long> COUNTER = TypedKey.of(Key.of("counter"), Codecs.INT64);

  private NetworkCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = NetworkCluster.start(2);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  /** Notes which replicas are asked to read. */
  private record ReadObserver(Queue<Endpoint> asked) implements MachineObserver {
    @Override
    public void probed(Endpoint at, Probe probe, long nowMicros) {}

    @Override
    public void sent(Endpoint at, Endpoint to, Message message, long nowMicros) {
      if (message instanceof Message.Get || message instanceof Message.Scan) {
        asked.add(to);
      }
    }
  }

  private MortyClient connect() {
    return MortyClient.connect(cluster.config(), ClientOptions.inRegion("r0"));
  }

  private static <R> R committed(Result<R> result) {
    if (result instanceof Result.Committed<R> committed) {
      return committed.value();
    }
    throw new AssertionError("not committed: " + result);
  }

  private static Path write(MortyClient client, String value) {
    Result<String> result =
        client.run(
            txn -> {
              txn.put(A, value);
              return value;
            });
    committed(result);
    return result.info().path();
  }

  private static String read(MortyClient client) {
    return committed(client.run(txn -> txn.get(A)));
  }

  private static List<String> scan(MortyClient client) {
    TypedRange<Key, String> range =
        TypedRange.of(new KeyRange(Key.of("a"), Key.of("b")), Codecs.STRING);
    return committed(client.run(txn -> txn.scan(range, 10))).stream().map(Entry::value).toList();
  }

  private static Set<String> clientThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("morty-client"))
        .collect(Collectors.toSet());
  }

  @Test
  void bothStylesWork() throws Exception {
    try (MortyClient client = connect()) {
      Result<String> written =
          client
              .execute(
                  "written",
                  (txn, ctx) -> {
                    txn.put(ctx, A, "one");
                    txn.commit(ctx);
                  })
              .get(10, TimeUnit.SECONDS);
      assertThat(committed(written)).isEqualTo("written");
      assertThat(written.info().path()).isEqualTo(Path.FAST);
      assertThat(read(client)).isEqualTo("one");
    }
  }

  @Test
  void observersHearOfEveryTransaction() {
    ConcurrentLinkedQueue<Probe> probes = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<Message> messages = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<CompletedAttempt> first = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<CompletedAttempt> second = new ConcurrentLinkedQueue<>();
    MachineObserver observer =
        new MachineObserver() {
          @Override
          public void probed(Endpoint at, Probe probe, long nowMicros) {
            assertThat(at).isEqualTo(new ClientId(probe.txn().clientId()));
            probes.add(probe);
          }

          @Override
          public void received(Endpoint at, Endpoint from, Message message, long nowMicros) {
            assertThat(at).isEqualTo(new ClientId(message.txn().clientId()));
            assertThat(from).isInstanceOf(ReplicaId.class);
            messages.add(message);
          }
        };
    ClientOptions options =
        ClientOptions.inRegion("r0")
            .withObserver(observer)
            .withListener(first::add)
            .withListener(second::add);
    try (MortyClient client = MortyClient.connect(cluster.config(), options)) {
      write(client, "one");
      assertThat(read(client)).isEqualTo("one");
    }
    assertThat(probes.stream().filter(Probe.Decided.class::isInstance)).hasSize(2);
    assertThat(probes.stream().filter(Probe.Prepared.class::isInstance)).hasSize(2);
    assertThat(messages.stream().filter(Message.GetReply.class::isInstance)).hasSize(1);
    assertThat(messages.stream().filter(Message.PrepareReply.class::isInstance))
        .hasSizeGreaterThanOrEqualTo(4);
    assertThat(first).hasSize(2);
    assertThat(second).containsExactlyElementsOf(first);
  }

  @Test
  void manyTransactionsOverSeveralEnginesLoseNoIncrement() throws Exception {
    ConcurrentLinkedQueue<CompletedAttempt> attempts = new ConcurrentLinkedQueue<>();
    ClientOptions options =
        ClientOptions.inRegion("r1")
            .withEngines(2)
            .withEngine(
                EngineOptions.DEFAULTS
                    .withLimits(8, 1_000)
                    .withTransaction(TransactionOptions.DEFAULTS.withDeadlineMicros(30_000_000)))
            .withListener(attempts::add);
    try (MortyClient client = MortyClient.connect(cluster.config(), options)) {
      List<CompletableFuture<Result<Long>>> all = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        all.add(
            client.execute(
                0L,
                (txn, ctx) ->
                    txn.get(
                        ctx,
                        COUNTER,
                        (c, count) -> {
                          long next = (count == null ? 0 : count) + 1;
                          txn.put(c, COUNTER, next);
                          txn.commit(c.with(next));
                        })));
      }
      long committed = 0;
      Set<Long> counts = new TreeSet<>();
      for (CompletableFuture<Result<Long>> one : all) {
        if (one.get(20, TimeUnit.SECONDS) instanceof Result.Committed<Long>(Long value, var info)) {
          committed++;
          counts.add(value);
        }
      }
      assertThat(counts).hasSize((int) committed);
      assertThat(committed).isGreaterThan(250);
      Long count = committed(client.run(txn -> txn.get(COUNTER)));
      assertThat(count).isEqualTo(committed);
      assertThat(attempts.stream().map(a -> a.completion().txn().clientId()).distinct().count())
          .isEqualTo(2);
    }
  }

  @Test
  void callsFromTheClientsOwnThread() throws Exception {
    try (MortyClient client = connect()) {
      CompletableFuture<Result<String>> chained =
          client
              .execute("first", (txn, ctx) -> txn.commit(ctx))
              .thenCompose(
                  unused ->
                      client.execute(
                          "second",
                          (txn, ctx) -> {
                            txn.put(ctx, A, "x");
                            txn.commit(ctx);
                          }));
      assertThat(committed(chained.get(10, TimeUnit.SECONDS))).isEqualTo("second");
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      var _ =
          client.execute(
              "",
              (txn, ctx) -> {
                try {
                  client.run(inner -> null);
                } catch (IllegalStateException e) {
                  thrown.complete(e);
                }
                txn.commit(ctx);
              });
      assertThat(thrown.get(10, TimeUnit.SECONDS)).hasMessageContaining("own thread");
    }
  }

  @Test
  void closeEndsThreadsAndTransactions() throws Exception {
    MortyClient client = connect();
    write(client, "x");
    cluster.stop("s0");
    cluster.stop("s1");
    cluster.stop("s2");
    CompletableFuture<Result<String>> pending =
        client.execute("", (txn, ctx) -> txn.get(ctx, A, (c, v) -> txn.commit(c)));
    CompletableFuture<Result<String>> committing =
        client.execute(
            "",
            (txn, ctx) -> {
              txn.put(ctx, A, "y");
              txn.commit(ctx);
            });
    client.close();
    client.close();
    assertThat(pending).isCompletedExceptionally();
    assertThat(committing.get(1, TimeUnit.SECONDS)).isInstanceOf(Result.OutcomeUnknown.class);
    assertThat(clientThreads()).isEmpty();
    assertThatThrownBy(() -> client.run(txn -> null)).isInstanceOf(ClientClosedException.class);
    assertThatThrownBy(
            () -> client.execute("", (txn, ctx) -> txn.commit(ctx)).get(1, TimeUnit.SECONDS))
        .hasCauseInstanceOf(ClientClosedException.class);
  }

  @Test
  void oneServerDownCostsOnlyTheFastPath() {
    Queue<Endpoint> asked = new ConcurrentLinkedQueue<>();
    ClientOptions options = ClientOptions.inRegion("r0").withObserver(new ReadObserver(asked));
    try (MortyClient client = MortyClient.connect(cluster.config(), options)) {
      write(client, "before");
      assertThat(read(client)).isEqualTo("before");
      ReplicaId nearest = (ReplicaId) asked.remove();
      cluster.stop("s0");
      // The client may send this read to the stopped server, before it hears of the stop.
      Result<String> result = client.run(txn -> txn.get(A));
      assertThat(committed(result)).isEqualTo("before");
      assertThat(result.info().path()).as("a majority is enough").isEqualTo(Path.READ_ONLY);
      assertThat(write(client, "before")).isEqualTo(Path.SLOW);
      asked.clear();
      assertThat(read(client)).isEqualTo("before");
      assertThat(scan(client)).containsExactly("before");
      assertThat(asked)
          .as("reads go to servers that are up, at once")
          .isNotEmpty()
          .noneMatch(to -> ((ReplicaId) to).index() == nearest.index());
      write(client, "after");
      assertThat(read(client)).isEqualTo("after");
    }
  }

  /** Its answer would have come within a second or not at all; so long a pause is felt. */
  @Test
  void readThatWaitsForAServerThatIsLostGoesToAnotherOneAtOnce() throws Exception {
    Queue<Endpoint> asked = new ConcurrentLinkedQueue<>();
    ClientOptions options =
        ClientOptions.inRegion("r0")
            .withObserver(new ReadObserver(asked))
            .withEngine(
                EngineOptions.DEFAULTS.withCoordinator(
                    new CoordinatorOptions(
                        60_000_000, 2_000_000, 50_000_000, 2_000, 0, ReexecutionPolicy.upTo(10))));
    try (MortyClient client = MortyClient.connect(cluster.config(), options)) {
      write(client, "before");
      cluster.mute("s0");
      CompletableFuture<Result<String>> reading =
          client.execute("", (txn, ctx) -> txn.get(ctx, A, (c, v) -> txn.commit(c.with("" + v))));
      await(() -> !asked.isEmpty());
      cluster.stop("s0");
      assertThat(committed(reading.get(10, TimeUnit.SECONDS))).isEqualTo("before");
      assertThat(write(client, "after")).as("nobody waits for the lost vote").isEqualTo(Path.SLOW);
    }
  }

  /**
   * It stands still, and its link stays up. While this process is short of processors, the client
   * cannot tell, and takes longer to find out.
   */
  @Test
  @Timeout(300)
  void readThatWaitsForAServerThatStaysSilentGoesToAnotherOne() {
    ClientOptions options =
        ClientOptions.inRegion("r0")
            .withEngine(
                EngineOptions.DEFAULTS
                    .withTransaction(TransactionOptions.DEFAULTS.withDeadlineMicros(200_000_000))
                    .withCoordinator(
                        new CoordinatorOptions(
                            200_000_000,
                            2_000_000,
                            150_000_000,
                            2_000,
                            0,
                            ReexecutionPolicy.upTo(10))));
    try (MortyClient client = MortyClient.connect(cluster.config(), options)) {
      write(client, "before");
      cluster.mute("s0");
      assertThat(read(client)).as("the next request would be in 150 s").isEqualTo("before");
      write(client, "after");
      assertThat(read(client)).isEqualTo("after");
    }
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(5);
    }
  }

  @Test
  void connectionsComeBack() throws Exception {
    try (MortyClient client = connect()) {
      write(client, "one");
      for (String server : List.of("s0", "s1", "s2")) {
        cluster.stop(server);
      }
      Result<String> unreachable =
          client.run(TransactionOptions.DEFAULTS.withDeadlineMicros(300_000), txn -> txn.get(A));
      assertThat(unreachable).isInstanceOf(Result.AbortedByConflict.class);
      for (String server : List.of("s0", "s1", "s2")) {
        cluster.start(server);
      }
      assertThat(read(client)).isEqualTo("one");
    }
  }

  @Test
  void aServerThatIsDownAtFirstIsNoHindrance() {
    cluster.stop("s2");
    try (MortyClient client = connect()) {
      write(client, "x");
      assertThat(read(client)).isEqualTo("x");
    }
  }

  @Test
  void nobodyThere() throws Exception {
    ClusterConfig config = NetworkCluster.configOf("test", 1, NetworkCluster.freePorts(3));
    ClientOptions options = ClientOptions.inRegion("r0").withConnectTimeout(Duration.ofMillis(200));
    assertThatThrownBy(() -> MortyClient.connect(config, options))
        .isInstanceOf(ClusterUnreachableException.class)
        .hasMessageContaining("'test'")
        .hasMessageContaining(config.servers().get(0).address())
        .hasMessageContaining(config.servers().get(1).address())
        .hasMessageContaining(config.servers().get(2).address());
    assertThat(clientThreads()).isEmpty();
  }

  @Test
  void anotherCluster() throws Exception {
    List<Integer> ports = cluster.config().servers().stream().map(s -> s.port()).toList();
    ClusterConfig other = NetworkCluster.configOf("other", 2, ports);
    // A refusal ends the attempt; waiting for the timeout would outlast the test.
    ClientOptions patient = ClientOptions.inRegion("r0").withConnectTimeout(Duration.ofHours(1));
    assertThatThrownBy(() -> MortyClient.connect(other, patient))
        .isInstanceOf(ClusterUnreachableException.class)
        .hasMessageContaining("refused")
        .hasMessageContaining("'other'")
        .hasMessageContaining("'test'");
    assertThat(clientThreads()).isEmpty();
  }

  @Test
  void anUnknownRegion() {
    assertThatThrownBy(() -> MortyClient.connect(cluster.config(), ClientOptions.inRegion("r9")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("r9")
        .hasMessageContaining("r0");
    assertThat(clientThreads()).isEmpty();
  }

  @Test
  void whatIsMissingIsSaidToTheCaller() {
    try (MortyClient client = connect()) {
      assertThatThrownBy(() -> client.execute(null, (txn, ctx) -> txn.commit(ctx)))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("initialState");
      assertThatThrownBy(() -> client.execute("", null, (txn, ctx) -> txn.commit(ctx)))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("options");
      assertThatThrownBy(() -> client.execute("", null))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("body");
      assertThatThrownBy(() -> client.run(null, txn -> null))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("options");
    }
  }

  @Test
  void aChangeOfTheMapEndsWithItsClient() throws Exception {
    ClusterConfig changing =
        NetworkCluster.configOf("test", 1, NetworkCluster.freePorts(3), "cluster.changes = true");
    Duration patience = Duration.ofMinutes(5);
    try (NetworkCluster other = new NetworkCluster(changing)) {
      for (ServerSpec server : changing.servers()) {
        other.start(server.name());
      }
      MortyClient client = MortyClient.connect(changing, ClientOptions.inRegion("r0"));
      for (ServerSpec server : changing.servers()) {
        other.mute(server.name());
      }
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      Thread calling =
          Thread.ofPlatform()
              .start(
                  () ->
                      thrown.complete(catchThrowable(() -> ClusterChange.show(client, patience))));
      await(() -> calling.getState() == Thread.State.TIMED_WAITING);
      client.close();
      assertThat(thrown.get(10, TimeUnit.SECONDS)).isInstanceOf(ClientClosedException.class);
      assertThatThrownBy(() -> ClusterChange.show(client, patience))
          .isInstanceOf(ClientClosedException.class);
    }
  }

  @Test
  void everyCallOfCloseReturnsWhenTheThreadsHaveEnded() throws Exception {
    MortyClient client = connect();
    CompletableFuture<Void> busy = new CompletableFuture<>();
    var _ =
        client
            .execute("", (txn, ctx) -> txn.commit(ctx))
            .thenAccept(
                result -> {
                  busy.complete(null);
                  try {
                    Thread.sleep(300);
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                });
    busy.get(10, TimeUnit.SECONDS);
    Thread first = Thread.ofPlatform().start(client::close);
    Thread.sleep(50);
    client.close();
    assertThat(clientThreads()).isEmpty();
    first.join();
  }
}
