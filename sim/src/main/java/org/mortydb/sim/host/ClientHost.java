package org.mortydb.sim.host;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.engine.ClientEngine;
import org.mortydb.client.engine.EngineHost;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.engine.EngineTimer;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.sim.host.CpuModel.Place;
import org.mortydb.sim.kernel.Coroutine;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimEvent;

/** A client process: the production engine, with one thread. */
public final class ClientHost extends Host {
  private final CpuModel cpuModel;
  private final ClientId id;
  private final Cpu.Actor actor;
  private final ClientEngine engine;
  private final long delayMicros;
  private final ArrayDeque<CoordinatorDeath> deaths = new ArrayDeque<>();

  /** The transactions with a dying or dead coordinator, by their times. */
  private final Long2ObjectOpenHashMap<Dying> dyings = new Long2ObjectOpenHashMap<>();

  /** The times of prepared transactions. */
  private final LongOpenHashSet prepared = new LongOpenHashSet();

  /** The threads of bodies that have not ended. */
  private final Set<SimThread> threads = new LinkedHashSet<>();

  private long sent;
  private long diesAt;
  private boolean dead;
  private Runnable onDeath = () -> {};

  /** What runs beside the engine and takes the messages of a change of the map. */
  private @Nullable BiConsumer<Endpoint, Message> change;

  /** A death that is due after the client has sent a number of messages. */
  private record CoordinatorDeath(
      long sent, Boundary boundary, int lastMessages, long outageMicros) {}

  /** A coordinator that exchanges a few last messages with its own region only. */
  private static final class Dying {
    final Boundary boundary;
    int messagesLeft;

    Dying(Boundary boundary, int messagesLeft) {
      this.boundary = boundary;
      this.messagesLeft = messagesLeft;
    }
  }

  /**
   * Starts a client.
   *
   * @param delayMicros the delay to the farthest other region, one way
   * @param random draws the back-off between attempts
   */
  public ClientHost(
      HostSpec spec,
      Kernel kernel,
      Fabric fabric,
      CpuModel cpuModel,
      ClientId id,
      Topology topology,
      EngineOptions options,
      long delayMicros,
      RandomGenerator random) {
    super(spec, kernel, fabric);
    this.delayMicros = delayMicros;
    this.cpuModel = cpuModel;
    this.id = id;
    this.actor = cpu().actor();
    this.engine = new ClientEngine(id, topology, options, random, new EngineWorld());
    fabric.add(id, this);
  }

  /** The engine. Call it only within {@link #run}. */
  public ClientEngine engine() {
    return engine;
  }

  /** Runs a task on the client's thread, such as the begin of a transaction. */
  public void run(Runnable task) {
    submit(cpuModel.beginNanos(), task);
  }

  /**
   * Runs code on a thread of its own, for bodies in the direct style.
   *
   * @param random draws how late the thread is
   * @param maxDelayMicros the longest delay of a thread
   * @param onWake called on the client's thread whenever that has something for the body
   * @param code runs until its end, unless the client dies
   */
  public void startThread(
      RandomGenerator random, long maxDelayMicros, Runnable onWake, Consumer<SimThread> code) {
    SimThread thread =
        new SimThread(
            this,
            random,
            maxDelayMicros,
            onWake,
            self -> {
              code.accept(self);
              threads.remove(self);
            });
    threads.add(thread);
    run(thread::start);
  }

  /** Runs a thread until it waits again. */
  void resume(Coroutine thread) {
    perform(
        () -> {
          if (!dead) {
            thread.resume();
          }
        });
  }

  /** Ends the threads that still wait. The run is over. */
  public void close() {
    List.copyOf(threads).forEach(SimThread::cancel);
  }

  @Override
  void receive(Endpoint from, Endpoint to, Message message) {
    if (!isHeard(from, message)) {
      return;
    }
    submit(
        cpuModel.messageNanos(Place.CLIENT, message),
        () -> {
          BiConsumer<Endpoint, Message> other = change;
          if (other != null && message instanceof Message.ToMapChange) {
            other.accept(from, message);
          }
          engine.onMessage(from, message);
          fabric().observer().onStep(id);
        });
  }

  /**
   * Runs a change of the map beside the engine: passes it the messages that are not the engine's.
   */
  public void listenForChange(BiConsumer<Endpoint, Message> receiver) {
    change = receiver;
  }

  /** Sends a message of a change of the map. */
  public void sendForChange(ReplicaId to, Message message) {
    if (mayLeave(to, message)) {
      fabric().send(this, id, to, message);
    }
  }

  private void submit(long serviceNanos, Runnable task) {
    perform(
        () ->
            actor.submit(
                serviceNanos,
                () -> {
                  if (!dead) {
                    task.run();
                  }
                }));
  }

  // ---- deaths -------------------------------------------------------------------------------

  /** The client's id in the cluster. */
  public ClientId id() {
    return id;
  }

  /**
   * Lets the process die for good instead of sending a message.
   *
   * @param messages the number of messages it sends before, 0 or more
   * @param then called at the death, possibly in the middle of a step
   */
  public void dieAfter(long messages, Runnable then) {
    diesAt = sent + messages + 1;
    onDeath = then;
  }

  /** The process dies for good, now. */
  public void die() {
    dead = true;
    fabric().trace().write(() -> name() + " dies");
  }

  /** The place at which a coordinator dies. */
  public enum Boundary {
    /** Before any message. */
    ANY,
    /**
     * Before the next message after its Prepares, an outcome or another execution. It never sends
     * an outcome.
     */
    PREPARED
  }

  /**
   * Lets the coordinator of one transaction die instead of sending a message. It sends and receives
   * nothing more, while the client's other coordinators continue. Deaths of several calls happen
   * one after another.
   *
   * @param messages the number of messages that the client sends between the previous death, or
   *     now, and this one
   * @param boundary the message before which it dies
   * @param lastMessages the number of messages that it still exchanges with its own region only; 0
   *     if it dies at once
   * @param outageMicros the time after which it is connected again; 0 for never
   */
  public void coordinatorDiesAfter(
      long messages, Boundary boundary, int lastMessages, long outageMicros) {
    long from = deaths.isEmpty() ? sent : deaths.getLast().sent;
    deaths.add(new CoordinatorDeath(from + messages + 1, boundary, lastMessages, outageMicros));
  }

  /** Cancels all deaths that are still to come. */
  public void spare() {
    diesAt = 0;
    deaths.clear();
  }

  /** Whether the process has died. */
  public boolean isDead() {
    return dead;
  }

  private boolean mayLeave(Endpoint to, Message message) {
    if (dead || !isHeard(to, message)) {
      return false;
    }
    sent++;
    if (sent == diesAt) {
      dead = true;
      fabric().trace().write(() -> name() + " dies before " + message);
      onDeath.run();
      return false;
    }
    long txn = message.txn().timeMicros();
    Dying dying = dyings.get(txn);
    if (dying != null) {
      dying.messagesLeft--;
    } else if (!deaths.isEmpty() && isDue(deaths.getFirst(), message)) {
      CoordinatorDeath death = deaths.removeFirst();
      int lastMessages = death.lastMessages;
      dyings.put(txn, new Dying(death.boundary, lastMessages));
      if (death.outageMicros > 0) {
        kernel().schedule(death.outageMicros, () -> dyings.remove(txn));
      }
      fabric()
          .trace()
          .write(
              () ->
                  name()
                      + " loses a coordinator, except for "
                      + lastMessages
                      + " messages, before "
                      + message);
      fabric().observer().onCoordinatorDeath(message.txn());
      return isHeard(to, message);
    }
    if (message instanceof Message.Prepare) {
      prepared.add(txn);
    }
    return true;
  }

  private boolean isDue(CoordinatorDeath death, Message message) {
    return death.sent <= sent
        && switch (death.boundary) {
          case ANY -> true;
          case PREPARED ->
              !(message instanceof Message.Prepare)
                  && prepared.contains(message.txn().timeMicros());
        };
  }

  private static boolean isOutcome(Message message) {
    return message instanceof Message.Finalize || message instanceof Message.Decide;
  }

  /** Whether the transaction's coordinator can exchange messages with another endpoint. */
  private boolean isHeard(Endpoint other, Message message) {
    Dying dying = dyings.get(message.txn().timeMicros());
    return dying == null
        || (dying.messagesLeft > 0
            && !(dying.boundary == Boundary.PREPARED && isOutcome(message))
            && other instanceof ReplicaId replica
            && replica.index() == region());
  }

  /** The engine's view of this host. */
  private final class EngineWorld implements EngineHost {
    @Override
    public long nowMicros() {
      return clock().nowMicros();
    }

    @Override
    public long elapsedMicros() {
      return clock().elapsedMicros();
    }

    @Override
    public long delayMicros() {
      return delayMicros;
    }

    @Override
    public void send(Endpoint to, Message message) {
      if (mayLeave(to, message)) {
        fabric().send(ClientHost.this, id, to, message);
      }
    }

    @Override
    public void broadcast(int partition, Message message) {
      for (int i = 0; i < fabric().replicas(partition); i++) {
        send(new ReplicaId(partition, i), message);
      }
    }

    @Override
    public Topology topology(ClusterMap map) {
      return SimTopology.of(map, region(), fabric().replicas(0));
    }

    @Override
    public void schedule(long delayMicros, EngineTimer timer) {
      TimerEvent event = new TimerEvent(timer);
      timer.hostState(event);
      kernel().schedule(clock().virtualDelayMicros(delayMicros), event);
    }

    @Override
    public void cancel(EngineTimer timer) {
      if (timer.hostState() instanceof TimerEvent event) {
        event.cancelled = true;
        kernel().cancel(event);
      }
    }

    @Override
    public void handOver(Runnable task) {
      kernel()
          .schedule(0, () -> submit(cpuModel.timerNanos(Place.CLIENT), () -> engine.perform(task)));
    }

    /** All tasks that wait for the client's thread at this moment belong to the batch. */
    @Override
    public void awaitBatchEnd() {
      kernel().schedule(0, () -> submit(cpuModel.timerNanos(Place.CLIENT), engine::onBatchEnd));
    }

    @Override
    public void onError(Throwable error) {
      fabric().observer().onFailure(id, error);
    }

    @Override
    public boolean probing() {
      return !dead;
    }

    @Override
    public void probe(Probe probe) {
      if (!dead) {
        fabric().observer().onProbe(id, probe);
      }
    }
  }

  private final class TimerEvent extends SimEvent {
    private final EngineTimer timer;
    private boolean cancelled;

    TimerEvent(EngineTimer timer) {
      this.timer = timer;
    }

    @Override
    protected void run() {
      submit(
          cpuModel.timerNanos(Place.CLIENT),
          () -> {
            if (!cancelled) {
              engine.onTimer(timer);
            }
          });
    }
  }
}
