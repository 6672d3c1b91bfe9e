package org.mortydb.workloads.load;

import java.util.random.RandomGenerator;

/** How the transactions of an open loop follow one another. */
public enum Arrivals {
  /** Independent of one another: the times between them are exponentially distributed. */
  POISSON {
    @Override
    double gap(RandomGenerator random) {
      return random.nextExponential();
    }
  },
  /** Always the same time between them. */
  UNIFORM {
    @Override
    double gap(RandomGenerator random) {
      return 1;
    }
  };

  /** The time to the next arrival, as a multiple of the average. */
  abstract double gap(RandomGenerator random);
}
