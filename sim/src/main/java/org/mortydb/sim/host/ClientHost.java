package org.mortydb.sim.host;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayDeque;
import java.util.random.RandomGenerator;
import org.mortydb.client.engine.ClientEngine;
import org.mortydb.client.engine.EngineHost;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.engine.EngineTimer;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.sim.host.CpuModel.Place;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimEvent;

/** A client process: the production engine, with one thread. */
public final class ClientHost extends Host {
  private final CpuModel cpuModel;
  private final ClientId id;
  private final Cpu.Actor actor;
  private final ClientEngine engine;
  private final ArrayDeque<CoordinatorDeath> deaths = new ArrayDeque<>();

  /** By its time, each transaction whose coordinator is dying or dead. */
  private final Long2ObjectOpenHashMap<Dying> dyings = new Long2ObjectOpenHashMap<>();

  /** By their times, transactions of which something was prepared. */
  private final LongOpenHashSet prepared = new LongOpenHashSet();

  private long sent;
  private long diesAt;
  private boolean dead;
  private Runnable onDeath = () -> {};

  /** What is going to happen once the client has sent so many messages. */
  private record CoordinatorDeath(
      long sent, Boundary boundary, int lastMessages, long outageMicros) {}

  /** A coordinator that reaches its own region alone, for a few messages more. */
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
   * @param random draws the waits between attempts
   */
  public ClientHost(
      HostSpec spec,
      Kernel kernel,
      Fabric fabric,
      CpuModel cpuModel,
      ClientId id,
      Topology topology,
      EngineOptions options,
      RandomGenerator random) {
    super(spec, kernel, fabric);
    this.cpuModel = cpuModel;
    this.id = id;
    this.actor = cpu().actor();
    this.engine = new ClientEngine(id, topology, options, random, new EngineWorld());
    fabric.add(id, this);
  }

  /** The engine; to be called within {@link #run} only. */
  public ClientEngine engine() {
    return engine;
  }

  /** Has something done on the client's thread, such as to begin a transaction. */
  public void run(Runnable task) {
    submit(cpuModel.beginNanos(), task);
  }

  @Override
  void receive(Endpoint from, Endpoint to, Message message) {
    if (!isHeard(from, message)) {
      return;
    }
    submit(
        cpuModel.messageNanos(Place.CLIENT, message),
        () -> {
          engine.onMessage(from, message);
          fabric().observer().onStep(id);
        });
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

  /**
   * Has the process die for good instead of sending a message.
   *
   * @param messages how many it sends before, 0 or more
   * @param then called at the death, amid whatever the process was doing
   */
  public void dieAfter(long messages, Runnable then) {
    diesAt = sent + messages + 1;
    onDeath = then;
  }

  /** Where a coordinator dies. */
  public enum Boundary {
    /** Before any message. */
    ANY,
    /**
     * Before what it sends next after its Prepares, be it the outcome or another execution; and for
     * good at the latest before it tells anybody of an outcome.
     */
    PREPARED
  }

  /**
   * Has the coordinator of one transaction die instead of sending a message: it is not heard of any
   * more and hears nothing, as if its thread had ended, while the client's others go on. Those of
   * several calls die one after the other.
   *
   * @param messages how many messages the client sends first, after the one before or from now on
   * @param boundary before which message it dies then
   * @param lastMessages how many messages it still exchanges with its own region, cut off from the
   *     others, before it dies; 0 if it dies at once
   * @param outageMicros after which time it is back, as it was only cut off; 0 for never
   */
  public void coordinatorDiesAfter(
      long messages, Boundary boundary, int lastMessages, long outageMicros) {
    long from = deaths.isEmpty() ? sent : deaths.getLast().sent;
    deaths.add(new CoordinatorDeath(from + messages + 1, boundary, lastMessages, outageMicros));
  }

  /** Nobody dies any more who has not yet. */
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
              () -> name() + " loses a coordinator but for " + lastMessages + " before " + message);
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

  /** Whether the transaction's coordinator can exchange a message with a replica. */
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

    /** What waits for the client's thread at this moment counts as having arrived together. */
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
