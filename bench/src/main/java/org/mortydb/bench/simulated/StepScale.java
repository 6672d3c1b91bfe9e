package org.mortydb.bench.simulated;

/**
 * The factors of a system's costs of steps, encoding and decoding. A real process is slower than
 * the measurement of its parts, because of shared caches and other processes.
 *
 * @param server the factor of servers
 * @param client the factor of clients
 * @param collector the processor time of servers' garbage collectors, as a share of that of their
 *     steps, encoding and decoding with the factor
 */
public record StepScale(double server, double client, double collector) {

  /** No change to the measured costs. */
  public static final StepScale NONE = new StepScale(1, 1, 0);
}
