package org.mortydb.workloads.tpcc;

/** The input of one transaction, with all random choices made. */
sealed interface Input {

  /**
   * A customer.
   *
   * @param customer the id; 0 when the customer is given by name
   * @param name the number of the last name in that case
   */
  record Who(int customer, int name) {}

  /**
   * One line of a new order.
   *
   * @param supplier the warehouse that supplies it
   */
  record Line(int item, int supplier, int quantity) {}

  /**
   * A new order. An order that is to be rolled back has an item that does not exist in its last
   * line.
   *
   * @param lines 5 to 15; owned by the input
   */
  @SuppressWarnings("ArrayRecordComponent")
  record NewOrder(int warehouse, int district, int customer, Line[] lines, long nowMillis)
      implements Input {
    boolean allLocal() {
      for (Line line : lines) {
        if (line.supplier() != warehouse) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * A payment.
   *
   * @param warehouse where it is made; likewise {@code district}
   * @param customerWarehouse the customer's warehouse; likewise {@code customerDistrict}
   * @param amount in cents
   */
  record Payment(
      int warehouse,
      int district,
      int customerWarehouse,
      int customerDistrict,
      Who who,
      long amount,
      long nowMillis)
      implements Input {}

  /** Asks for the newest order of a customer. */
  record OrderStatus(int warehouse, int district, Who who) implements Input {}

  /** Delivers the oldest order of each district. */
  record Delivery(int warehouse, int carrier, long nowMillis) implements Input {}

  /** Counts the items of the last 20 orders that are low in stock. */
  record StockLevel(int warehouse, int district, int threshold) implements Input {}
}
