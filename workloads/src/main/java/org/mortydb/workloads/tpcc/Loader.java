package org.mortydb.workloads.tpcc;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Transaction;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.tpcc.TpccRow.Balance;
import org.mortydb.workloads.tpcc.TpccRow.Customer;
import org.mortydb.workloads.tpcc.TpccRow.CustomerData;
import org.mortydb.workloads.tpcc.TpccRow.CustomersByName;
import org.mortydb.workloads.tpcc.TpccRow.District;
import org.mortydb.workloads.tpcc.TpccRow.History;
import org.mortydb.workloads.tpcc.TpccRow.Item;
import org.mortydb.workloads.tpcc.TpccRow.NewOrder;
import org.mortydb.workloads.tpcc.TpccRow.Order;
import org.mortydb.workloads.tpcc.TpccRow.OrderLine;
import org.mortydb.workloads.tpcc.TpccRow.OrderNumber;
import org.mortydb.workloads.tpcc.TpccRow.Stock;
import org.mortydb.workloads.tpcc.TpccRow.Sum;
import org.mortydb.workloads.tpcc.TpccRow.Warehouse;

/**
 * Fills the database by the rules of the standard, in independent transactions. A row depends only
 * on the seed and its number, so a transaction that runs again writes the same. Immutable.
 */
final class Loader {
  /** The number of items or stocks that one transaction fills. */
  private static final int ITEMS_AT_ONCE = 200;

  /** The number of customers or orders that one transaction fills. */
  private static final int CUSTOMERS_AT_ONCE = 40;

  private static final long INITIAL_PAYMENT = 1_000;

  private final Scale scale;
  private final NuRand nuRand;
  private final long seed;
  private final long nowMillis;
  private final boolean merges;

  private final int itemParts;
  private final int customerParts;
  private final int partsOfDistrict;
  private final int partsOfWarehouse;

  /**
   * @param merges whether the sums of warehouses and districts are numbers, to merge into
   */
  Loader(NuRand nuRand, boolean merges, long seed, long nowMillis) {
    this.scale = nuRand.scale();
    this.nuRand = nuRand;
    this.merges = merges;
    this.seed = seed;
    this.nowMillis = nowMillis;
    itemParts = parts(scale.items(), ITEMS_AT_ONCE);
    customerParts = parts(scale.customers(), CUSTOMERS_AT_ONCE);
    partsOfDistrict = 2 * customerParts + 1;
    partsOfWarehouse = 1 + 2 * itemParts + Scale.DISTRICTS * partsOfDistrict;
  }

  private static int parts(int all, int atOnce) {
    return (all + atOnce - 1) / atOnce;
  }

  /** The number of transactions. */
  int transactions() {
    return Math.multiplyExact(scale.warehouses(), partsOfWarehouse);
  }

  /** The number of rows; the number of order lines is an average. */
  long rows() {
    long ofDistrict = 3 + 2 + scale.names() + (4L + 1 + 1 + 10) * scale.customers();
    return scale.warehouses()
        * (2 + 2L * scale.items() + Scale.DISTRICTS * (ofDistrict + scale.undelivered()));
  }

  /** Runs one of the transactions. */
  void fill(Transaction<Trace> txn, Context<Trace> ctx, int transaction) {
    int w = transaction / partsOfWarehouse + 1;
    int at = transaction % partsOfWarehouse;
    Context<Trace> c;
    if (at == 0) {
      c = warehouse(txn, ctx, w);
    } else if (at <= itemParts) {
      c = items(txn, ctx, w, at - 1);
    } else if (at <= 2 * itemParts) {
      c = stocks(txn, ctx, w, at - 1 - itemParts);
    } else {
      at -= 2 * itemParts + 1;
      int d = at / partsOfDistrict + 1;
      at %= partsOfDistrict;
      if (at == 0) {
        c = names(txn, ctx, w, d);
      } else if (at <= customerParts) {
        c = customers(txn, ctx, w, d, at - 1);
      } else {
        c = orders(txn, ctx, w, d, at - 1 - customerParts);
      }
    }
    Rows.commit(txn, c);
  }

  /** The source of randomness of a row. */
  private SplittableRandom random(long record) {
    long h = (seed + 0x9E3779B97F4A7C15L) * 0xC2B2AE3D27D4EB4FL + record;
    h = (h ^ (h >>> 32)) * 0xD6E8FEB86659FD93L;
    return new SplittableRandom(h ^ (h >>> 32));
  }

  private Context<Trace> items(Transaction<Trace> txn, Context<Trace> ctx, int w, int part) {
    Context<Trace> c = ctx;
    for (int i = part * ITEMS_AT_ONCE + 1; i <= end(part, ITEMS_AT_ONCE, scale.items()); i++) {
      SplittableRandom random = random(Tables.item(0, i)); // the same in all warehouses
      Item item =
          new Item(
              random.nextInt(1, 10_001),
              RandomTexts.letters(random, 14, 24),
              random.nextInt(100, 10_001),
              RandomTexts.data(random));
      c = Tables.ITEM.put(txn, c, Tables.item(w, i), item);
    }
    return c;
  }

  private static int end(int part, int atOnce, int all) {
    return Math.min((part + 1) * atOnce, all);
  }

  private Context<Trace> warehouse(Transaction<Trace> txn, Context<Trace> ctx, int w) {
    long record = Tables.warehouse(w);
    RandomGenerator random = random(record);
    Warehouse warehouse =
        new Warehouse(
            RandomTexts.letters(random, 6, 10),
            RandomTexts.address(random),
            random.nextInt(0, 2_001));
    long ofDistrict = scale.customers() * INITIAL_PAYMENT;
    Sum ytd = new Sum(Scale.DISTRICTS * ofDistrict);
    Context<Trace> c = Tables.WAREHOUSE.put(txn, ctx, record, warehouse);
    c =
        merges
            ? Tables.MERGED_WAREHOUSE_YTD.put(txn, c, Tables.warehouseYtd(w), ytd.cents())
            : Tables.WAREHOUSE_YTD.put(txn, c, Tables.warehouseYtd(w), ytd);
    for (int d = 1; d <= Scale.DISTRICTS; d++) {
      District district =
          new District(
              RandomTexts.letters(random, 6, 10),
              RandomTexts.address(random),
              random.nextInt(0, 2_001));
      c = Tables.DISTRICT.put(txn, c, Tables.district(w, d), district);
      c =
          merges
              ? Tables.MERGED_DISTRICT_YTD.put(txn, c, Tables.districtYtd(w, d), ofDistrict)
              : Tables.DISTRICT_YTD.put(txn, c, Tables.districtYtd(w, d), new Sum(ofDistrict));
      c =
          Tables.NEXT_ORDER.put(
              txn, c, Tables.nextOrder(w, d), new OrderNumber(scale.customers() + 1));
      c =
          Tables.OLDEST_NEW_ORDER.put(
              txn, c, Tables.oldestNewOrder(w, d), new OrderNumber(scale.delivered() + 1));
    }
    return c;
  }

  private Context<Trace> stocks(Transaction<Trace> txn, Context<Trace> ctx, int w, int part) {
    Context<Trace> c = ctx;
    for (int i = part * ITEMS_AT_ONCE + 1; i <= end(part, ITEMS_AT_ONCE, scale.items()); i++) {
      long record = Tables.stock(w, i);
      SplittableRandom random = random(record);
      Stock stock =
          new Stock(
              random.nextInt(10, 101),
              0,
              0,
              0,
              RandomTexts.letters(random, 24 * Scale.DISTRICTS, 24 * Scale.DISTRICTS),
              RandomTexts.data(random));
      c = Tables.STOCK.put(txn, c, record, stock);
    }
    return c;
  }

  // ---- customers ------------------------------------------------------------------------------

  /** The number of a customer's last name; the first draw for the customer's row. */
  private int nameNumber(int customer, RandomGenerator random) {
    int drawn = nuRand.nameInLoad(random);
    return customer <= scale.names() ? customer - 1 : drawn;
  }

  private static String firstName(RandomGenerator random) {
    return RandomTexts.letters(random, 8, 16);
  }

  /** Writes the index of customers by last name. */
  private Context<Trace> names(Transaction<Trace> txn, Context<Trace> ctx, int w, int d) {
    record Named(int customer, String first) {}

    List<List<Named>> byName = new ArrayList<>();
    for (int name = 0; name < scale.names(); name++) {
      byName.add(new ArrayList<>());
    }
    for (int customer = 1; customer <= scale.customers(); customer++) {
      SplittableRandom random = random(Tables.customer(w, d, customer));
      int name = nameNumber(customer, random);
      byName.get(name).add(new Named(customer, firstName(random)));
    }
    Context<Trace> c = ctx;
    for (int name = 0; name < scale.names(); name++) {
      byName.get(name).sort(Comparator.comparing(Named::first));
      int[] customers = byName.get(name).stream().mapToInt(Named::customer).toArray();
      c = Tables.BY_NAME.put(txn, c, Tables.byName(w, d, name), new CustomersByName(customers));
    }
    return c;
  }

  private Context<Trace> customers(
      Transaction<Trace> txn, Context<Trace> ctx, int w, int d, int part) {
    Context<Trace> c = ctx;
    int end = end(part, CUSTOMERS_AT_ONCE, scale.customers());
    for (int customer = part * CUSTOMERS_AT_ONCE + 1; customer <= end; customer++) {
      long record = Tables.customer(w, d, customer);
      SplittableRandom random = random(record);
      String last = RandomTexts.lastName(nameNumber(customer, random));
      Customer row =
          new Customer(
              last,
              firstName(random),
              RandomTexts.address(random),
              RandomTexts.digits(random, 16),
              nowMillis,
              random.nextInt(10) != 0,
              5_000_000,
              random.nextInt(0, 5_001));
      CustomerData data =
          new CustomerData(RandomTexts.letters(random, 300, CustomerData.MAX_LENGTH));
      History history =
          new History(w, d, nowMillis, INITIAL_PAYMENT, RandomTexts.letters(random, 12, 24));
      Balance balance = new Balance(-INITIAL_PAYMENT, INITIAL_PAYMENT, 1, 0);
      c = Tables.CUSTOMER.put(txn, c, record, row);
      c = Tables.CUSTOMER_DATA.put(txn, c, Tables.customerData(w, d, customer), data);
      c = Tables.BALANCE.put(txn, c, Tables.balance(w, d, customer), balance);
      c = Tables.HISTORY.put(txn, c, Tables.history(w, d, customer, 1), history);
    }
    return c;
  }

  // ---- orders ---------------------------------------------------------------------------------

  /** The customers of a district's orders: each customer once, in random order. */
  private int[] customersOfOrders(int w, int d) {
    SplittableRandom random = random(Tables.nextOrder(w, d));
    int[] customers = new int[scale.customers()];
    for (int i = 0; i < customers.length; i++) {
      int at = random.nextInt(i + 1);
      customers[i] = customers[at];
      customers[at] = i + 1;
    }
    return customers;
  }

  private Context<Trace> orders(
      Transaction<Trace> txn, Context<Trace> ctx, int w, int d, int part) {
    int[] customers = customersOfOrders(w, d);
    Context<Trace> c = ctx;
    int end = end(part, CUSTOMERS_AT_ONCE, scale.customers());
    for (int number = part * CUSTOMERS_AT_ONCE + 1; number <= end; number++) {
      long record = Tables.order(w, d, number);
      SplittableRandom random = random(record);
      boolean delivered = number <= scale.delivered();
      int customer = customers[number - 1];
      int lines = random.nextInt(5, Scale.MAX_LINES + 1);
      int carrier = delivered ? random.nextInt(1, 11) : 0;
      c = Tables.ORDER.put(txn, c, record, new Order(customer, nowMillis, carrier, lines, true));
      c =
          Tables.NEWEST_ORDER.put(
              txn, c, Tables.newestOrder(w, d, customer), new OrderNumber(number));
      if (!delivered) {
        c = Tables.NEW_ORDER.put(txn, c, Tables.newOrder(w, d, number), new NewOrder());
      }
      for (int line = 1; line <= lines; line++) {
        OrderLine row =
            new OrderLine(
                random.nextInt(1, scale.items() + 1),
                w,
                delivered ? nowMillis : 0,
                5,
                delivered ? 0 : random.nextInt(1, 1_000_000),
                RandomTexts.letters(random, 24, 24));
        c = Tables.ORDER_LINE.put(txn, c, Tables.orderLine(w, d, number, line), row);
      }
    }
    return c;
  }
}
