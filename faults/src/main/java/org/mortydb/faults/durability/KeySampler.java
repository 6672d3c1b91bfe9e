package org.mortydb.faults.durability;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.security.SecureRandom;
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
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.transport.EventLoops;
import org.mortydb.workloads.retwis.RecordId;

/** Asks one server for some keys, spread over all of Retwis, until it has every one of them. */
final class KeySampler implements AutoCloseable {
  private static final int KEYS = 64;
  private static final long POLL_MILLIS = 50;

  private final EventLoopGroup loops = EventLoops.create(1, "morty-bench-sampler");
  private final EventLoop loop = loops.next();
  private final ClientId self = new ClientId(new SecureRandom().nextLong());
  private final ClusterConfig config;
  private final ServerSpec server;
  private final int records;
  private final ReplicaLinks links;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final Set<Integer> missing = new HashSet<>();
  private long lastMicros;

  /**
   * @param server its place in the configuration
   * @param records how many records there are
   */
  KeySampler(ClusterConfig config, int server, int records) {
    this.config = config;
    this.server = config.servers().get(server);
    this.records = records;
    int count = Math.min(KEYS, records);
    for (int i = 0; i < count; i++) {
      missing.add(i);
    }
    links = new ReplicaLinks(loop, self, config, MeasuredCluster.REGION, this::onMessage);
  }

  /**
   * Returns when the server has them all.
   *
   * @throws ClusterFailedException when that takes too long
   */
  void awaitAll(long seconds) throws InterruptedException {
    loop.execute(this::ask);
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
        TxnId txn = new TxnId(lastMicros, self.id(), replica.partition());
        links.send(replica, new Message.Get(txn, sample, key));
      }
    }
    var unused = loop.schedule(this::ask, POLL_MILLIS, TimeUnit.MILLISECONDS);
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
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
