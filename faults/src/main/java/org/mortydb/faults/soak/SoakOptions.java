package org.mortydb.faults.soak;

/**
 * How a soak goes.
 *
 * @param seconds how long faults last, greater than 0
 * @param killEverySeconds the average time between two kills, greater than 0
 * @param wipeShare the share of killed servers that lose their data as well, 0 to 1
 * @param clients transactions that run at a time, at least 1
 * @param seed of users, transactions and faults; timing is not part of it
 */
public record SoakOptions(
    double seconds, double killEverySeconds, double wipeShare, int clients, long seed) {}
