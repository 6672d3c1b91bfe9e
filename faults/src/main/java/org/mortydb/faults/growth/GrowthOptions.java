package org.mortydb.faults.growth;

import org.jspecify.annotations.Nullable;

/**
 * How a cluster grows.
 *
 * @param seconds how long the load lasts, greater than 0; all changes have to end within it
 * @param rate the transactions per second of the load, greater than 0
 * @param clients the transactions of the load that run at a time, at least 1
 * @param partitions how many partitions the one becomes, 2 or more
 * @param seed of users, transactions and victims; timing is not part of it
 * @param founders the class path of the older release that the first servers run, until they are
 *     replaced; null if they run this one
 */
public record GrowthOptions(
    double seconds,
    double rate,
    int clients,
    int partitions,
    long seed,
    @Nullable String founders) {}
