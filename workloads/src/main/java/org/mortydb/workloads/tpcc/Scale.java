package org.mortydb.workloads.tpcc;

import org.mortydb.workloads.InvalidOptionException;

/**
 * The size of the database. By the standard, each warehouse has 10 districts with 3,000 customers
 * and as many orders each, of which the last 900 are undelivered, and there are 100,000 items.
 *
 * @param warehouses 1 to {@value #MAX_WAREHOUSES}
 * @param customers customers, and initial orders, of a district
 * @param undelivered the number of these orders that are undelivered
 * @param items items, and stocks of a warehouse
 */
public record Scale(int warehouses, int customers, int undelivered, int items) {
  /** The most warehouses. */
  public static final int MAX_WAREHOUSES = 65_535;

  /** Districts of a warehouse. */
  static final int DISTRICTS = 10;

  /** The number of last names, if there are enough customers. */
  static final int NAMES = 1_000;

  /** The most lines of an order. */
  static final int MAX_LINES = 15;

  private static final int CUSTOMERS = 3_000;
  private static final int UNDELIVERED = 900;
  private static final int ITEMS = 100_000;
  private static final int FEWEST_CUSTOMERS = 10;
  private static final int FEWEST_ITEMS = 100;

  /**
   * A database that differs from the standard's only in the numbers of customers, orders and items.
   *
   * @param factor the factor for these numbers, greater than 0 and at most 1; a district has at
   *     least 10 customers, and there are at least 100 items
   * @throws InvalidOptionException if one is out of range
   */
  public static Scale of(int warehouses, double factor) {
    TpccPlugin.WAREHOUSES.require(warehouses);
    TpccPlugin.SCALE.require(factor);
    int customers = Math.max(FEWEST_CUSTOMERS, (int) Math.round(CUSTOMERS * factor));
    return new Scale(
        warehouses,
        customers,
        customers * UNDELIVERED / CUSTOMERS,
        Math.max(FEWEST_ITEMS, (int) Math.round(ITEMS * factor)));
  }

  /** The number of last names of a district's customers. */
  int names() {
    return Math.min(NAMES, customers);
  }

  /** The number of a district's orders that are delivered at first. */
  int delivered() {
    return customers - undelivered;
  }

  /** NURand's constant for a range smaller than the standard's: reduced by the same factor. */
  private static int shrunk(int constant, int size, int standardSize) {
    long most = (long) constant * size / standardSize;
    return Math.max(1, Integer.highestOneBit((int) most + 1) - 1);
  }

  /** NURand's A for customers' ids, 1,023 in the standard. */
  int customerA() {
    return shrunk(1_023, customers, CUSTOMERS);
  }

  /** NURand's A for items' ids, 8,191 in the standard. */
  int itemA() {
    return shrunk(8_191, items, ITEMS);
  }

  /** NURand's A for last names, 255 in the standard. */
  int nameA() {
    return shrunk(255, names(), NAMES);
  }
}
