package org.mortydb.bench.experiment;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.telemetry.tracing.TransactionTracing;
import org.mortydb.workloads.load.AbortCounter;
import org.mortydb.workloads.load.Style;
import org.mortydb.workloads.load.Target;

/** The clients of this process in a run: one for each region, connected to the cluster. */
public final class LoadClients implements AutoCloseable {
  /** Enough for a distant, busy machine. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

  private final List<MortyClient> clients = new ArrayList<>();
  private final List<TransactionTracing> tracings = new ArrayList<>();
  private final List<Target> targets = new ArrayList<>();
  private final ClientPort port;

  private LoadClients(ClientPort port) {
    this.port = port;
  }

  /** Creates the log of a client. */
  @FunctionalInterface
  public interface Logs {
    /** A new log; null to keep no history. */
    @Nullable HistoryLog newLog() throws IOException;
  }

  /**
   * Connects a client in each region.
   *
   * @param loops the event loops of each client, 1 or more
   * @param transaction the deadline and retries of every transaction
   * @param metricsPort the port for the clients' metrics; 0 for none
   * @param logs called once for each client
   * @throws org.mortydb.client.ClusterUnreachableException if too few servers can be reached
   */
  public static LoadClients connect(
      ClusterConfig config,
      List<String> regions,
      int loops,
      TransactionOptions transaction,
      int metricsPort,
      Style style,
      Logs logs)
      throws IOException, InterruptedException {
    LoadClients all = new LoadClients(ClientPort.open(metricsPort));
    boolean connected = false;
    try {
      for (String region : regions) {
        all.add(config, region, loops, transaction, style, logs);
      }
      connected = true;
      return all;
    } finally {
      if (!connected) {
        all.close();
      }
    }
  }

  private void add(
      ClusterConfig config,
      String region,
      int loops,
      TransactionOptions transaction,
      Style style,
      Logs logs)
      throws IOException, InterruptedException {
    AbortCounter aborts = new AbortCounter();
    ClientOptions options =
        ClientOptions.inRegion(region)
            .withConnectTimeout(CONNECT_TIMEOUT)
            .withEngines(loops)
            .withTransaction(transaction)
            .withListener(aborts);
    if (config.tracing().isOn()) {
      String service = TransactionTracing.serviceOfClients(region);
      TransactionTracing tracing = TransactionTracing.toZipkin(service, config);
      tracings.add(tracing);
      options = options.withObserver(tracing.ofClients());
    }
    MortyClient client = MortyClient.connect(config, port.observing(options));
    clients.add(client);
    targets.add(new Target(style.on(client), aborts, logs.newLog()));
  }

  /** The targets of a load, in the order of the regions. */
  public List<Target> targets() {
    return List.copyOf(targets);
  }

  @Override
  public void close() {
    clients.forEach(MortyClient::close);
    tracings.forEach(TransactionTracing::close);
    port.close();
  }
}
