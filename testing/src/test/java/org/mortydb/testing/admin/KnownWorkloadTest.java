package org.mortydb.testing.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.client.Codecs;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.client.metrics.ClientMetrics;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.model.Key;
import org.mortydb.server.MortyServer;
import org.mortydb.telemetry.metrics.AdminHttp;
import org.mortydb.testing.LoopbackPorts;

/** The metrics of servers and clients, held against what clients are known to have done. */
@Timeout(60)
class KnownWorkloadTest {
  private static final HttpClient http = HttpClient.newHttpClient();

  private final List<MortyServer> servers = new ArrayList<>();
  private final Queue<CompletedAttempt> attempts = new ConcurrentLinkedQueue<>();
  private AdminHttp clientPort;
  private MortyClient client;

  @BeforeEach
  void start() throws Exception {
    ClusterConfig config = ClusterConfig.parse(layout());
    for (int i = 0; i < 3; i++) {
      servers.add(MortyServer.start(config, "s" + i));
    }
    for (MortyServer server : servers) {
      server.serving().get(20, TimeUnit.SECONDS);
    }
    PrometheusRegistry registry = new PrometheusRegistry();
    clientPort = AdminHttp.bind("127.0.0.1", 0).metrics(registry).start();
    ClientOptions options = ClientOptions.inRegion("r0").withEngines(2).withListener(attempts::add);
    client = MortyClient.connect(config, ClientMetrics.in(registry).observing(options));
  }

  @AfterEach
  void stop() {
    client.close();
    clientPort.close();
    servers.forEach(MortyServer::close);
  }

  private static String layout() throws IOException {
    StringBuilder text =
        new StringBuilder("cluster { name = tea, regions = [r0, r1, r2], servers = [");
    List<Integer> ports = LoopbackPorts.free(6);
    for (int i = 0; i < 3; i++) {
      text.append(
          "\n{ name = s%d, region = r%d, listen = \"127.0.0.1:%d\", admin = %d }"
              .formatted(i, i, ports.get(i), ports.get(i + 3)));
    }
    return text.append("] }\nserver.durability = memory\n").toString();
  }

  private static Map<String, Double> metrics(int port) {
    Map<String, Double> values = new TreeMap<>();
    URI uri = URI.create("http://127.0.0.1:" + port + "/metrics");
    try {
      String text = http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
      for (String line : text.lines().filter(line -> !line.startsWith("#")).toList()) {
        int space = line.lastIndexOf(' ');
        values.put(line.substring(0, space), Double.parseDouble(line.substring(space + 1)));
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(uri.toString(), e);
    }
    return values;
  }

  /** The sum of all series of a name, and with some labels, over the servers. */
  private double atServers(String name, String label) {
    double sum = 0;
    for (MortyServer server : servers) {
      sum += sum(metrics(Objects.requireNonNull(server.adminAddress()).getPort()), name, label);
    }
    return sum;
  }

  private static double sum(Map<String, Double> values, String name, String label) {
    return values.entrySet().stream()
        .filter(one -> one.getKey().equals(name) || one.getKey().startsWith(name + "{"))
        .filter(one -> one.getKey().contains(label))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  private static TypedKey<String> key(String name) {
    return TypedKey.of(Key.of(name), Codecs.STRING);
  }

  private static <R> R committed(Result<R> result) {
    if (result instanceof Result.Committed<R> committed) {
      return committed.value();
    }
    throw new AssertionError("not committed: " + result);
  }

  /** The younger one reads before the older one writes, and has to read again. */
  private int reexecuteOnce() throws Exception {
    CountDownLatch olderBegan = new CountDownLatch(1);
    CountDownLatch youngerRead = new CountDownLatch(1);
    CountDownLatch olderCommitted = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    CompletableFuture<Void> older =
        CompletableFuture.runAsync(
            () -> {
              committed(
                  client.run(
                      txn -> {
                        txn.get(key("other"));
                        olderBegan.countDown();
                        await(youngerRead);
                        txn.put(key("hot"), "older");
                        return null;
                      }));
              olderCommitted.countDown();
            },
            task -> Thread.startVirtualThread(task));
    await(olderBegan);
    Result<String> younger =
        client.run(
            txn -> {
              runs.incrementAndGet();
              String seen = String.valueOf(txn.get(key("hot")));
              youngerRead.countDown();
              await(olderCommitted);
              txn.put(key("hot"), "younger after " + seen);
              return seen;
            });
    older.get(20, TimeUnit.SECONDS);
    assertThat(committed(younger)).isEqualTo("older");
    assertThat(runs.get()).isGreaterThanOrEqualTo(2);
    return ((Result.Committed<String>) younger).info().reexecutions();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void countsAreWhatWasDone() throws Exception {
    int each = 25;
    for (int i = 0; i < each; i++) {
      String value = "value" + i;
      TypedKey<String> key = key("key" + i);
      committed(
          client.run(
              txn -> {
                txn.put(key, value);
                return null;
              }));
    }
    for (int i = 0; i < each; i++) {
      TypedKey<String> key = key("key" + i);
      String read = committed(client.run(txn -> txn.get(key)));
      assertThat(read).isEqualTo("value" + i);
    }
    for (int i = 0; i < 3; i++) {
      Result<Object> given =
          client.run(
              txn -> {
                txn.put(key("never"), "never");
                throw txn.abort();
              });
      assertThat(given).isInstanceOf(Result.AbortedByApplication.class);
    }
    int reexecutions = reexecuteOnce();
    assertThat(reexecutions).isPositive();
    int commits = 2 * each + 2;

    Map<String, Double> seen = metrics(clientPort.address().getPort());
    String attemptsName = "morty_client_attempts_total";
    assertThat(sum(seen, attemptsName, "committed")).isEqualTo(commits);
    for (Completion.Path path : Completion.Path.values()) {
      assertThat(sum(seen, attemptsName, "reason=\"" + path.name().toLowerCase(Locale.ROOT) + "\""))
          .isGreaterThanOrEqualTo(
              attempts.stream()
                  .filter(
                      one ->
                          one.completion() instanceof Completion.Committed done
                              && done.path() == path)
                  .count());
    }
    assertThat(sum(seen, attemptsName, "reason=\"application\"")).isEqualTo(3);
    assertThat(sum(seen, attemptsName, "")).isEqualTo(attempts.size());
    assertThat(sum(seen, "morty_client_reexecutions_total", ""))
        .isEqualTo(attempts.stream().mapToInt(CompletedAttempt::reexecutions).sum())
        .isEqualTo(reexecutions);
    assertThat(sum(seen, "morty_client_transaction_seconds_count", "")).isEqualTo(commits);
    assertThat(sum(seen, "morty_client_commit_seconds_count", "")).isEqualTo(commits);
    assertThat(sum(seen, "morty_client_attempt_seconds_count", "aborted")).isEqualTo(3);
    double seconds =
        attempts.stream()
                .filter(one -> one.completion() instanceof Completion.Committed)
                .mapToLong(one -> one.endMicros() - one.callMicros())
                .sum()
            * 1e-6;
    assertThat(sum(seen, "morty_client_transaction_seconds_sum", ""))
        .isBetween(seconds - 1e-6, seconds + 1e-6);

    // The replicas hear of the last outcomes after the client has; reads alone have no outcome.
    int writes = each + 2;
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (atServers("morty_replica_outcomes_total", "commit") < 3 * writes) {
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
      Thread.sleep(10);
    }
    assertThat(atServers("morty_replica_outcomes_total", "commit")).isEqualTo(3 * writes);
    assertThat(atServers("morty_replica_home_commits_total", "")).isEqualTo(3 * writes);
    assertThat(atServers("morty_replica_commit_age_seconds_count", "")).isEqualTo(3 * writes);
    assertThat(atServers("morty_replica_reexecutions_total", "")).isEqualTo(3 * reexecutions);
    assertThat(atServers("morty_replica_messages_total", "type=\"prepare\""))
        .isGreaterThanOrEqualTo(3 * (sum(seen, "morty_client_prepares_total", "") - each));
    assertThat(atServers("morty_replica_messages_total", "type=\"register\""))
        .isGreaterThanOrEqualTo(2 * each);
    assertThat(atServers("morty_replica_reads_total", ""))
        .isEqualTo(atServers("morty_replica_messages_total", "type=\"get\""))
        .isGreaterThanOrEqualTo(each + 2);
    assertThat(atServers("morty_replica_pushes_total", "")).isPositive();
    // Every committed read was answered in the client's region; the rewritten key was read there.
    assertThat(atServers("morty_replica_validity_window_seconds_count", "")).isEqualTo(each + 2);
    assertThat(atServers("morty_replica_serialization_window_seconds_count", "")).isEqualTo(1);
    assertThat(atServers("morty_server_clients", "")).isEqualTo(3 * 2);
  }
}
