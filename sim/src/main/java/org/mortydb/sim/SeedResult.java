package org.mortydb.sim;

import java.util.List;

/**
 * What became of a seed.
 *
 * @param seed the seed
 * @param plan what it decided, in short
 * @param digest of everything that happened; the same whenever and wherever the seed is run
 * @param violations what must never be, and was; empty if all is well
 * @param marks what happened how often
 * @param events how many events it took
 * @param virtualMicros how long it took in virtual time
 * @param undecided transactions that were still undecided at some replica in the end
 */
public record SeedResult(
    long seed,
    String plan,
    long digest,
    List<Violation> violations,
    Marks marks,
    long events,
    long virtualMicros,
    int undecided) {}
