package org.mortydb.faults.durability;

import io.netty.channel.EventLoop;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.links.ReplicaLinks;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.client.engine.ClientEngine;
import org.mortydb.client.engine.EngineHost;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.engine.EngineTimer;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/**
 * A client that dies during its commit. It is an engine with connections of its own. Once it has
 * sent its Prepare to some replicas, it neither sends nor receives anything, and its connections
 * break. Then a witness connects under its id and asks every replica for the outcome, until all
 * have reported it. The questions change nothing at a replica.
 *
 * <p>Everything happens on one event loop; {@link #begin} may be called by any thread.
 */
final class DyingClient implements EngineHost {
  /**
   * The decision of the transaction.
   *
   * @param decidedMicros from the death until the last replica has reported it
   */
  record Decision(long decidedMicros, boolean committed) {}

  private static final KeySpace<String, Long> KEYS =
      KeySpace.of("death", Codecs.STRING, Codecs.INT64);
  private static final long BREAK_MICROS = 2_000;
  private static final long POLL_MICROS = 5_000;

  private final EventLoop loop;
  private final ClusterConfig config;
  private final ClientId self;
  private final String region;
  private final int reach;
  private final ClientEngine engine;
  private final Histogram roundTrips;
  private final CompletableFuture<Decision> decision = new CompletableFuture<>();
  private final Map<EngineTimer, ScheduledFuture<?>> timers = new IdentityHashMap<>();
  private final long[] askedNanos;
  private final boolean[] decided;
  private boolean dead;
  private long deathNanos;
  private @Nullable TxnId txn;
  private @Nullable ReplicaLinks links;

  /**
   * @param reach the number of replicas that get its Prepare, 1 or more
   * @param roundTrips takes the witness's round trips, in microseconds; used on the event loop
   */
  DyingClient(
      EventLoop loop,
      ClusterConfig config,
      ClientId self,
      String region,
      int reach,
      Histogram roundTrips) {
    this.loop = loop;
    this.config = config;
    this.self = self;
    this.region = region;
    this.reach = reach;
    this.roundTrips = roundTrips;
    this.askedNanos = new long[2 * config.f() + 1];
    this.decided = new boolean[2 * config.f() + 1];
    this.engine =
        new ClientEngine(
            self,
            config.topology(region),
            EngineOptions.DEFAULTS,
            new SplittableRandom(self.id()),
            this);
  }

  /**
   * Connects, begins a transaction, and dies. Completes when every replica has the decision.
   *
   * @param key a key that no other transaction uses
   */
  CompletableFuture<Decision> begin(String key) {
    loop.execute(
        () -> {
          links = new ReplicaLinks(loop, self, config, region, this::onMessageAlive);
          runWhenUp(key);
        });
    return decision;
  }

  private void onMessageAlive(ReplicaId from, Message message) {
    if (!dead) {
      engine.onMessage(from, message);
    }
  }

  private ReplicaLinks links() {
    return Objects.requireNonNull(links);
  }

  private void runWhenUp(String name) {
    if (!links().allUp()) {
      later(POLL_MICROS, () -> runWhenUp(name));
      return;
    }
    TypedKey<Long> key = KEYS.key(name);
    engine.execute(
        "",
        (txn, start) ->
            txn.get(
                start,
                key,
                (ctx, value) -> {
                  txn.put(ctx, key, value == null ? 1L : value + 1);
                  txn.commit(ctx);
                }),
        new ResultHandler<String>() {
          @Override
          public void completed(Result<String> result) {
            decision.completeExceptionally(
                new IllegalStateException(
                    "the transaction ended before its client died: " + result));
          }

          @Override
          public void failed(Throwable cause) {
            decision.completeExceptionally(cause);
          }
        });
  }

  // ---- EngineHost ---------------------------------------------------------------------------

  @Override
  public long nowMicros() {
    return System.currentTimeMillis() * 1_000;
  }

  @Override
  public void send(Endpoint to, Message message) {
    if (!dead && to instanceof ReplicaId replica) {
      links().send(replica, message);
    }
  }

  @Override
  public void broadcast(int partition, Message message) {
    if (dead) {
      return;
    }
    boolean last = message instanceof Message.Prepare;
    for (int index = 0; index < (last ? reach : decided.length); index++) {
      links().send(new ReplicaId(partition, index), message);
    }
    if (last) {
      dead = true;
      deathNanos = System.nanoTime();
      txn = message.txn();
      // Messages leave at the end of this turn. The connections may break after that.
      later(BREAK_MICROS, this::replaceByWitness);
    }
  }

  @Override
  public void schedule(long delayMicros, EngineTimer timer) {
    timers.put(
        timer,
        loop.schedule(
            () -> {
              timers.remove(timer);
              if (!dead) {
                engine.onTimer(timer);
              }
            },
            delayMicros,
            TimeUnit.MICROSECONDS));
  }

  @Override
  public void cancel(EngineTimer timer) {
    ScheduledFuture<?> scheduled = timers.remove(timer);
    if (scheduled != null) {
      scheduled.cancel(false);
    }
  }

  @Override
  public void handOver(Runnable task) {
    loop.execute(
        () -> {
          if (!dead) {
            engine.perform(task);
          }
        });
  }

  @Override
  public void awaitBatchEnd() {
    loop.execute(
        () -> {
          if (!dead) {
            engine.onBatchEnd();
          }
        });
  }

  @Override
  public void onError(Throwable error) {
    decision.completeExceptionally(error);
  }

  private void later(long delayMicros, Runnable action) {
    var unused = loop.schedule(action, delayMicros, TimeUnit.MICROSECONDS);
  }

  // ---- the witness --------------------------------------------------------------------------

  private void replaceByWitness() {
    links().close();
    links = new ReplicaLinks(loop, self, config, region, this::onAnswer);
    for (int index = 0; index < decided.length; index++) {
      ask(new ReplicaId(Objects.requireNonNull(txn).home(), index));
    }
  }

  private void ask(ReplicaId replica) {
    if (decision.isDone()) {
      return;
    }
    if (!links().isUp(replica)) {
      later(POLL_MICROS, () -> ask(replica));
      return;
    }
    askedNanos[replica.index()] = System.nanoTime();
    links().send(replica, new Message.Inquire(Objects.requireNonNull(txn)));
  }

  private void onAnswer(ReplicaId from, Message message) {
    int index = from.index();
    if (!message.txn().equals(txn) || askedNanos[index] == 0 || decided[index]) {
      return;
    }
    long now = System.nanoTime();
    if (message instanceof Message.InquireReply) {
      roundTrips.recordValue((now - askedNanos[index]) / 1_000);
      later(POLL_MICROS, () -> ask(from));
    } else if (message instanceof Message.Decide decide) {
      decided[index] = true;
      for (boolean one : decided) {
        if (!one) {
          return;
        }
      }
      decision.complete(
          new Decision((now - deathNanos) / 1_000, decide.outcome() instanceof Outcome.Commit));
    }
  }

  /** Breaks the connections. Called by any thread. */
  void close() {
    loop.execute(
        () -> {
          if (links != null) {
            links.close();
          }
        });
  }
}
