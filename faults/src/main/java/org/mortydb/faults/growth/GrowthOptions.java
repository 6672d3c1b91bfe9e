package org.mortydb.faults.growth;

/**
 * How a cluster grows.
 *
 * @param seconds how long the load lasts, greater than 0; all changes have to end within it
 * @param rate the transactions per second of the load, greater than 0
 * @param clients the transactions of the load that run at a time, at least 1
 * @param partitions how many partitions the one becomes, 2 or more
 * @param seed of users, transactions and victims; timing is not part of it
 */
public record GrowthOptions(double seconds, double rate, int clients, int partitions, long seed) {}
