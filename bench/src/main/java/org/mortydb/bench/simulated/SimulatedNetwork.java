package org.mortydb.bench.simulated;

import java.util.SplittableRandom;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.net.DelayModel;

/** The network of all connections: delays and deliveries. */
final class SimulatedNetwork {
  private final Kernel kernel;
  private final SplittableRandom random;
  private DelayModel delays;

  SimulatedNetwork(Kernel kernel, DelayModel delays, SplittableRandom random) {
    this.kernel = kernel;
    this.delays = delays;
    this.random = random;
  }

  void delays(DelayModel other) {
    delays = other;
  }

  long delayMicros(int fromRegion, int toRegion) {
    return delays.sample(random, fromRegion, toRegion);
  }

  void deliver(long atMicros, Runnable delivery) {
    kernel.schedule(Math.max(0, atMicros - kernel.nowMicros()), delivery);
  }
}
