package org.mortydb.workloads.smallbank;

/**
 * One transaction with all random choices made.
 *
 * @param customer the customer
 * @param other another customer; ignored by transactions of one customer
 */
record SmallBankRequest(SmallBankTransactionType type, int customer, int other) {}
