package org.mortydb.bench.simulated;

/**
 * The costs of event loops and connections, independent of messages, in nanoseconds.
 *
 * @param wake the cost of a turn after a sleep
 * @param turn the cost of a turn after another turn
 * @param frameIn the cost of receiving a frame, including the system call
 * @param frameOut the cost of sending a frame
 * @param handover the cost of passing the tasks of a turn to another loop of the process that
 *     sleeps; passing them to one that is awake costs nothing
 */
public record TransportCosts(
    double wake, double turn, double frameIn, double frameOut, double handover) {

  /** No costs except those of steps. */
  public static final TransportCosts NONE = new TransportCosts(0, 0, 0, 0, 0);
}
