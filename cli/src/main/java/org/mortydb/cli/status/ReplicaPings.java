package org.mortydb.cli.status;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.links.ServerLinks;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.Question;
import org.mortydb.transport.Reply;
import org.mortydb.transport.tls.InvalidCredentialsException;

/**
 * Asks every replica of a cluster whether it serves, over the connections that clients use.
 *
 * <p>The question is a read by a transaction ten years in the future. A replica that serves refuses
 * the read because of its timestamp, says its clock with the refusal, and keeps nothing of the
 * read. A replica that does not serve says so. Baselines answer other questions: of their servers
 * this class only learns whether they accept a client.
 */
final class ReplicaPings {
  private static final long FUTURE_MICROS = TimeUnit.MICROSECONDS.convert(Duration.ofDays(3_650));
  private static final Key KEY = Key.of("status");

  /** Questions per server: the first finds both sides cold, so the round trip is measured again. */
  private static final int ROUNDS = 3;

  /** The answer of a replica. */
  enum Answer {
    SERVING,
    NOT_SERVING,
    /** No answer, although the server accepts clients. */
    NONE
  }

  /**
   * The answers of a server.
   *
   * @param connected whether the server has accepted a client
   * @param problem why it has not; null if it has
   * @param roundTripMicros the shortest time from a question to its answer; null without one
   * @param clockOffsetMicros by how much its clock is ahead of the local one, with an error of half
   *     the round trip; null without an answer
   * @param replicas each replica that the server should hold
   * @param maps the maps that its replicas know; null if it has told none: the first map holds
   */
  record Ping(
      boolean connected,
      @Nullable String problem,
      @Nullable Long roundTripMicros,
      @Nullable Long clockOffsetMicros,
      Map<ReplicaId, Answer> replicas,
      @Nullable MapHistory maps) {}

  private ReplicaPings() {}

  /**
   * Asks all replicas, and returns at the timeout at the latest.
   *
   * @param region the region of this process, which matters for emulated delays
   * @return the answers by server, in the order of the configuration
   * @throws InvalidCredentialsException when the cluster uses TLS, and there are no credentials
   */
  static Map<ServerSpec, Ping> ask(ClusterConfig cluster, String region, Duration timeout)
      throws InvalidCredentialsException, InterruptedException {
    Map<ServerSpec, Asker> askers = new LinkedHashMap<>();
    try (ServerLinks links =
        new ServerLinks(
            cluster,
            region,
            "morty-status",
            (server, self) -> {
              Asker asker = new Asker(cluster, server, self);
              askers.put(server, asker);
              return asker;
            })) {
      return collect(links.loop(), askers, timeout);
    }
  }

  private static Map<ServerSpec, Ping> collect(
      EventLoop loop, Map<ServerSpec, Asker> askers, Duration timeout) throws InterruptedException {
    CompletableFuture<?>[] all =
        askers.values().stream().map(asker -> asker.done).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(all).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // The answers so far are the result.
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    CompletableFuture<Map<ServerSpec, Ping>> result = new CompletableFuture<>();
    loop.execute(
        () -> {
          Map<ServerSpec, Ping> pings = new LinkedHashMap<>();
          askers.forEach((server, asker) -> pings.put(server, asker.end()));
          result.complete(pings);
        });
    return result.join();
  }

  /** The questions to one server; used on the event loop. */
  private static final class Asker implements LinkListener {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final ServerSpec server;
    private final ClientId self;
    private final ClusterConfig cluster;
    private final List<ReplicaId> replicas;
    private final boolean asks;
    private @Nullable MapHistory maps;
    private final Map<ReplicaId, Answer> answers = new LinkedHashMap<>();
    private int missing;
    private int rounds;
    private boolean connected;
    private @Nullable String problem;
    private long askedNanos;
    private long askedMicros;
    private @Nullable Long roundTripMicros;
    private @Nullable Long clockOffsetMicros;

    Asker(ClusterConfig cluster, ServerSpec server, ClientId self) {
      this.cluster = cluster;
      this.server = server;
      this.self = self;
      this.replicas = new ArrayList<>(cluster.replicasOf(server));
      this.asks = cluster.system().isDurable();
      this.missing = asks ? replicas.size() : 0;
      replicas.forEach(replica -> answers.put(replica, Answer.NONE));
    }

    @Override
    public void onUp(Link up, PeerInfo peer) {
      connected = true;
      problem = null;
      if (asks) {
        ask(up, List.copyOf(replicas));
      }
      if (asks && cluster.changes()) {
        missing++;
        var _ =
            up.ask(new Question.AskMaps(0))
                .whenComplete(
                    (reply, failure) -> {
                      missing--;
                      if (reply instanceof Reply.Maps(List<ClusterMap> told, int closed)) {
                        learn(up, told, closed);
                      }
                      endIfComplete();
                    });
      }
      endIfComplete();
    }

    private void ask(Link up, List<ReplicaId> whom) {
      rounds++;
      askedNanos = System.nanoTime();
      askedMicros = nowMicros();
      send(up, whom);
    }

    private void send(Link up, List<ReplicaId> whom) {
      for (ReplicaId replica : whom) {
        TxnId txn = new TxnId(askedMicros + FUTURE_MICROS, self.id(), replica.partition());
        up.send(self, replica, new Message.Get(txn, 1, KEY));
      }
    }

    @Override
    public void onMessage(Link from, Endpoint replica, Endpoint to, Message message) {
      if (!(message instanceof Message.Refused refused)
          || !(replica instanceof ReplicaId id)
          || refused.txn().timeMicros() != askedMicros + FUTURE_MICROS) {
        return;
      }
      long tookMicros = (System.nanoTime() - askedNanos) / 1_000;
      if (roundTripMicros == null || tookMicros < roundTripMicros) {
        roundTripMicros = tookMicros;
        clockOffsetMicros = refused.replicaClockMicros() - (askedMicros + tookMicros / 2);
      }
      boolean serves = refused.reason() != Message.Refusal.NOT_SERVING;
      if (answers.put(id, serves ? Answer.SERVING : Answer.NOT_SERVING) == Answer.NONE) {
        missing--;
      }
      if (missing == 0 && rounds < ROUNDS && !replicas.isEmpty()) {
        ask(from, replicas.subList(0, 1));
      } else {
        endIfComplete();
      }
    }

    /** A server may hold replicas of partitions that a change of the map has added. */
    private void learn(Link link, List<ClusterMap> told, int closed) {
      MapHistory known = maps == null ? new MapHistory(cluster.firstMap()) : maps;
      MapHistory next;
      try {
        next = known.merged(told, closed);
      } catch (IllegalArgumentException e) {
        return; // what does not fit the configuration is no map of this cluster
      }
      maps = next;
      List<ReplicaId> added = new ArrayList<>();
      next.last()
          .servers()
          .forEach(
              (partition, servers) -> {
                ReplicaId id = new ReplicaId(partition, servers.indexOf(server.name()));
                if (id.index() >= 0 && answers.putIfAbsent(id, Answer.NONE) == null) {
                  added.add(id);
                }
              });
      if (!added.isEmpty()) {
        missing += added.size();
        replicas.addAll(added);
        send(link, added); // in the same round: its other answers may be on their way
      }
    }

    private void endIfComplete() {
      if (missing == 0) {
        done.complete(null);
      }
    }

    @Override
    public void onBatchEnd(Link unused) {}

    @Override
    public void onDown(Link unused, LinkFailure reason) {
      if (!done.isDone()) {
        problem = "the connection was lost: " + reason.detail();
      }
    }

    @Override
    public void onConnectFailed(Link unused, LinkFailure reason) {
      problem = reason.detail();
      done.complete(null);
    }

    Ping end() {
      String why = problem;
      if (!connected && why == null) {
        why = "no answer from " + server.address() + " in time (--timeout)";
      }
      return new Ping(connected, why, roundTripMicros, clockOffsetMicros, answers, maps);
    }

    private static long nowMicros() {
      return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    }
  }
}
