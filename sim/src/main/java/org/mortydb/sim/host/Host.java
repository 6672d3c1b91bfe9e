package org.mortydb.sim.host;

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

  Kernel kernel() {
    return kernel;
  }

  Fabric fabric() {
    return fabric;
  }
}
