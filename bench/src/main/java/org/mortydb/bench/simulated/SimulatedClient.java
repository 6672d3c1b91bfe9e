package org.mortydb.bench.simulated;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.simulated.Gauge.Place;
import org.mortydb.bench.simulated.Handling.Kind;
import org.mortydb.bench.simulated.Observation.Passage;
import org.mortydb.client.Client;
import org.mortydb.client.DirectBody;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.direct.BodyThread;
import org.mortydb.client.direct.DirectRun;
import org.mortydb.client.engine.ClientEngine;
import org.mortydb.client.engine.CompletionListener;
import org.mortydb.client.engine.EngineHost;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.engine.EngineTimer;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.client.engine.Session;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.sim.kernel.SimEvent;

/** A client process in virtual time, with the production engine on each of its event loops. */
final class SimulatedClient implements Client {
  /** The time between two requests that measure a delay. */
  private static final long AGREEING_MICROS = 250_000;

  private final VirtualClock clock;
  private final TransactionOptions defaults;
  private final List<Engine> engines = new ArrayList<>();
  private final @Nullable Gauge gauge;
  private final Observation observation;
  private final Session session = new Session();

  /** The longest slots of all clients, as each server has said last. */
  private int[] longestSlots = new int[0];

  private int turn;

  SimulatedClient(
      VirtualClock clock,
      TransactionOptions defaults,
      @Nullable Gauge gauge,
      Observation observation) {
    this.clock = clock;
    this.defaults = defaults;
    this.gauge = gauge;
    this.observation = observation;
  }

  /**
   * Tells the servers regularly which region slots this client would use, and hears of the others',
   * as a process does with the requests that measure delays.
   *
   * @param delayMicros the delay to a server, one way
   */
  void agreeOnSlots(List<SimulatedServer> servers, ToLongFunction<SimulatedServer> delayMicros) {
    longestSlots = new int[servers.size()];
    for (int i = 0; i < servers.size(); i++) {
      SimulatedServer server = servers.get(i);
      agreeOnSlots(server, i, delayMicros.applyAsLong(server));
    }
  }

  private void agreeOnSlots(SimulatedServer server, int number, long delayMicros) {
    clock.after(
        AGREEING_MICROS,
        () -> {
          int own = (int) engines.getFirst().engine.slotMicros();
          clock.after(
              delayMicros,
              () -> {
                int longest = server.longestSlots(own);
                clock.after(delayMicros, () -> longestSlots[number] = longest);
              });
          agreeOnSlots(server, number, delayMicros);
        });
  }

  /** Adds an engine on a loop. */
  Engine add(
      Loop loop,
      ClientId id,
      int region,
      Topology topology,
      EngineOptions options,
      long delayMicros,
      RandomGenerator random,
      CompletionListener listener) {
    Engine engine = new Engine(loop, id, region, topology, options, delayMicros, random, listener);
    engines.add(engine);
    return engine;
  }

  @Override
  public TransactionOptions options() {
    return defaults;
  }

  @Override
  public <S> CompletableFuture<Result<S>> execute(S initialState, TransactionBody<S> body) {
    return execute(initialState, defaults, body);
  }

  @Override
  public <S> CompletableFuture<Result<S>> execute(
      S initialState, TransactionOptions options, TransactionBody<S> body) {
    CompletableFuture<Result<S>> future = new CompletableFuture<>();
    ResultHandler<S> handler =
        new ResultHandler<>() {
          @Override
          public void completed(Result<S> result) {
            future.complete(result);
          }

          @Override
          public void failed(Throwable cause) {
            future.completeExceptionally(cause);
          }
        };
    for (int i = 0; i < engines.size(); i++) {
      Engine own = engines.get(i);
      if (own.loop.isAtWork()) {
        own.engine.execute(initialState, options, body, handler);
        return future;
      }
    }
    Engine next = engines.get(turn++ % engines.size());
    next.loop.post(
        () -> next.begin(() -> next.engine.execute(initialState, options, body, handler)));
    return future;
  }

  @Override
  public <R extends @Nullable Object> Result<R> run(DirectBody<R> body) {
    return run(defaults, body);
  }

  /**
   * {@inheritDoc} Virtual time passes meanwhile.
   *
   * @throws IllegalStateException if called within a turn
   */
  @Override
  public <R extends @Nullable Object> Result<R> run(
      TransactionOptions options, DirectBody<R> body) {
    if (clock.inTurn()) {
      throw new IllegalStateException(
          "run blocks, so virtual time would stand still within a turn");
    }
    Engine next = engines.get(turn++ % engines.size());
    return DirectRun.run(next.engine, new Driving(next), options, body);
  }

  /** The thread that drives virtual time. A body on it lets time pass while it waits. */
  private final class Driving implements BodyThread {
    private final Engine engine;

    Driving(Engine engine) {
      this.engine = engine;
    }

    @Override
    public void tellEngine(Runnable task) {
      engine.loop.post(() -> engine.begin(task));
    }

    @Override
    public void await(BooleanSupplier condition) {
      while (!condition.getAsBoolean()) {
        if (!clock.kernel().runNext()) {
          throw new IllegalStateException("a transaction is open, but there are no more events");
        }
      }
    }

    @Override
    public void wake() {
      // The condition is looked at after each event.
    }
  }

  @Override
  public void close() {}

  /** An engine on its loop. */
  final class Engine implements EngineHost {
    private final Loop loop;
    private final long delayMicros;
    private final ClientId id;
    private final int region;
    private final ClientEngine engine;
    private final int replicas;

    /** The connections to replicas, by partition and index. */
    private final Pipe[][] servers;

    Engine(
        Loop loop,
        ClientId id,
        int region,
        Topology topology,
        EngineOptions options,
        long delayMicros,
        RandomGenerator random,
        CompletionListener listener) {
      this.loop = loop;
      this.delayMicros = delayMicros;
      this.id = id;
      this.region = region;
      this.replicas = topology.replicas();
      this.servers = new Pipe[topology.partitions()][replicas];
      this.engine = new ClientEngine(id, topology, options, session, random, this);
      engine.listen(listener);
    }

    ClientId id() {
      return id;
    }

    Loop loop() {
      return loop;
    }

    /** Sets the connection to a replica. */
    void connect(ReplicaId replica, Pipe pipe) {
      servers[replica.partition()][replica.index()] = pipe;
    }

    private void begin(Runnable task) {
      loop.chargeWork(loop.costs().begin);
      beginHandling(Kind.BEGIN, null, null);
      Gauge.run(gauge, task, Gauge::endBegin);
      observation.end();
    }

    private void beginHandling(Kind kind, @Nullable Envelope envelope, @Nullable Passage passage) {
      observation.begin(kind, id, region, envelope, passage, loop.turnNanos());
    }

    /** Receives a message within a turn of the loop. */
    void receive(Envelope envelope) {
      Message message = envelope.message();
      Costs.Kind cost = loop.costs().of(message);
      loop.chargeWork(cost.decode() + cost.step());
      beginHandling(Kind.MESSAGE, envelope, envelope.passage());
      Gauge.run(
          gauge,
          () -> engine.onMessage(envelope.from(), message),
          ended -> ended.endMessage(Place.CLIENT, message));
      observation.end();
    }

    // ---- the engine's world -----------------------------------------------------------------

    @Override
    public long nowMicros() {
      return SimulatedCluster.wallMicros(clock);
    }

    @Override
    public long delayMicros() {
      return delayMicros;
    }

    @Override
    public long longestSlotMicros() {
      int longest = 0;
      for (int said : longestSlots) {
        longest = Math.max(longest, said);
      }
      return longest;
    }

    @Override
    public void send(Endpoint to, Message message) {
      if (to instanceof ReplicaId replica) {
        loop.chargeWork(loop.costs().of(message).encode());
        leave(replica, message, 1);
      }
    }

    @Override
    public void broadcast(int partition, Message message) {
      loop.chargeWork(loop.costs().of(message).encode());
      for (int index = 0; index < replicas; index++) {
        leave(new ReplicaId(partition, index), message, index == 0 ? replicas : 0);
      }
    }

    private void leave(ReplicaId to, Message message, int receivers) {
      Envelope envelope = new Envelope(id, to, message, observation.passage(region));
      if (gauge != null && receivers > 0) {
        gauge.sent(envelope, receivers);
      }
      servers[to.partition()][to.index()].add(envelope);
    }

    @Override
    public boolean probing() {
      return observation.isOn();
    }

    @Override
    public void probe(Probe probe) {
      observation.probed(id, probe, clock.nanos());
    }

    @Override
    public void schedule(long delayMicros, EngineTimer timer) {
      TimerEvent event = new TimerEvent(timer, observation.passage(region));
      timer.hostState(event);
      clock.scheduleAt(clock.nanos() + delayMicros * VirtualClock.NANOS_PER_MICRO, event);
    }

    @Override
    public void cancel(EngineTimer timer) {
      if (timer.hostState() instanceof TimerEvent event) {
        event.cancelled = true;
        clock.kernel().cancel(event);
      }
    }

    @Override
    public void handOver(Runnable task) {
      @Nullable Passage passage = observation.passage(region);
      loop.post(() -> onTimer(() -> engine.perform(task), Kind.BATCH_END, passage));
    }

    @Override
    public void awaitBatchEnd() {
      @Nullable Passage passage = observation.passage(region);
      loop.afterInbox(() -> onTimer(engine::onBatchEnd, Kind.BATCH_END, passage));
    }

    @Override
    public void onError(Throwable error) {
      throw new IllegalStateException("client " + id + " failed", error);
    }

    /** Runs a timer or the end of a batch, which cost the same: both re-execute transactions. */
    private void onTimer(Runnable step, Kind kind, @Nullable Passage passage) {
      loop.chargeWork(loop.costs().timer);
      beginHandling(kind, null, passage);
      Gauge.run(gauge, step, ended -> ended.endTimer(Place.CLIENT));
      observation.end();
    }

    /** A timer. It can still be cancelled while it waits for its loop. */
    private final class TimerEvent extends SimEvent {
      private final EngineTimer timer;
      private final @Nullable Passage passage;
      private boolean cancelled;

      TimerEvent(EngineTimer timer, @Nullable Passage passage) {
        this.timer = timer;
        this.passage = passage;
      }

      @Override
      protected void run() {
        if (passage != null) {
          passage.due(clock.nanos());
        }
        loop.post(this::fire);
      }

      private void fire() {
        if (cancelled) {
          return;
        }
        onTimer(() -> engine.onTimer(timer), Kind.TIMER, passage);
      }
    }
  }
}
