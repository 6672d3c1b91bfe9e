package org.mortydb.bench.simulated;

/**
 * By what the costs of a system's steps, of encoding and decoding are multiplied: a process with
 * caches to share, garbage to collect and other processes beside it is slower than the measurement
 * of its parts.
 *
 * @param server at a server
 * @param client at a client
 */
public record StepScale(double server, double client) {

  /** As measured. */
  public static final StepScale NONE = new StepScale(1, 1);
}
