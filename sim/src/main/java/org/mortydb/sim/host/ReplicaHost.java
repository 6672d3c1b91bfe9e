package org.mortydb.sim.host;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.sim.host.CpuModel.Place;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimEvent;

/** A server: replicas of one or more partitions, each with a thread of its own. */
public final class ReplicaHost extends Host {
  private final CpuModel cpuModel;
  private final List<MachineHost> machines = new ArrayList<>();

  /** A server without replicas. */
  public ReplicaHost(HostSpec spec, Kernel kernel, Fabric fabric, CpuModel cpuModel) {
    super(spec, kernel, fabric);
    this.cpuModel = cpuModel;
  }

  /** Puts a replica on this server and starts it: with its first tick. */
  public void add(ReplicaId id, StateMachine<Effects> machine) {
    MachineHost host = new MachineHost(id, machine);
    machines.add(host);
    fabric().add(id, this);
    host.armTimer(Timer.TICK, 0);
  }

  @Override
  void receive(Endpoint from, Endpoint to, Message message) {
    for (int i = 0; i < machines.size(); i++) {
      MachineHost machine = machines.get(i);
      if (machine.id.equals(to)) {
        machine.actor.submit(
            cpuModel.messageNanos(Place.REPLICA, message),
            () -> machine.step(new Event.Received(from, message)));
      }
    }
  }

  /** One replica and its effects. */
  private final class MachineHost implements Effects {
    private final ReplicaId id;
    private final StateMachine<Effects> machine;
    private final Cpu.Actor actor = cpu().actor();
    private final EnumMap<Timer, TimerEvent> timers = new EnumMap<>(Timer.class);
    private boolean failed;

    MachineHost(ReplicaId id, StateMachine<Effects> machine) {
      this.id = id;
      this.machine = machine;
    }

    void step(Event event) {
      if (failed) {
        return;
      }
      try {
        machine.step(clock().nowMicros(), event, this);
      } catch (RuntimeException | AssertionError e) {
        failed = true;
        fabric().observer().onFailure(id, e);
      }
      fabric().observer().onStep(id);
    }

    @Override
    public void send(Endpoint to, Message message) {
      fabric().send(ReplicaHost.this, id, to, message);
    }

    @Override
    public void broadcast(int partition, Message message) {
      fabric().broadcast(ReplicaHost.this, id, partition, message);
    }

    @Override
    public void armTimer(Timer timer, long delayMicros) {
      TimerEvent event = timers.computeIfAbsent(timer, TimerEvent::new);
      kernel().schedule(clock().virtualDelayMicros(delayMicros), event);
    }

    @Override
    public void cancelTimer(Timer timer) {
      @Nullable TimerEvent event = timers.get(timer);
      if (event != null) {
        kernel().cancel(event);
      }
    }

    @Override
    public boolean probing() {
      return true;
    }

    @Override
    public void probe(Probe probe) {
      fabric().observer().onProbe(id, probe);
    }

    /** A timer; once it waits for the CPU it fires even if it is cancelled meanwhile. */
    private final class TimerEvent extends SimEvent {
      private final Event fired;

      TimerEvent(Timer timer) {
        fired = new Event.TimerFired(timer);
      }

      @Override
      protected void run() {
        actor.submit(cpuModel.timerNanos(Place.REPLICA), () -> step(fired));
      }
    }
  }
}
