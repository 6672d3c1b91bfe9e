package org.mortydb.sim.host;

import java.util.ArrayDeque;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.net.Node;

/** A machine in the network with a clock and a CPU. It hosts endpoints of the protocol. */
public abstract class Host implements Node {
  private final int index;
  private final int region;
  private final String name;
  private final HostClock clock;
  private final Cpu cpu;
  private final Kernel kernel;
  private final Fabric fabric;

  /** Events that wait while the process is paused. */
  private final ArrayDeque<Runnable> late = new ArrayDeque<>();

  private boolean paused;

  /**
   * @param spec region, cores and clock
   * @param fabric connects the hosts
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

  /** Receives a message for an endpoint of this host. */
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

  /** The clock of its machines. */
  public HostClock clock() {
    return clock;
  }

  /** Its cores. */
  public Cpu cpu() {
    return cpu;
  }

  /** Pauses the process. Its clock runs on; events wait. */
  public void pause() {
    paused = true;
  }

  /** Resumes the process, and runs the events that have waited. */
  public void resume() {
    paused = false;
    for (Runnable next = late.poll(); next != null; next = late.poll()) {
      next.run();
    }
  }

  /** Runs an event of the process, or lets it wait while the process is paused. */
  void perform(Runnable task) {
    if (paused) {
      late.add(task);
    } else {
      task.run();
    }
  }

  /** Drops the events that wait for a paused process. */
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
