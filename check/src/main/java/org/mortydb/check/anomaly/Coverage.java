package org.mortydb.check.anomaly;

/**
 * How much a checker has looked at.
 *
 * @param transactions all in the history
 * @param committed those that committed for certain, or were seen to have
 * @param readsChecked reads of committed transactions that were compared with what they should see
 * @param readsSkipped reads about which nothing could be inferred
 * @param edges dependencies between transactions, 0 for checkers that need none
 */
public record Coverage(
    long transactions, long committed, long readsChecked, long readsSkipped, long edges) {}
