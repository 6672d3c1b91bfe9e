package org.mortydb.faults.durability;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.cli.links.ReplicaLinks;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.workloads.retwis.RecordId;

/** Asks one server for some keys, spread over all of Retwis, until it has all of them. */
final class KeySampler implements AutoCloseable {
  private static final int KEYS = 64;
  private static final long POLL_MILLIS = 50;

  private final ClusterConfig config;
  private final ServerSpec server;
  private final int records;
  private final ReplicaLinks links;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final Set<Integer> missing = new HashSet<>();
  private long lastMicros;

  /**
   * Connects.
   *
   * @param server the place of the server in the configuration
   * @param records the number of records
   */
  KeySampler(ClusterConfig config, int server, int records) throws IOException {
    this.config = config;
    this.server = config.servers().get(server);
    this.records = records;
    for (int i = 0; i < Math.min(KEYS, records); i++) {
      missing.add(i);
    }
    links =
        new ReplicaLinks(config, MeasuredCluster.REGION, "morty-bench-sampler", this::onMessage);
  }

  /**
   * Waits until the server has all of them.
   *
   * @throws ClusterFailedException when it takes longer than that
   */
  void awaitAll(long seconds) throws InterruptedException {
    links.loop().execute(this::ask);
    try {
      done.get(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ClusterFailedException(
          server.name() + " has not caught up after " + seconds + " s", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private void ask() {
    if (done.isDone()) {
      return;
    }
    for (int sample : missing) {
      Key key = key(sample);
      ReplicaId replica = replica(key);
      if (links.isUp(replica)) {
        lastMicros = Math.max(lastMicros + 1, System.currentTimeMillis() * 1_000);
        TxnId txn = new TxnId(lastMicros, links.self().id(), replica.partition());
        links.send(replica, new Message.Get(txn, sample, key));
      }
    }
    var unused = links.loop().schedule(this::ask, POLL_MILLIS, TimeUnit.MILLISECONDS);
  }

  private Key key(int sample) {
    return RecordId.key((int) ((long) sample * records / Math.min(KEYS, records)));
  }

  private ReplicaId replica(Key key) {
    int partition = Topology.partitionOf(key, config.partitions());
    return config.replicasOf(server).stream()
        .filter(replica -> replica.partition() == partition)
        .findFirst()
        .orElseThrow();
  }

  private void onMessage(ReplicaId from, Message message) {
    if (message instanceof Message.GetReply reply && !reply.value().isAbsent()) {
      missing.remove(reply.request());
      if (missing.isEmpty()) {
        done.complete(null);
      }
    }
  }

  @Override
  public void close() {
    links.close();
  }
}
