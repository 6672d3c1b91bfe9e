package org.mortydb.bench.simulated;

/**
 * What event loops and connections cost, whatever they carry, in nanoseconds.
 *
 * @param wake of a turn of an event loop that has slept
 * @param turn of a turn that follows another
 * @param frameIn to receive a frame, the system call included
 * @param frameOut to send one
 * @param handover to pass what has come together in a turn to another loop of the same process
 */
public record TransportCosts(
    double wake, double turn, double frameIn, double frameOut, double handover) {

  /** Everything but the steps is free. */
  public static final TransportCosts NONE = new TransportCosts(0, 0, 0, 0, 0);
}
