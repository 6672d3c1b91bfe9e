package org.mortydb.workloads.tpcc;

/**
 * How the transactions are written.
 *
 * @param deliverByDistrict whether a delivery is one transaction for each district, rather than one
 *     for all
 * @param merges whether payments add to the sums of warehouse and district without reading them
 * @param together whether new-order and delivery read rows in one operation if these reads do not
 *     depend on each other, rather than line by line and district by district
 * @param paymentsOnly whether all transactions are payments
 */
public record Variant(
    boolean deliverByDistrict, boolean merges, boolean together, boolean paymentsOnly) {
  /** The usual one. */
  public static final Variant USUAL = new Variant(false, false, false, false);
}
