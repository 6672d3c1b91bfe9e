package org.mortydb.bench.simulated;

/**
 * What one kind of message costs a processor, in nanoseconds.
 *
 * @param decode to take it from a frame
 * @param step to handle it, sending left out
 * @param encode to put it into a frame, or into one for each receiver
 */
public record KindCost(double decode, double step, double encode) {}
