package org.mortydb.bench.simulated;

/**
 * The costs of event loops and connections, independent of messages, in nanoseconds. All but {@code
 * latency} are processor time.
 *
 * @param wake the cost of a turn after a sleep
 * @param turn the cost of a turn after another turn
 * @param frameIn the cost of receiving a frame, including the system call
 * @param frameOut the cost of sending a frame
 * @param handover the cost of passing the tasks of a turn to another loop of the process that
 *     sleeps; passing them to one that is awake costs nothing
 * @param latency how long a loop that sleeps takes to begin its turn on an idle core, beyond
 *     processor time
 */
public record TransportCosts(
    double wake, double turn, double frameIn, double frameOut, double handover, double latency) {

  /** No costs except those of steps. */
  public static final TransportCosts NONE = new TransportCosts(0, 0, 0, 0, 0, 0);

  /** These costs with another amount of processor time, rounded to nanoseconds. */
  TransportCosts times(double factor) {
    return new TransportCosts(
        Math.round(wake * factor),
        Math.round(turn * factor),
        Math.round(frameIn * factor),
        Math.round(frameOut * factor),
        Math.round(handover * factor),
        latency);
  }
}
