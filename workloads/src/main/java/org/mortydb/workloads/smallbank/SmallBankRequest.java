package org.mortydb.workloads.smallbank;

/**
 * One transaction to run.
 *
 * @param customer whose it is
 * @param other the other customer, a different one; of no meaning where there is none
 */
record SmallBankRequest(SmallBankTransactionType type, int customer, int other) {}
