package org.mortydb.check.anomaly;

/**
 * The extent of a check.
 *
 * @param transactions the transactions in the history
 * @param committed the transactions that committed, according to their clients or to readers
 * @param readsChecked the reads of committed transactions that were compared with their expectation
 * @param readsSkipped the reads about which nothing could be inferred
 * @param edges the dependencies between transactions; 0 for checkers without a graph
 */
public record Coverage(
    long transactions, long committed, long readsChecked, long readsSkipped, long edges) {}
