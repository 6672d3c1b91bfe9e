package org.mortydb.bench.simulated;

/**
 * The processor costs of a kind of message, in nanoseconds.
 *
 * @param decode the cost of decoding it
 * @param step the cost of handling it, without sending
 * @param encode the cost of encoding it for all receivers
 */
public record KindCost(double decode, double step, double encode) {}
