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
import org.mortydb.bench.experiment.Patience;
import org.mortydb.client.Result;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.telemetry.tracing.TransactionTracing;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.Progress.Phase;

/**
 * A cluster of server processes whose transactions are traced: a contended load, a server that
 * fails for a while, a client that is killed amid a commit. Then the traces that show most are
 * looked for in Zipkin.
 *
 * @param rate the share of transactions that are traced, above 0
 * @param delayMicros one way between any two of the three regions, above 0
 * @param clients transactions that run at a time
 * @param accounts that money is moved between: the fewer, the more conflicts
 * @param seconds how long the load runs
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
   * A trace that shows something.
   *
   * @param kind what
   * @param note what is to be seen, in a few words
   * @param traceId its name
   * @param link the page that shows it
   * @param cause the page of the trace that it points at, if there is one
   */
  public record Found(
      Instructive kind, String note, String traceId, URI link, @Nullable URI cause) {}

  /**
   * Runs it.
   *
   * @return the best trace of each kind; kinds of which Zipkin has none are missing
   * @throws TracingFailedException when something of it cannot be run
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
    // Rounds of truncation come every half second or so all the same.
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

  /** Returns the name of the trace of a transaction that a killed client has left behind. */
  private static String leaveTransaction(
      ProcessCluster servers, Clients clients, ClusterSettings settings, Progress progress)
      throws InterruptedException {
    try (Phase phase = progress.begin("kill", "client", 1)) {
      String trace = DoomedClient.runAndKill(servers.configFile(), settings.regions().getFirst());
      phase.update(1, "a client amid its commit");
      // Comes upon what was left behind, and waits for it.
      Result<Long> witness =
          clients.clients.getFirst().run(txn -> txn.getOrDefault(DoomedClientMain.KEY, 0L));
      if (!witness.isCommitted()) {
        throw new TracingFailedException(
            "nobody has recovered the transaction of the killed client: " + witness);
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
      throw new TracingFailedException("a server cannot be started again: " + e.getMessage(), e);
    }
    servers.awaitServing(last, RETURN_SECONDS);
  }

  /** Spans take a second or so to arrive. */
  private static List<Found> find(
      ZipkinApi zipkin, long sinceMillis, String left, Progress progress)
      throws InterruptedException {
    Instructive[] kinds = Instructive.values();
    Map<Instructive, Found> found = new LinkedHashMap<>();
    long deadline = System.nanoTime() + SPANS_NANOS;
    try (Phase phase = progress.begin("find", "trace", kinds.length)) {
      do {
        for (Instructive kind : kinds) {
          Optional<ZipkinTrace> trace =
              kind == Instructive.RECOVERED
                  ? zipkin.trace(left).filter(one -> kind.missing(one) == null)
                  : kind.best(zipkin, sinceMillis);
          trace.ifPresent(one -> found.put(kind, found(kind, one, zipkin)));
        }
        phase.update(found.size(), "of " + kinds.length + " kinds");
        Thread.sleep(POLL_MILLIS);
      } while (found.size() < kinds.length && System.nanoTime() - deadline < 0);
    }
    List<Found> inOrder = new ArrayList<>();
    for (Instructive kind : kinds) {
      Found one = found.get(kind);
      if (one != null) {
        inOrder.add(one);
      }
    }
    return inOrder;
  }

  private static Found found(Instructive kind, ZipkinTrace trace, ZipkinApi zipkin) {
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
                    .withTransaction(Patience.of(settings))
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
