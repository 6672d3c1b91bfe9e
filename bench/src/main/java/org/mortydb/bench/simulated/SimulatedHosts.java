package org.mortydb.bench.simulated;

/**
 * The machines of a simulated run.
 *
 * @param shared whether all servers and clients are on one machine, as in a real run on this one
 * @param cores of each server, or of the one machine; 1 or more
 * @param clientHosts machines with clients in each region that has any, 1 or more
 * @param clientCores of each of them; 1 or more; not used with {@code shared}
 * @param localMicros one-way delay in microseconds between machines of one region, and between all
 *     where no delays are set; 0 or more; not used with {@code shared}
 */
public record SimulatedHosts(
    boolean shared, int cores, int clientHosts, int clientCores, long localMicros) {

  /** Half the round trip of 100 µs that a data centre's network has, give or take. */
  public static final long DATA_CENTRE_MICROS = 50;

  /**
   * @throws IllegalArgumentException when a number is out of its range
   */
  public SimulatedHosts {
    if (cores < 1 || clientHosts < 1 || clientCores < 1 || localMicros < 0) {
      throw new IllegalArgumentException(
          "cores, client hosts and their cores must be at least 1 and the delay at least 0: "
              + cores
              + ", "
              + clientHosts
              + ", "
              + clientCores
              + ", "
              + localMicros);
    }
  }

  /** One machine for all, as in a real run. */
  public static SimulatedHosts shared(int cores) {
    return new SimulatedHosts(true, cores, 1, 1, 0);
  }

  /** A machine for each server, and client machines that are as large in each region. */
  public static SimulatedHosts apart(int cores) {
    return new SimulatedHosts(false, cores, 1, cores, DATA_CENTRE_MICROS);
  }
}
