package org.mortydb.bench.tracing;

import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.TraceContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.server.MortyServer;
import org.mortydb.server.ServerOptions;
import org.mortydb.telemetry.tracing.TraceIds;
import org.mortydb.telemetry.tracing.TransactionTracing;
import org.mortydb.testing.LoopbackPorts;

/** Servers s0, s1, s2 in the regions r0, r1, r2 of this process, whose spans are kept. */
final class TracedCluster extends SpanHandler implements AutoCloseable {
  private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long QUIET_MILLIS = 200;

  final ClusterConfig config;

  /** Reaches zero when a replica waits with its vote. */
  final CountDownLatch waiting = new CountDownLatch(1);

  private final double rate;
  private final Queue<MutableSpan> spans = new ConcurrentLinkedQueue<>();
  private final List<MortyServer> servers = new ArrayList<>();
  private final List<TransactionTracing> tracings = new ArrayList<>();

  /**
   * @param more what to add to the configuration
   */
  TracedCluster(double rate, String more) throws Exception {
    this.rate = rate;
    this.config = ClusterConfig.parse(layout() + more);
    for (int i = 0; i < 3; i++) {
      String service = TransactionTracing.serviceOfServer("s" + i);
      ServerOptions options =
          ServerOptions.DEFAULTS
              .withObserver(tracing(service).ofServers())
              .withObserver((at, probe, nowMicros) -> noteWait(probe));
      servers.add(MortyServer.start(config, "s" + i, options));
    }
    for (MortyServer server : servers) {
      server.serving().get(30, TimeUnit.SECONDS);
    }
  }

  private void noteWait(Probe probe) {
    if (probe instanceof Probe.Waiting) {
      waiting.countDown();
    }
  }

  private static String layout() throws IOException {
    StringBuilder text = new StringBuilder("cluster { name = traced, regions = [r0, r1, r2]\n");
    text.append("servers = [");
    List<Integer> ports = LoopbackPorts.free(3);
    for (int i = 0; i < 3; i++) {
      text.append(
          "\n{ name = s%d, region = r%d, listen = \"127.0.0.%d:%d\" }"
              .formatted(i, i, i + 1, ports.get(i)));
    }
    return text + "] }\nserver { durability = memory }\n";
  }

  private TransactionTracing tracing(String service) {
    TransactionTracing tracing = TransactionTracing.to(this, service, config, rate);
    tracings.add(tracing);
    return tracing;
  }

  MortyClient client() {
    MachineObserver observer = tracing(TransactionTracing.serviceOfClients("r0")).ofClients();
    return client(observer);
  }

  MortyClient client(MachineObserver... observers) {
    ClientOptions options = ClientOptions.inRegion("r0");
    for (MachineObserver observer : observers) {
      options = options.withObserver(observer);
    }
    return MortyClient.connect(config, options);
  }

  /** An observer for a client. */
  MachineObserver observer() {
    return tracing(TransactionTracing.serviceOfClients("r0")).ofClients();
  }

  void stop(int server) {
    servers.get(server).close();
  }

  @Override
  public boolean end(TraceContext context, MutableSpan span, Cause cause) {
    if (cause == Cause.FINISHED) {
      spans.add(new MutableSpan(span));
    }
    return true;
  }

  /** The spans of all transactions so far. */
  List<MutableSpan> spans() {
    return List.copyOf(spans);
  }

  /** The spans of a transaction, once there are so many of a name. */
  SpanTree traceOf(TxnId txn, String name, int count) throws InterruptedException {
    long deadline = System.nanoTime() + SETTLE_NANOS;
    while (true) {
      SpanTree tree = new SpanTree(spans.stream().filter(span -> isOf(txn, span)).toList());
      if (tree.all(name).size() >= count || System.nanoTime() - deadline > 0) {
        return tree;
      }
      Thread.sleep(5);
    }
  }

  /** Waits until no span has come for a while. */
  void settle() throws InterruptedException {
    long deadline = System.nanoTime() + SETTLE_NANOS;
    int before;
    do {
      before = spans.size();
      Thread.sleep(QUIET_MILLIS);
    } while (spans.size() != before && System.nanoTime() - deadline < 0);
  }

  private static boolean isOf(TxnId txn, MutableSpan span) {
    return span.traceId().equals(TraceIds.traceId(txn));
  }

  @Override
  public void close() {
    servers.forEach(MortyServer::close);
    tracings.forEach(TransactionTracing::close);
  }
}
