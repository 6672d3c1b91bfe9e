package org.mortydb.sim.host;

import java.util.ArrayDeque;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.net.Node;

/** A machine in the network, with a clock and a CPU, on which endpoints of the protocol live. */
public abstract class Host implements Node {
  private final int index;
  private final int region;
  private final String name;
  private final HostClock clock;
  private final Cpu cpu;
  private final Kernel kernel;
  private final Fabric fabric;

  /** What happened to it while it was paused. */
  private final ArrayDeque<Runnable> late = new ArrayDeque<>();

  private boolean paused;

  /**
   * @param spec where it stands and what it is made of
   * @param fabric what connects it with the others
   */
  protected Host(HostSpec spec, Kernel kernel, Fabric fabric) {
    this.index = fabric.nextHostIndex();
    this.region = spec.region();
    this.name = spec.name();
    this.clock = new HostClock(kernel, spec.clockOffsetMicros(), spec.clockDriftPpm());
    this.cpu = new Cpu(kernel, spec.cores());
    this.kernel = kernel;
    this.fabric = fabric;
  }

  /** A message for one of this host's endpoints has arrived. */
  abstract void receive(Endpoint from, Endpoint to, Message message);

  @Override
  public int index() {
    return index;
  }

  @Override
  public int region() {
    return region;
  }

  @Override
  public String name() {
    return name;
  }

  /** The clock that its machines go by. */
  public HostClock clock() {
    return clock;
  }

  /** Its cores. */
  public Cpu cpu() {
    return cpu;
  }

  /** Stops the process; the clock goes on, and what happens to it waits. */
  public void pause() {
    paused = true;
  }

  /** Lets the process go on: whatever happened to it meanwhile happens now. */
  public void resume() {
    paused = false;
    for (Runnable next = late.poll(); next != null; next = late.poll()) {
      next.run();
    }
  }

  /** Has something happen to the process, unless it is paused: then when it goes on. */
  void perform(Runnable task) {
    if (paused) {
      late.add(task);
    } else {
      task.run();
    }
  }

  /** What waits for a paused process never happens to it. */
  void forgetWhatIsLate() {
    late.clear();
  }

  Kernel kernel() {
    return kernel;
  }

  Fabric fabric() {
    return fabric;
  }
}
