package org.mortydb.workloads.tpcc;

import java.util.Arrays;

/**
 * The rows. Money is in cents, rates in hundredths of a percent, times in milliseconds since 1970.
 * Columns that change are kept apart from those that never do where other transactions would else
 * be hindered for nothing.
 */
sealed interface TpccRow {

  /** An item. */
  record Item(int image, String name, int price, String data) implements TpccRow {}

  /** What never changes of a warehouse. */
  record Warehouse(String name, String address, int tax) implements TpccRow {
    static final Warehouse NONE = new Warehouse("", "", 0);
  }

  /** What never changes of a district. */
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
   * The number of an order: D_NEXT_O_ID; the oldest order of a district that is not delivered; the
   * newest order of a customer.
   */
  record OrderNumber(int order) implements TpccRow {
    static final OrderNumber NONE = new OrderNumber(0);
  }

  /** What never changes of a customer. */
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

  /** What payments and deliveries change of a customer. */
  record Balance(long balance, long ytdPayment, int payments, int deliveries) implements TpccRow {
    static final Balance NONE = new Balance(0, 0, 0, 0);

    Balance paid(long amount) {
      return new Balance(balance - amount, ytdPayment + amount, payments + 1, deliveries);
    }

    Balance delivered(long amount) {
      return new Balance(balance + amount, ytdPayment, payments, deliveries + 1);
    }
  }

  /** C_DATA, which payments of customers with bad credit change. */
  record CustomerData(String text) implements TpccRow {
    static final CustomerData NONE = new CustomerData("");
    static final int MAX_LENGTH = 500;

    CustomerData with(String line) {
      String all = line + text;
      return new CustomerData(all.substring(0, Math.min(all.length(), MAX_LENGTH)));
    }
  }

  /** The customers of a district with one last name, in the order of their first names. */
  record CustomersByName(int[] customers) implements TpccRow {
    /** The one in the middle, rounded up, as the standard says; 0 when there is none. */
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
   * @param carrier 1 to 10, 0 while it is not delivered
   */
  record Order(int customer, long entered, int carrier, int lines, boolean allLocal)
      implements TpccRow {
    Order deliveredBy(int by) {
      return new Order(customer, entered, by, lines, allLocal);
    }
  }

  /** An order that is not delivered. */
  record NewOrder() implements TpccRow {}

  /**
   * A line of an order.
   *
   * @param delivered 0 while it is not
   */
  record OrderLine(
      int item, int supplier, long delivered, int quantity, long amount, String districtInfo)
      implements TpccRow {
    OrderLine deliveredAt(long when) {
      return new OrderLine(item, supplier, when, quantity, amount, districtInfo);
    }
  }

  /**
   * What a warehouse has of an item.
   *
   * @param districtInfos ten texts of 24 letters, one for each district, one after the other
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
