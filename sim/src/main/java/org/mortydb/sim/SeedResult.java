package org.mortydb.sim;

import java.util.List;

/**
 * The result of a seed.
 *
 * @param seed the seed
 * @param mix the mix of faults that it was run with
 * @param plan a summary of the plan
 * @param digest a hash of all events; equal for every run of the seed on every machine
 * @param violations the violations; empty for a correct run
 * @param marks counts of events
 * @param events the number of events
 * @param virtualMicros the virtual time
 * @param undecided the transactions that were undecided at a replica at the end
 */
public record SeedResult(
    long seed,
    FaultMix mix,
    String plan,
    long digest,
    List<Violation> violations,
    Marks marks,
    long events,
    long virtualMicros,
    int undecided) {}
