package org.mortydb.bench.simulated;

/**
 * The machines of a simulated run.
 *
 * @param shared whether all servers and clients share one machine, as in a real run
 * @param cores the cores of each server, or of the shared machine; 1 or more
 * @param clientHosts the client machines of each region with clients, 1 or more
 * @param clientCores the cores of each client machine, 1 or more; not used with {@code shared}
 * @param localMicros the one-way delay between machines of a region, and between regions without a
 *     set delay, in microseconds; 0 or more; not used with {@code shared}
 */
public record SimulatedHosts(
    boolean shared, int cores, int clientHosts, int clientCores, long localMicros) {

  /** Half of a typical round trip in a data centre, 100 µs. */
  public static final long DATA_CENTRE_MICROS = 50;

  /**
   * @throws IllegalArgumentException if a number is out of its range
   */
  public SimulatedHosts {
    if (cores < 1 || clientHosts < 1 || clientCores < 1 || localMicros < 0) {
      throw new IllegalArgumentException(
          "cores, client hosts and their cores must be at least 1, the delay at least 0: %d, %d, %d, %d"
              .formatted(cores, clientHosts, clientCores, localMicros));
    }
  }

  /** One machine for all servers and clients. */
  public static SimulatedHosts shared(int cores) {
    return new SimulatedHosts(true, cores, 1, 1, 0);
  }

  /** A machine for each server, and an equal client machine in each region. */
  public static SimulatedHosts apart(int cores) {
    return new SimulatedHosts(false, cores, 1, cores, DATA_CENTRE_MICROS);
  }
}
