package org.mortydb.bench.tracing;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.mortydb.bench.cluster.ChildJvm;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.TypedKey;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.telemetry.tracing.TraceIds;
import org.mortydb.telemetry.tracing.TransactionTracing;

/**
 * The main program of a client that is killed during a commit. It runs transactions until one is
 * traced. Of this transaction it sends the spans of its reads, then its Prepares. It stops at the
 * first vote from another region: then every replica has its Prepare, and there is no outcome. It
 * prints {@code prepared: TRACE} and waits until its parent kills it.
 */
public final class DoomedClientMain {
  /** The prefix of the line with the id of the transaction's trace. */
  static final String PREPARED_MARK = "prepared: ";

  private static final KeySpace<String, Long> KEYS =
      KeySpace.of("doomed", Codecs.STRING, Codecs.INT64);

  /** The key that it changes. */
  static final TypedKey<Long> KEY = KEYS.key("left-behind");

  private DoomedClientMain() {}

  /**
   * Runs the client.
   *
   * @param args the cluster's configuration file, and the region
   */
  public static void main(String[] args) throws Exception {
    ChildJvm.endWithParent();
    ClusterConfig config = ClusterConfig.load(Path.of(args[0]));
    String region = args[1];
    String service = TransactionTracing.serviceOfClients(region) + "-doomed";
    TransactionTracing tracing = TransactionTracing.toZipkin(service, config);
    Stall stall = new Stall(tracing, config.topology(region).closest(0));
    ClientOptions options =
        ClientOptions.inRegion(region).withObserver(tracing.ofClients()).withObserver(stall);
    try (MortyClient client = MortyClient.connect(config, options)) {
      while (true) {
        client.run(
            txn -> {
              long read = txn.getOrDefault(KEY, 0L);
              if (stall.hasTraced.get()) {
                tracing.flush(); // later spans are lost with this process
              }
              txn.put(KEY, read + 1);
              return read;
            });
      }
    }
  }

  /** Stops at the first vote from another region for a traced transaction. */
  private static final class Stall implements MachineObserver {
    private final AtomicBoolean hasTraced = new AtomicBoolean();
    private final TransactionTracing tracing;
    private final int closest;

    Stall(TransactionTracing tracing, int closest) {
      this.tracing = tracing;
      this.closest = closest;
    }

    @Override
    public void probed(Endpoint at, Probe probe, long nowMicros) {}

    @Override
    public void sent(Endpoint at, Endpoint to, Message message, long nowMicros) {
      if (tracing.isSampled(message.txn())) {
        hasTraced.set(true);
      }
    }

    @Override
    public void received(Endpoint at, Endpoint from, Message message, long nowMicros) {
      TxnId txn = message.txn();
      if (message instanceof Message.PrepareReply
          && tracing.isSampled(txn)
          && from instanceof ReplicaId replica
          && replica.index() != closest) {
        System.out.println(PREPARED_MARK + TraceIds.traceId(txn));
        System.out.flush();
        try {
          new CountDownLatch(1).await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
