package org.mortydb.bench.tracing;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.client.Result;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.telemetry.tracing.TransactionTracing;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.Progress.Phase;

/**
 * A cluster of server processes with traced transactions: a contended load, a server that fails for
 * a while, and a client that is killed during a commit. Afterwards it finds the best traces in
 * Zipkin.
 *
 * @param rate the share of traced transactions, above 0
 * @param delayMicros the one-way delay between any two of the three regions, above 0
 * @param clients the number of concurrent transactions
 * @param accounts the number of accounts; fewer accounts mean more conflicts
 * @param seconds the duration of the load
 */
public record TraceDemo(double rate, long delayMicros, int clients, int accounts, double seconds) {
  private static final String SERVER_JVM =
      "-Xms256m -Xmx512m -XX:+UseSerialGC -XX:+UseCompactObjectHeaders"
          + " --enable-native-access=ALL-UNNAMED";
  private static final double SECONDS_WITHOUT_SERVER = 2;
  private static final long RETURN_SECONDS = 60;
  private static final long SPANS_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long POLL_MILLIS = 250;

  /**
   * A trace.
   *
   * @param kind its kind
   * @param note a short note on it
   * @param traceId its id
   * @param link its page in Zipkin
   * @param cause the page of its cause, if there is one
   */
  public record Found(TraceKind kind, String note, String traceId, URI link, @Nullable URI cause) {}

  /**
   * Runs the demonstration.
   *
   * @return the best trace of each kind that Zipkin has
   * @throws TracingFailedException if the cluster, a client or Zipkin fails
   */
  public List<Found> run(ZipkinApi zipkin, Progress progress) throws InterruptedException {
    ClusterSettings settings = settings(zipkin);
    long sinceMillis = System.currentTimeMillis();
    try (ProcessCluster servers = ProcessCluster.start(settings);
        Clients connected = Clients.connect(servers.config(), settings)) {
      Transfers transfers = new Transfers(connected.clients, clients, accounts);
      transfers.run(seconds, "transfer", progress);
      runWithoutAServer(servers, transfers, progress);
      String left = leaveTransaction(servers, connected, settings, progress);
      connected.flush();
      return find(zipkin, sinceMillis, left, progress);
    }
  }

  private ClusterSettings settings(ZipkinApi zipkin) {
    Map<String, String> others = new LinkedHashMap<>();
    others.put("tracing.rate", Double.toString(rate));
    others.put("tracing.zipkin", '"' + zipkin.spans().toString() + '"');
    // Rounds of truncation still happen about every half second.
    others.put("server.replica.retention", "12s");
    return new ClusterSettings(
        1,
        1,
        OptionalLong.of(delayMicros),
        false,
        "memory",
        null,
        true,
        1,
        List.of(SERVER_JVM.split(" ")),
        3,
        1,
        others);
  }

  /** Returns the id of the trace of a transaction that a killed client has left behind. */
  private static String leaveTransaction(
      ProcessCluster servers, Clients clients, ClusterSettings settings, Progress progress)
      throws InterruptedException {
    try (Phase phase = progress.begin("kill", "client", 1)) {
      String trace = DoomedClient.runAndKill(servers.configFile(), settings.regions().getFirst());
      phase.update(1, "a client during its commit");
      // This read meets the abandoned transaction and waits for its recovery.
      Result<Long> witness =
          clients.clients.getFirst().run(txn -> txn.getOrDefault(DoomedClientMain.KEY, 0L));
      if (!witness.isCommitted()) {
        throw new TracingFailedException(
            "no replica has recovered the transaction of the killed client: " + witness);
      }
      return trace;
    }
  }

  private static void runWithoutAServer(
      ProcessCluster servers, Transfers transfers, Progress progress) throws InterruptedException {
    int last = servers.size() - 1;
    servers.kill(last);
    transfers.run(SECONDS_WITHOUT_SERVER, "one less", progress);
    try {
      servers.restart(last);
    } catch (IOException e) {
      throw new TracingFailedException("cannot restart a server: " + e.getMessage(), e);
    }
    servers.awaitServing(last, RETURN_SECONDS);
  }

  /** Finds the best traces. Spans take about a second to arrive. */
  private static List<Found> find(
      ZipkinApi zipkin, long sinceMillis, String left, Progress progress)
      throws InterruptedException {
    TraceKind[] kinds = TraceKind.values();
    Map<TraceKind, Found> found = new LinkedHashMap<>();
    long deadline = System.nanoTime() + SPANS_NANOS;
    try (Phase phase = progress.begin("find", "trace", kinds.length)) {
      do {
        for (TraceKind kind : kinds) {
          Optional<ZipkinTrace> trace =
              kind == TraceKind.RECOVERED
                  ? zipkin.trace(left).filter(one -> kind.missing(one) == null)
                  : kind.best(zipkin, sinceMillis);
          trace.ifPresent(one -> found.put(kind, found(kind, one, zipkin)));
        }
        phase.update(found.size(), "of " + kinds.length + " kinds");
        Thread.sleep(POLL_MILLIS);
      } while (found.size() < kinds.length && System.nanoTime() - deadline < 0);
    }
    List<Found> inOrder = new ArrayList<>();
    for (TraceKind kind : kinds) {
      Found one = found.get(kind);
      if (one != null) {
        inOrder.add(one);
      }
    }
    return inOrder;
  }

  private static Found found(TraceKind kind, ZipkinTrace trace, ZipkinApi zipkin) {
    String cause = kind.cause(trace);
    return new Found(
        kind,
        kind.note(trace),
        trace.id(),
        zipkin.page(trace.id()),
        cause.isEmpty() ? null : zipkin.page(cause));
  }

  /** A client in each region. */
  private record Clients(List<MortyClient> clients, List<TransactionTracing> tracings)
      implements AutoCloseable {

    static Clients connect(ClusterConfig config, ClusterSettings settings) {
      Clients made = new Clients(new ArrayList<>(), new ArrayList<>());
      for (String region : settings.regions()) {
        TransactionTracing tracing =
            TransactionTracing.toZipkin(TransactionTracing.serviceOfClients(region), config);
        made.tracings.add(tracing);
        made.clients.add(
            MortyClient.connect(
                config,
                ClientOptions.inRegion(region)
                    .withTransaction(RetryDefaults.of(settings))
                    .withObserver(tracing.ofClients())));
      }
      return made;
    }

    void flush() {
      tracings.forEach(TransactionTracing::flush);
    }

    @Override
    public void close() {
      clients.forEach(MortyClient::close);
      tracings.forEach(TransactionTracing::close);
    }
  }
}
