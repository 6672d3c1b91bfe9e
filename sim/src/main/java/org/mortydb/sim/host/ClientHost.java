package org.mortydb.sim.host;

import java.util.random.RandomGenerator;
import org.mortydb.client.engine.ClientEngine;
import org.mortydb.client.engine.EngineHost;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.engine.EngineTimer;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
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
    actor.submit(cpuModel.beginNanos(), task);
  }

  @Override
  void receive(Endpoint from, Endpoint to, Message message) {
    actor.submit(
        cpuModel.messageNanos(Place.CLIENT, message),
        () -> {
          engine.onMessage(from, message);
          fabric().observer().onStep(id);
        });
  }

  /** The engine's view of this host. */
  private final class EngineWorld implements EngineHost {
    @Override
    public long nowMicros() {
      return clock().nowMicros();
    }

    @Override
    public void send(Endpoint to, Message message) {
      fabric().send(ClientHost.this, id, to, message);
    }

    @Override
    public void broadcast(int partition, Message message) {
      fabric().broadcast(ClientHost.this, id, partition, message);
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
    public void onError(Throwable error) {
      fabric().observer().onFailure(id, error);
    }

    @Override
    public boolean probing() {
      return true;
    }

    @Override
    public void probe(Probe probe) {
      fabric().observer().onProbe(id, probe);
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
      actor.submit(
          cpuModel.timerNanos(Place.CLIENT),
          () -> {
            if (!cancelled) {
              engine.onTimer(timer);
            }
          });
    }
  }
}
