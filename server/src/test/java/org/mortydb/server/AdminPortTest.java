package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Finalize;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.GetReply;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.Put;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Write;
import org.mortydb.server.status.ReplicaStatus;
import org.mortydb.telemetry.metrics.Metric;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a server's admin port says is what has been. */
@Timeout(60)
class AdminPortTest {
  private static final HttpClient http = HttpClient.newHttpClient();

  @TempDir private Path data;

  private static HttpResponse<String> ask(MortyServer server, String path) {
    int port = Objects.requireNonNull(server.adminAddress()).getPort();
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    try {
      return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(uri.toString(), e);
    }
  }

  /** Every series with its value. */
  private static Map<String, Double> metrics(MortyServer server) {
    Map<String, Double> values = new TreeMap<>();
    for (String line : ask(server, "/metrics").body().lines().toList()) {
      if (!line.startsWith("#")) {
        int space = line.lastIndexOf(' ');
        values.put(line.substring(0, space), Double.parseDouble(line.substring(space + 1)));
      }
    }
    return values;
  }

  private static double metric(MortyServer server, String series) {
    Double value = metrics(server).get(series);
    assertThat(value).as(series).isNotNull();
    return value;
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.call()) {
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
      Thread.sleep(10);
    }
  }

  @Test
  void countsAreWhatWasDone() throws Exception {
    int fast = 7;
    int slow = 3;
    int aborted = 2;
    String more = "server { durability = sync, data = \"" + data + "\" }";
    try (TestCluster cluster = new TestCluster(more, true)) {
      List<MortyServer> servers = cluster.startAll();
      Map<String, Double> before = metrics(servers.getFirst());
      try (TestClient client = new TestClient(cluster.config).awaitUp(3)) {
        for (int i = 0; i < fast + slow + aborted; i++) {
          Outcome outcome = i < fast + slow ? Outcome.commit(0, List.of(0)) : Outcome.ABORT;
          transact(client, i, i >= fast && i < fast + slow, outcome);
        }
        await(() -> outcomes(servers) == 3 * (fast + slow + aborted));
        await(() -> servers.stream().allMatch(AdminPortTest::isReady)); // told now and then
        int all = fast + slow + aborted;
        for (MortyServer server : servers) {
          Map<String, Double> now = metrics(server);
          assertThat(now)
              .containsEntry("morty_replica_messages_total{type=\"put\"}", (double) all)
              .containsEntry("morty_replica_messages_total{type=\"prepare\"}", (double) all)
              .containsEntry("morty_replica_messages_total{type=\"decide\"}", (double) all)
              .containsEntry("morty_replica_messages_total{type=\"finalize\"}", (double) slow)
              .containsEntry("morty_replica_slow_paths_total", (double) slow)
              .containsEntry("morty_replica_home_commits_total", (double) (fast + slow))
              .containsEntry("morty_replica_commit_age_seconds_count", (double) (fast + slow))
              .containsEntry("morty_replica_reexecutions_total", 0.0)
              .containsEntry(
                  "morty_replica_votes_total{reason=\"none\",vote=\"commit\"}", (double) all)
              .containsEntry(
                  "morty_replica_outcomes_total{outcome=\"commit\"}", (double) (fast + slow))
              .containsEntry("morty_replica_outcomes_total{outcome=\"abort\"}", (double) aborted)
              .containsEntry("morty_replica_serving{partition=\"0\"}", 1.0)
              .containsEntry("morty_replica_stopped{partition=\"0\"}", 0.0)
              .containsEntry("morty_server_ready", 1.0)
              .containsEntry("morty_server_clients", 1.0)
              .containsEntry("morty_log_failed", 0.0)
              .containsKey("morty_server_pause_seconds_count{kind=\"collection\"}")
              .containsKey("morty_server_longest_pause_seconds{kind=\"stall\"}");
          // At least the vote, the outcome, and for slow ones the acceptance, of each.
          assertThat(now.get("morty_log_records_total")).isGreaterThanOrEqualTo(2 * all + slow);
          assertThat(now.get("morty_log_bytes_total")).isPositive();
          assertThat(now.get("morty_log_force_seconds_count"))
              .isGreaterThanOrEqualTo(all)
              .isLessThanOrEqualTo(now.get("morty_log_records_total") + 5);
          // Votes and acceptances waited for the log.
          assertThat(now.get("morty_log_hold_seconds_count")).isGreaterThanOrEqualTo(all + slow);
          assertThat(now.get("morty_link_bytes_total{direction=\"in\",peer=\"clients\"}"))
              .isPositive();
        }
        // One replica has served the reads, of keys that nobody had written.
        Map<String, Double> reading = metrics(servers.getFirst());
        assertThat(reading)
            .containsEntry("morty_replica_reads_total{version=\"settled\"}", (double) all)
            .containsEntry(
                "morty_replica_serialization_window_seconds_count", (double) (fast + slow))
            .containsEntry("morty_replica_validity_window_seconds_count", (double) (fast + slow));
        assertThat(reading.get("morty_replica_validity_window_seconds_sum"))
            .isGreaterThan(reading.get("morty_replica_serialization_window_seconds_sum"));
        String in = "morty_link_messages_total{direction=\"in\",peer=\"clients\"}";
        assertThat(reading.get(in) - before.get(in)).isEqualTo(4 * all + slow);
        String out = "morty_link_messages_total{direction=\"out\",peer=\"clients\"}";
        assertThat(reading.get(out) - before.get(out)).isGreaterThanOrEqualTo(2 * all + slow);
        assertThat(metrics(servers.get(1)))
            .containsEntry("morty_replica_reads_total{version=\"settled\"}", 0.0)
            .containsEntry("morty_replica_validity_window_seconds_count", 0.0);
      }
    }
  }

  private static boolean isReady(MortyServer server) {
    Map<String, Double> now = metrics(server);
    return now.get("morty_replica_serving{partition=\"0\"}") == 1
        && now.get("morty_server_ready") == 1
        && now.get("morty_server_clients") == 1;
  }

  private static double outcomes(List<MortyServer> servers) {
    double sum = 0;
    for (MortyServer server : servers) {
      Map<String, Double> now = metrics(server);
      sum += now.get("morty_replica_outcomes_total{outcome=\"commit\"}");
      sum += now.get("morty_replica_outcomes_total{outcome=\"abort\"}");
    }
    return sum;
  }

  /** Reads a key at one replica, writes it at all, has all vote, and tells all the outcome. */
  private static void transact(TestClient client, int i, boolean slow, Outcome outcome)
      throws InterruptedException {
    TxnId txn = client.begin(0);
    Key key = Key.of("key" + i);
    client.send(new ReplicaId(0, 0), new Get(txn, 0, key));
    GetReply read = client.next(GetReply.class);
    Write write = new Write(key, 1, Value.of("value" + i));
    client.broadcast(0, new Put(txn, 0, write));
    client.broadcast(
        0,
        new Prepare(
            new ExecutionId(txn, 0),
            List.of(new Read(key, read.version())),
            List.of(write),
            List.of(0)));
    for (int index = 0; index < 3; index++) {
      assertThat(client.next(PrepareReply.class).txn()).isEqualTo(txn);
    }
    if (slow) {
      client.broadcast(0, new Finalize(txn, View.CLIENT, outcome));
      for (int index = 0; index < 3; index++) {
        assertThat(client.next(FinalizeReply.class).txn()).isEqualTo(txn);
      }
    }
    client.broadcast(0, new Decide(txn, outcome));
  }

  @Test
  void roundTripsAreThoseOfTheNetwork() throws Exception {
    String delays = "emulation.delays { r0 { r1 = 20ms, r2 = 30ms }, r1 { r2 = 5ms } }";
    try (TestCluster cluster = new TestCluster(delays, true)) {
      List<MortyServer> servers = cluster.startAll();
      MortyServer first = servers.getFirst();
      String to = "morty_link_round_trip_seconds{peer=\"%s\",region=\"%s\"}";
      await(
          () ->
              metrics(first).containsKey(to.formatted("s1", "r1"))
                  && metrics(first).containsKey(to.formatted("s2", "r2")));
      assertThat(metric(first, to.formatted("s1", "r1"))).isBetween(0.04, 2.0);
      assertThat(metric(first, to.formatted("s2", "r2"))).isBetween(0.06, 2.0);
      assertThat(metric(first, "morty_link_up{peer=\"s2\",region=\"r2\"}")).isEqualTo(1);
      servers.get(2).close();
      await(() -> metric(first, "morty_link_up{peer=\"s2\",region=\"r2\"}") == 0);
      assertThat(metrics(first)).doesNotContainKey(to.formatted("s2", "r2"));
      assertThat(metric(first, "morty_link_up{peer=\"s1\",region=\"r1\"}")).isEqualTo(1);
    }
  }

  @Test
  void aServerIsReadyWhenItsReplicasServe() throws Exception {
    try (TestCluster cluster = new TestCluster("cluster.partitions = 2", true)) {
      MortyServer first = cluster.start(0, ServerOptions.DEFAULTS);
      HttpResponse<String> early = ask(first, "/health/ready");
      assertThat(early.statusCode()).isEqualTo(503);
      assertThat(early.headers().firstValue("Content-Type")).contains("application/json");
      assertThat(early.body())
          .startsWith(
              "{\"ready\":false,\"cluster\":\"tea\",\"server\":\"s0\",\"region\":\"r0\","
                  + "\"problems\":[\"")
          .contains("2 replicas", new ReplicaId(0, 0) + ", " + new ReplicaId(1, 0), "s1, s2")
          .endsWith(
              "\"],\"replicas\":[{\"partition\":0,\"state\":\"joining\"},"
                  + "{\"partition\":1,\"state\":\"joining\"}]}");
      assertThat(ask(first, "/health/live").statusCode()).isEqualTo(200);
      assertThat(metric(first, "morty_server_ready")).isZero();
      for (int i = 1; i < 3; i++) {
        cluster.start(i, ServerOptions.DEFAULTS);
      }
      first.serving().get(20, TimeUnit.SECONDS);
      await(() -> ask(first, "/health/ready").statusCode() == 200);
      assertThat(ask(first, "/health/ready").body())
          .startsWith("{\"ready\":true,")
          .contains("\"problems\":[]", "{\"partition\":1,\"state\":\"serving\"}");
    }
  }

  @Test
  void theStateOfAllServersIsToldThoughOneIsDown() throws Exception {
    try (TestCluster cluster = new TestCluster("", true)) {
      List<MortyServer> servers = cluster.startAll();
      MortyServer first = servers.getFirst();
      assertThat(ask(first, "/").headers().firstValue("Content-Type"))
          .contains("text/html; charset=utf-8");
      assertThat(ask(first, "/").body()).contains("fetch('/api/cluster'");
      String whole = ask(first, "/api/cluster").body();
      assertThat(whole).startsWith("{\"cluster\":\"tea\"").doesNotContain("\"problem\":");
      for (int i = 0; i < 3; i++) {
        assertThat(whole).contains("\"state\":{\"server\":\"s" + i + "\"");
      }
      servers.get(2).close();
      int port = Objects.requireNonNull(servers.get(2).spec().admin()).port();
      await(() -> ask(first, "/api/cluster").body().contains("\"problem\":"));
      assertThat(ask(first, "/api/cluster").body())
          .contains(
              "admin port 127.0.0.1:" + port,
              "\"state\":{\"server\":\"s0\"",
              "\"state\":{\"server\":\"s1\"")
          .doesNotContain("\"state\":{\"server\":\"s2\"");
    }
  }

  @Test
  void aStoppedPartitionIsNotReady() throws Exception {
    try (TestCluster cluster = new TestCluster("", true)) {
      MortyServer server =
          cluster.start(
              0,
              replica ->
                  (nowMicros, event, out) -> {
                    throw new IllegalStateException("on purpose");
                  });
      await(() -> metric(server, "morty_replica_stopped{partition=\"0\"}") == 1);
      assertThat(ask(server, "/health/ready").body())
          .contains("\"problems\":[\"replica " + new ReplicaId(0, 0) + " is stopped")
          .contains("{\"partition\":0,\"state\":\"stopped\"}");
      assertThat(ask(server, "/health/live").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void everyMetricOfServersIsThereAndNoOther() throws Exception {
    String more = "server { durability = sync, data = \"" + data + "\" }";
    try (TestCluster cluster = new TestCluster(more, true)) {
      List<MortyServer> servers = cluster.startAll();
      await(() -> ask(servers.getFirst(), "/metrics").body().contains("round_trip_seconds{"));
      TreeSet<String> shown = new TreeSet<>();
      ask(servers.getFirst(), "/metrics")
          .body()
          .lines()
          .filter(line -> line.startsWith("# TYPE morty_"))
          .forEach(line -> shown.add(line.split(" ")[2]));
      List<String> expected = new ArrayList<>();
      for (Metric metric : Metric.values()) {
        if (!metric.exposedName().startsWith("morty_client_")) {
          expected.add(metric.exposedName());
        }
      }
      // The first watermark comes after the retention.
      shown.add(Metric.REPLICA_WATERMARK_AGE_SECONDS.exposedName());
      shown.add(Metric.REPLICA_FENCE_AGE_SECONDS.exposedName());
      assertThat(shown).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(ask(servers.getFirst(), "/metrics").body()).contains("jvm_memory_used_bytes");
    }
  }

  @Test
  void watermarksAreBehindByTheRetention() throws Exception {
    try (TestCluster cluster =
        new TestCluster("server.replica { retention = 1s, tick = 10ms }", true)) {
      MortyServer first = cluster.startAll().getFirst();
      String age = "morty_replica_watermark_age_seconds{partition=\"0\"}";
      await(() -> metrics(first).containsKey(age));
      await(() -> metric(first, age) < 5);
      assertThat(metric(first, age)).isGreaterThan(1);
      assertThat(metric(first, "morty_replica_truncations_total")).isPositive();
      ReplicaStatus status = first.status().replicas().getFirst();
      assertThat(status.watermarkMicros())
          .isLessThanOrEqualTo(status.fenceMicros())
          .isGreaterThan(MicrosClock.SYSTEM.nowMicros() - 20_000_000);
      assertThat(metric(first, "morty_replica_fence_age_seconds{partition=\"0\"}"))
          .isCloseTo(metric(first, age), within(4.0));
    }
  }

  /** A client that was just served is not told by the admin port that the replica joins. */
  @Test
  void theStatusKnowsAtOnceThatAReplicaServes() throws Exception {
    try (TestCluster cluster = new TestCluster("cluster.partitions = 3", true)) {
      for (MortyServer server : cluster.startAll()) {
        assertThat(server.status().replicas()).allMatch(ReplicaStatus::serving);
        assertThat(ask(server, "/health/ready").statusCode()).isEqualTo(200);
      }
    }
  }

  // ---- warnings: all replicas serve, and something is wrong -----------------------------------

  /** Waits until all replicas of a server serve and it warns of something; returns its state. */
  private static JsonNode warned(MortyServer server, String code) throws Exception {
    await(() -> ask(server, "/api/server").body().contains("\"code\":\"" + code + "\""));
    assertThat(ask(server, "/health/ready").statusCode()).isEqualTo(200);
    assertThat(metric(server, "morty_server_warnings{warning=\"" + code + "\"}")).isPositive();
    return new JsonMapper().readTree(ask(server, "/api/server").body());
  }

  @Test
  void aServerWarnsOfClocksThatDiffer() throws Exception {
    try (TestCluster cluster = new TestCluster("", true)) {
      MicrosClock ahead = () -> MicrosClock.SYSTEM.nowMicros() + 60_000_000;
      MortyServer first = cluster.start(0, ServerOptions.DEFAULTS);
      MortyServer second = cluster.start(1, ServerOptions.DEFAULTS);
      cluster.start(2, ServerOptions.DEFAULTS.withClock(ahead));
      first.serving().get(20, TimeUnit.SECONDS);
      JsonNode warnings = warned(first, "clock").get("warnings");
      assertThat(warnings).hasSize(1);
      assertThat(warnings.get(0).get("about").asString()).isEqualTo("s2");
      assertThat(warned(second, "clock").get("warnings")).hasSize(1);
      String other = "morty_link_clock_ahead_seconds{peer=\"%s\",region=\"%s\"}";
      assertThat(metric(first, other.formatted("s2", "r2"))).isCloseTo(60, within(1.0));
      assertThat(metric(first, other.formatted("s1", "r1"))).isCloseTo(0, within(1.0));
    }
  }

  @Test
  void aServerWarnsOfALinkThatBreaksAgainAndAgain() throws Exception {
    try (TestCluster cluster = new TestCluster("", true)) {
      List<MortyServer> servers = cluster.startAll();
      MortyServer first = servers.getFirst();
      String breaks = "morty_link_breaks_total{peer=\"s1\",region=\"r1\"}";
      assertThat(metric(first, breaks)).isZero();
      MortyServer second = servers.get(1);
      for (int i = 0; i < 3; i++) {
        second.close();
        second = cluster.startWhole(1, MicrosClock.SYSTEM);
        MortyServer restarted = second;
        await(() -> metric(first, "morty_link_up{peer=\"s1\",region=\"r1\"}") == 1);
        await(() -> metric(restarted, "morty_link_up{peer=\"s0\",region=\"r0\"}") == 1);
      }
      JsonNode warning = warned(first, "link").get("warnings").get(0);
      assertThat(warning.get("about").asString()).isEqualTo("s1");
      assertThat(metric(first, breaks)).isEqualTo(3);
    }
  }

  @Test
  void aServerWarnsOfAWatermarkThatStandsStill() throws Exception {
    String quick = "server.replica { retention = 1s, inquire-after = 100ms }";
    try (TestCluster cluster = new TestCluster(quick, true)) {
      List<MortyServer> servers = cluster.startAll();
      MortyServer first = servers.getFirst();
      await(
          () -> metrics(first).containsKey("morty_replica_watermark_age_seconds{partition=\"0\"}"));
      servers.get(1).close();
      servers.get(2).close();
      JsonNode warnings = warned(first, "watermark").get("warnings");
      assertThat(warnings)
          .anyMatch(
              one ->
                  one.get("code").asString().equals("watermark")
                      && one.get("text").asString().contains("s1, s2"));
    }
  }

  @Test
  void aServerInAHealthyClusterWarnsOfNothing() throws Exception {
    String quick = "server.replica { retention = 1s, inquire-after = 100ms }";
    try (TestCluster cluster = new TestCluster(quick, true)) {
      MortyServer first = cluster.startAll().getFirst();
      await(() -> first.status().upMicros() > 5_000_000);
      JsonNode state = new JsonMapper().readTree(ask(first, "/api/server").body());
      assertThat(state.get("warnings")).isEmpty();
    }
  }

  @Test
  void withoutAnAdminAddressThereIsNoneAndTheStatusCanBeAskedFor() throws Exception {
    try (TestCluster cluster = new TestCluster("")) {
      List<MortyServer> servers = cluster.startAll();
      assertThat(servers.getFirst().adminAddress()).isNull();
      assertThat(servers.getFirst().status().replicas())
          .extracting(ReplicaStatus::replica, ReplicaStatus::serving)
          .containsExactly(tuple(new ReplicaId(0, 0), true));
    }
  }

  @Test
  void anAdminAddressThatIsTakenStopsTheServerWithASentence() throws Exception {
    try (TestCluster cluster = new TestCluster("", true)) {
      int port = Objects.requireNonNull(cluster.config.servers().getFirst().admin()).port();
      try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
        assertThatExceptionOfType(IOException.class)
            .isThrownBy(() -> cluster.start(0, ServerOptions.DEFAULTS))
            .withMessageContaining("cannot listen on 127.0.0.1:" + taken.getLocalPort());
      }
      cluster.start(0, ServerOptions.DEFAULTS);
    }
  }
}
