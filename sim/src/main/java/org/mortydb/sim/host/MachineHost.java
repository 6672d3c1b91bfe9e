package org.mortydb.sim.host;

import java.util.ArrayDeque;
import java.util.EnumMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.sim.host.CpuModel.Place;
import org.mortydb.sim.kernel.SimEvent;

/** One replica and its effects, from a start of its server to the next crash. */
final class MachineHost implements Effects {

  /** A message that waits until all records up to a number are durable. */
  private record Held(long number, Endpoint to, Message message) {}

  private final ReplicaHost host;
  private final ReplicaId id;
  private final HostedMachine machine;
  private final ReplicaLog log;
  private final SimDisk disk;
  private final CpuModel cpuModel;
  private final Cpu.Actor actor;
  private final SimCheckpointer checkpointer;
  private final EnumMap<Timer, TimerEvent> timers = new EnumMap<>(Timer.class);
  private final ArrayDeque<Held> held = new ArrayDeque<>();

  private boolean stepping;
  private boolean holding;
  private boolean dead;

  MachineHost(
      ReplicaHost host,
      ReplicaId id,
      HostedMachine machine,
      ReplicaLog log,
      SimDisk disk,
      DiskSpec spec,
      CpuModel cpuModel) {
    this.host = host;
    this.id = id;
    this.machine = machine;
    this.log = log;
    this.disk = disk;
    this.cpuModel = cpuModel;
    this.actor = host.cpu().actor();
    this.checkpointer = new SimCheckpointer(spec, machine, log, disk);
  }

  /**
   * Restores the machine from the disk, and starts its ticks.
   *
   * @param incarnation the incarnation with which it joins if its memory is incomplete; 0 if it
   *     never joins
   * @param doubtful whether its memory may be incomplete although it seems complete
   */
  void start(long incarnation, boolean doubtful) {
    long now = host.clock().nowMicros();
    try {
      log.replay(logged -> machine.restore(now, logged));
      if (incarnation > 0 && (doubtful || !machine.isWhole())) {
        machine.join(incarnation, doubtful);
      }
    } catch (RuntimeException | AssertionError | LinkageError | StackOverflowError e) {
      failed(e);
    }
    host.fabric().observer().onStart(id, log.hasCheckpoint(), log.size());
    arm(Timer.TICK, 0);
  }

  boolean isServing() {
    return machine.isServing();
  }

  boolean hasEnded() {
    return machine.hasEnded();
  }

  boolean isNew() {
    return machine.isNew();
  }

  /** Ends the process. Returns true if that was within a step. */
  boolean kill() {
    dead = true;
    held.clear();
    timers.values().forEach(host.kernel()::cancel);
    return stepping;
  }

  void receive(Endpoint from, Message message) {
    actor.submit(
        cpuModel.messageNanos(Place.REPLICA, message),
        () -> step(new Event.Received(from, message)));
  }

  private void step(Event event) {
    if (dead) {
      return;
    }
    long now = host.clock().nowMicros();
    holding = false;
    stepping = true;
    try {
      machine.step(now, event, this);
    } catch (RuntimeException | AssertionError | LinkageError | StackOverflowError e) {
      failed(e);
    }
    stepping = false;
    if (dead) {
      return;
    }
    if (event instanceof Event.TimerFired(Timer timer)
        && timer == Timer.TICK
        && checkpointer.onTick(host.kernel().nowMicros())) {
      host.fabric().observer().onCheckpoint(id);
      host.checkpointed();
    }
    disk.flush();
    host.fabric().observer().onStep(id);
  }

  private void failed(Throwable e) {
    dead = true;
    host.fabric().observer().onFailure(id, e);
  }

  // ---- effects --------------------------------------------------------------------------------

  private boolean mayAct() {
    return !dead && host.survivesEffect();
  }

  @Override
  public void send(Endpoint to, Message message) {
    if (!mayAct()) {
      return;
    }
    host.fabric().observer().onOutput(id, message);
    if (holding) {
      held.add(new Held(disk.written(), to, message));
    } else {
      transmit(to, message);
    }
  }

  @Override
  public void broadcast(int partition, Message message) {
    for (int i = 0; i < host.fabric().replicas(partition); i++) {
      send(new ReplicaId(partition, i), message);
    }
  }

  @Override
  public void append(LogRecord logged) {
    if (mayAct()) {
      host.fabric().observer().onAppend(id, logged);
      disk.append(log, logged);
    }
  }

  @Override
  public void holdUntilDurable() {
    holding = disk.kept() < disk.written();
  }

  /** Sends the held messages whose records are durable now. */
  void release() {
    for (Held first = held.peek();
        first != null && first.number <= disk.kept();
        first = held.peek()) {
      held.remove();
      if (mayAct()) {
        transmit(first.to, first.message);
      }
    }
  }

  private void transmit(Endpoint to, Message message) {
    if (host.survives(message)) {
      host.fabric().send(host, id, to, message);
    }
  }

  @Override
  public void armTimer(Timer timer, long delayMicros) {
    if (mayAct()) {
      arm(timer, delayMicros);
    }
  }

  private void arm(Timer timer, long delayMicros) {
    TimerEvent event = timers.computeIfAbsent(timer, TimerEvent::new);
    host.kernel().schedule(host.clock().virtualDelayMicros(delayMicros), event);
  }

  @Override
  public void cancelTimer(Timer timer) {
    @Nullable TimerEvent event = timers.get(timer);
    if (event != null) {
      host.kernel().cancel(event);
    }
  }

  @Override
  public boolean probing() {
    return !dead;
  }

  @Override
  public void probe(Probe probe) {
    if (!dead) {
      host.fabric().observer().onProbe(id, probe);
    }
  }

  /** A timer. Once it waits for the CPU, it fires even if it is cancelled. */
  private final class TimerEvent extends SimEvent {
    private final Event fired;

    TimerEvent(Timer timer) {
      fired = new Event.TimerFired(timer);
    }

    @Override
    protected void run() {
      host.perform(() -> actor.submit(cpuModel.timerNanos(Place.REPLICA), () -> step(fired)));
    }
  }
}
