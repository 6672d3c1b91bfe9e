package org.mortydb.workloads.tpcc;

import java.util.Arrays;

/**
 * The rows. Money is in cents, rates are in hundredths of a percent, times in milliseconds since
 * 1970. Columns that change are separate from constant ones where transactions would otherwise
 * conflict without need.
 */
sealed interface TpccRow {

  /** An item. */
  record Item(int image, String name, int price, String data) implements TpccRow {}

  /** The constant columns of a warehouse. */
  record Warehouse(String name, String address, int tax) implements TpccRow {
    static final Warehouse NONE = new Warehouse("", "", 0);
  }

  /** The constant columns of a district. */
  record District(String name, String address, int tax) implements TpccRow {
    static final District NONE = new District("", "", 0);
  }

  /** A sum of money: W_YTD, D_YTD. */
  record Sum(long cents) implements TpccRow {
    static final Sum NONE = new Sum(0);

    Sum plus(long amount) {
      return new Sum(cents + amount);
    }
  }

  /**
   * The number of an order: D_NEXT_O_ID, the oldest undelivered order of a district, or the newest
   * order of a customer.
   */
  record OrderNumber(int order) implements TpccRow {
    static final OrderNumber NONE = new OrderNumber(0);
  }

  /** The constant columns of a customer. */
  record Customer(
      String last,
      String first,
      String address,
      String phone,
      long since,
      boolean goodCredit,
      int creditLimit,
      int discount)
      implements TpccRow {
    static final Customer NONE = new Customer("", "", "", "", 0, true, 0, 0);
  }

  /** The columns of a customer that payments and deliveries change. */
  record Balance(long balance, long ytdPayment, int payments, int deliveries) implements TpccRow {
    static final Balance NONE = new Balance(0, 0, 0, 0);

    Balance paid(long amount) {
      return new Balance(balance - amount, ytdPayment + amount, payments + 1, deliveries);
    }

    Balance delivered(long amount) {
      return new Balance(balance + amount, ytdPayment, payments, deliveries + 1);
    }
  }

  /** C_DATA, which changes with payments of customers with bad credit. */
  record CustomerData(String text) implements TpccRow {
    static final CustomerData NONE = new CustomerData("");
    static final int MAX_LENGTH = 500;

    CustomerData with(String line) {
      String all = line + text;
      return new CustomerData(all.substring(0, Math.min(all.length(), MAX_LENGTH)));
    }
  }

  /** The customers of a district with one last name, ordered by first name. */
  record CustomersByName(int[] customers) implements TpccRow {
    /** The customer in the middle, rounded up, by the standard; 0 when there is none. */
    int middle() {
      return customers.length == 0 ? 0 : customers[(customers.length + 1) / 2 - 1];
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof CustomersByName other && Arrays.equals(customers, other.customers);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(customers);
    }
  }

  /** A payment. */
  record History(int warehouse, int district, long date, long amount, String data)
      implements TpccRow {}

  /**
   * An order.
   *
   * @param carrier 1 to 10; 0 while the order is undelivered
   */
  record Order(int customer, long entered, int carrier, int lines, boolean allLocal)
      implements TpccRow {
    Order deliveredBy(int by) {
      return new Order(customer, entered, by, lines, allLocal);
    }
  }

  /** An undelivered order. */
  record NewOrder() implements TpccRow {}

  /**
   * A line of an order.
   *
   * @param delivered the time of delivery; 0 while the line is undelivered
   */
  record OrderLine(
      int item, int supplier, long delivered, int quantity, long amount, String districtInfo)
      implements TpccRow {
    OrderLine deliveredAt(long when) {
      return new OrderLine(item, supplier, when, quantity, amount, districtInfo);
    }
  }

  /**
   * A warehouse's stock of an item.
   *
   * @param districtInfos ten texts of 24 letters, one for each district, concatenated
   */
  record Stock(
      int quantity, int ytd, int orders, int remoteOrders, String districtInfos, String data)
      implements TpccRow {
    static final Stock NONE = new Stock(0, 0, 0, 0, " ".repeat(Scale.DISTRICTS * 24), "");

    String districtInfo(int district) {
      return districtInfos.substring((district - 1) * 24, district * 24);
    }

    Stock ordered(int count, boolean remote) {
      int left = quantity >= count + 10 ? quantity - count : quantity - count + 91;
      return new Stock(
          left,
          ytd + count,
          orders + 1,
          remote ? remoteOrders + 1 : remoteOrders,
          districtInfos,
          data);
    }
  }
}
