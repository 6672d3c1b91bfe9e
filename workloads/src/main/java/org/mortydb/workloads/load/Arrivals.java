package org.mortydb.workloads.load;

import java.util.random.RandomGenerator;

/** The distribution of the times between the transactions of an open loop. */
public enum Arrivals {
  /** Independent arrivals: the times between them are exponentially distributed. */
  POISSON {
    @Override
    double gap(RandomGenerator random) {
      return random.nextExponential();
    }
  },
  /** A constant time between arrivals. */
  UNIFORM {
    @Override
    double gap(RandomGenerator random) {
      return 1;
    }
  };

  /** The time to the next arrival, as a multiple of the mean. */
  abstract double gap(RandomGenerator random);
}
