package org.mortydb.workloads.tpcc;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.TypedKey;
import org.mortydb.workloads.rows.CorruptRecordException;
import org.mortydb.workloads.rows.MergedRows;
import org.mortydb.workloads.rows.RowCodec;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.rows.Stamped;
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
 * The tables, and the numbers of their rows. A row's number has the row's identity within its table
 * in the upper bits (from the left: warehouse, district, and so on), and the table in the lower
 * five. A row's key is the table's letter, a slash, the warehouse as the tag, and the identity in
 * eight bytes. So all rows of a warehouse lie in one partition. Items are the same in all
 * warehouses, and each warehouse has a copy of them.
 */
final class Tables {
  private static final int TABLE_BITS = 5;
  private static final int DISTRICT_BITS = 4;
  private static final int LINE_BITS = 4;
  private static final int ITEM_BITS = 17;

  /** The bits of the ids of customers, names and orders. */
  private static final int ID_BITS = 28;

  private static final int HISTORY_CUSTOMER_BITS = 12;
  private static final int HISTORY_BITS = 24;

  /** The bits of an identity below its warehouse. */
  private static final int WAREHOUSES = 0;

  private static final int ITEMS = ITEM_BITS;
  private static final int DISTRICTS = DISTRICT_BITS;
  private static final int IDS = DISTRICT_BITS + ID_BITS;
  private static final int LINES = IDS + LINE_BITS;
  private static final int PAYMENTS = DISTRICT_BITS + HISTORY_CUSTOMER_BITS + HISTORY_BITS;

  private static final List<String> NAMES = new ArrayList<>();

  static final Rows<Item> ITEM =
      table(
          "item",
          ITEMS,
          160,
          (out, row) -> {
            out.writeUInt32NoTag(row.image());
            out.writeStringNoTag(row.name());
            out.writeUInt32NoTag(row.price());
            out.writeStringNoTag(row.data());
          },
          in -> new Item(in.readUInt32(), in.readString(), in.readUInt32(), in.readString()));

  static final Rows<Warehouse> WAREHOUSE =
      table(
          "warehouse",
          WAREHOUSES,
          160,
          (out, row) -> {
            out.writeStringNoTag(row.name());
            out.writeStringNoTag(row.address());
            out.writeUInt32NoTag(row.tax());
          },
          in -> new Warehouse(in.readString(), in.readString(), in.readUInt32()));

  static final Rows<District> DISTRICT =
      table(
          "district",
          DISTRICTS,
          160,
          (out, row) -> {
            out.writeStringNoTag(row.name());
            out.writeStringNoTag(row.address());
            out.writeUInt32NoTag(row.tax());
          },
          in -> new District(in.readString(), in.readString(), in.readUInt32()));

  static final Rows<Sum> WAREHOUSE_YTD = sums("warehouse-ytd", WAREHOUSES);
  static final Rows<Sum> DISTRICT_YTD = sums("district-ytd", DISTRICTS);

  /** The same records as numbers, into which payments merge. */
  static final MergedRows<Long> MERGED_WAREHOUSE_YTD = numbers("warehouse-ytd", WAREHOUSES);

  static final MergedRows<Long> MERGED_DISTRICT_YTD = numbers("district-ytd", DISTRICTS);

  static final Rows<OrderNumber> NEXT_ORDER = orderNumbers("next-order", DISTRICTS);
  static final Rows<OrderNumber> OLDEST_NEW_ORDER = orderNumbers("oldest-new-order", DISTRICTS);
  static final Rows<OrderNumber> NEWEST_ORDER = orderNumbers("newest-order", IDS);

  static final Rows<Customer> CUSTOMER =
      table(
          "customer",
          IDS,
          320,
          (out, row) -> {
            out.writeStringNoTag(row.last());
            out.writeStringNoTag(row.first());
            out.writeStringNoTag(row.address());
            out.writeStringNoTag(row.phone());
            out.writeUInt64NoTag(row.since());
            out.writeBoolNoTag(row.goodCredit());
            out.writeUInt32NoTag(row.creditLimit());
            out.writeUInt32NoTag(row.discount());
          },
          in ->
              new Customer(
                  in.readString(),
                  in.readString(),
                  in.readString(),
                  in.readString(),
                  in.readUInt64(),
                  in.readBool(),
                  in.readUInt32(),
                  in.readUInt32()));

  static final Rows<Balance> BALANCE =
      table(
          "balance",
          IDS,
          64,
          (out, row) -> {
            out.writeSInt64NoTag(row.balance());
            out.writeSInt64NoTag(row.ytdPayment());
            out.writeUInt32NoTag(row.payments());
            out.writeUInt32NoTag(row.deliveries());
          },
          in -> new Balance(in.readSInt64(), in.readSInt64(), in.readUInt32(), in.readUInt32()));

  static final Rows<CustomerData> CUSTOMER_DATA =
      table(
          "customer-data",
          IDS,
          CustomerData.MAX_LENGTH + 32,
          (out, row) -> out.writeStringNoTag(row.text()),
          in -> new CustomerData(in.readString()));

  static final Rows<CustomersByName> BY_NAME =
      table(
          "customers-by-name",
          IDS,
          16 * 1024,
          (out, row) -> {
            out.writeUInt32NoTag(row.customers().length);
            for (int customer : row.customers()) {
              out.writeUInt32NoTag(customer);
            }
          },
          in -> new CustomersByName(readList(in)));

  static final Rows<History> HISTORY =
      table(
          "history",
          PAYMENTS,
          96,
          (out, row) -> {
            out.writeUInt32NoTag(row.warehouse());
            out.writeUInt32NoTag(row.district());
            out.writeUInt64NoTag(row.date());
            out.writeSInt64NoTag(row.amount());
            out.writeStringNoTag(row.data());
          },
          in ->
              new History(
                  in.readUInt32(),
                  in.readUInt32(),
                  in.readUInt64(),
                  in.readSInt64(),
                  in.readString()));

  static final Rows<Order> ORDER =
      table(
          "order",
          IDS,
          64,
          (out, row) -> {
            out.writeUInt32NoTag(row.customer());
            out.writeUInt64NoTag(row.entered());
            out.writeUInt32NoTag(row.carrier());
            out.writeUInt32NoTag(row.lines());
            out.writeBoolNoTag(row.allLocal());
          },
          in ->
              new Order(
                  in.readUInt32(),
                  in.readUInt64(),
                  in.readUInt32(),
                  in.readUInt32(),
                  in.readBool()));

  static final Rows<NewOrder> NEW_ORDER =
      table("new-order", IDS, 16, (out, row) -> {}, in -> new NewOrder());

  static final Rows<OrderLine> ORDER_LINE =
      table(
          "order-line",
          LINES,
          96,
          (out, row) -> {
            out.writeUInt32NoTag(row.item());
            out.writeUInt32NoTag(row.supplier());
            out.writeUInt64NoTag(row.delivered());
            out.writeUInt32NoTag(row.quantity());
            out.writeSInt64NoTag(row.amount());
            out.writeStringNoTag(row.districtInfo());
          },
          in ->
              new OrderLine(
                  in.readUInt32(),
                  in.readUInt32(),
                  in.readUInt64(),
                  in.readUInt32(),
                  in.readSInt64(),
                  in.readString()));

  static final Rows<Stock> STOCK =
      table(
          "stock",
          ITEMS,
          384,
          (out, row) -> {
            out.writeSInt32NoTag(row.quantity());
            out.writeUInt32NoTag(row.ytd());
            out.writeUInt32NoTag(row.orders());
            out.writeUInt32NoTag(row.remoteOrders());
            out.writeStringNoTag(row.districtInfos());
            out.writeStringNoTag(row.data());
          },
          in ->
              new Stock(
                  in.readSInt32(),
                  in.readUInt32(),
                  in.readUInt32(),
                  in.readUInt32(),
                  in.readString(),
                  in.readString()));

  private static final int T_ITEM = NAMES.indexOf("item");
  private static final int T_WAREHOUSE = NAMES.indexOf("warehouse");
  private static final int T_DISTRICT = NAMES.indexOf("district");
  private static final int T_WAREHOUSE_YTD = NAMES.indexOf("warehouse-ytd");
  private static final int T_DISTRICT_YTD = NAMES.indexOf("district-ytd");
  private static final int T_NEXT_ORDER = NAMES.indexOf("next-order");
  private static final int T_OLDEST_NEW_ORDER = NAMES.indexOf("oldest-new-order");
  private static final int T_NEWEST_ORDER = NAMES.indexOf("newest-order");
  private static final int T_CUSTOMER = NAMES.indexOf("customer");
  private static final int T_BALANCE = NAMES.indexOf("balance");
  private static final int T_CUSTOMER_DATA = NAMES.indexOf("customer-data");
  private static final int T_BY_NAME = NAMES.indexOf("customers-by-name");
  private static final int T_HISTORY = NAMES.indexOf("history");
  private static final int T_ORDER = NAMES.indexOf("order");
  private static final int T_NEW_ORDER = NAMES.indexOf("new-order");
  private static final int T_ORDER_LINE = NAMES.indexOf("order-line");
  private static final int T_STOCK = NAMES.indexOf("stock");

  private Tables() {}

  private static <R> Rows<R> table(
      String name,
      int belowWarehouse,
      int maxBytes,
      RowCodec.Writer<R> writer,
      RowCodec.Reader<R> reader) {
    char letter = (char) ('A' + NAMES.size());
    RowCodec<R> codec = RowCodec.of(name, letter, maxBytes, writer, reader);
    KeySpace<Long, Stamped<R>> space =
        KeySpace.of(String.valueOf(letter), Codecs.INT64, codec)
            .taggedBy(id -> Long.toString(id >>> belowWarehouse));
    LongFunction<TypedKey<Stamped<R>>> keys = record -> space.key(record >>> TABLE_BITS);
    NAMES.add(name);
    return new Rows<>(keys, codec);
  }

  private static MergedRows<Long> numbers(String name, int belowWarehouse) {
    KeySpace<Long, Long> space =
        KeySpace.of(letterOf(NAMES.indexOf(name)), Codecs.INT64, Codecs.INT64)
            .taggedBy(id -> Long.toString(id >>> belowWarehouse));
    return new MergedRows<>(record -> space.key(record >>> TABLE_BITS));
  }

  private static String letterOf(int table) {
    return String.valueOf((char) ('A' + table));
  }

  private static Rows<Sum> sums(String name, int belowWarehouse) {
    return table(
        name,
        belowWarehouse,
        32,
        (out, row) -> out.writeSInt64NoTag(row.cents()),
        in -> new Sum(in.readSInt64()));
  }

  private static Rows<OrderNumber> orderNumbers(String name, int belowWarehouse) {
    return table(
        name,
        belowWarehouse,
        32,
        (out, row) -> out.writeUInt32NoTag(row.order()),
        in -> new OrderNumber(in.readUInt32()));
  }

  private static int[] readList(CodedInputStream in) throws IOException {
    int length = in.readUInt32();
    if (length < 0 || length > 3_000) {
      throw new CorruptRecordException("a list of " + length + " customers, at most 3000");
    }
    int[] list = new int[length];
    for (int i = 0; i < length; i++) {
      list[i] = in.readUInt32();
    }
    return list;
  }

  // ---- the numbers of rows --------------------------------------------------------------------

  private static long number(int table, long id) {
    return id << TABLE_BITS | table;
  }

  private static long inWarehouse(int warehouse, int district) {
    return (long) warehouse << DISTRICT_BITS | district;
  }

  private static long inDistrict(int warehouse, int district, int id) {
    return inWarehouse(warehouse, district) << ID_BITS | id;
  }

  static long item(int warehouse, int item) {
    return number(T_ITEM, (long) warehouse << ITEM_BITS | item);
  }

  static long warehouse(int warehouse) {
    return number(T_WAREHOUSE, warehouse);
  }

  static long warehouseYtd(int warehouse) {
    return number(T_WAREHOUSE_YTD, warehouse);
  }

  static long district(int warehouse, int district) {
    return number(T_DISTRICT, inWarehouse(warehouse, district));
  }

  static long districtYtd(int warehouse, int district) {
    return number(T_DISTRICT_YTD, inWarehouse(warehouse, district));
  }

  static long nextOrder(int warehouse, int district) {
    return number(T_NEXT_ORDER, inWarehouse(warehouse, district));
  }

  static long oldestNewOrder(int warehouse, int district) {
    return number(T_OLDEST_NEW_ORDER, inWarehouse(warehouse, district));
  }

  static long customer(int warehouse, int district, int customer) {
    return number(T_CUSTOMER, inDistrict(warehouse, district, customer));
  }

  static long balance(int warehouse, int district, int customer) {
    return number(T_BALANCE, inDistrict(warehouse, district, customer));
  }

  static long customerData(int warehouse, int district, int customer) {
    return number(T_CUSTOMER_DATA, inDistrict(warehouse, district, customer));
  }

  static long newestOrder(int warehouse, int district, int customer) {
    return number(T_NEWEST_ORDER, inDistrict(warehouse, district, customer));
  }

  static long byName(int warehouse, int district, int name) {
    return number(T_BY_NAME, inDistrict(warehouse, district, name));
  }

  /**
   * A payment.
   *
   * @param payment its number among the customer's payments, from 1
   */
  static long history(int warehouse, int district, int customer, int payment) {
    long id =
        (inWarehouse(warehouse, district) << HISTORY_CUSTOMER_BITS | customer) << HISTORY_BITS
            | payment;
    return number(T_HISTORY, id);
  }

  static long order(int warehouse, int district, int order) {
    return number(T_ORDER, inDistrict(warehouse, district, order));
  }

  static long newOrder(int warehouse, int district, int order) {
    return number(T_NEW_ORDER, inDistrict(warehouse, district, order));
  }

  /**
   * A line of an order.
   *
   * @param line 1 to {@link Scale#MAX_LINES}
   */
  static long orderLine(int warehouse, int district, int order, int line) {
    return number(T_ORDER_LINE, inDistrict(warehouse, district, order) << LINE_BITS | line);
  }

  static long stock(int warehouse, int item) {
    return number(T_STOCK, (long) warehouse << ITEM_BITS | item);
  }

  /** The lines of an order, beginning with the first. */
  static long[] orderLines(int warehouse, int district, int order, int lines) {
    long[] records = new long[lines];
    for (int line = 1; line <= lines; line++) {
      records[line - 1] = orderLine(warehouse, district, order, line);
    }
    return records;
  }

  /** The table's name and the row's identity: warehouse, district, ... */
  static String nameOf(long record) {
    int table = (int) (record & ((1 << TABLE_BITS) - 1));
    long id = record >>> TABLE_BITS;
    String name = NAMES.get(table);
    if (table == T_WAREHOUSE || table == T_WAREHOUSE_YTD) {
      return name + " " + id;
    } else if (table == T_ITEM || table == T_STOCK) {
      return name + " " + (id >>> ITEM_BITS) + "/" + low(id, ITEM_BITS);
    } else if (table == T_ORDER_LINE) {
      return name + " " + inDistrict(id >>> LINE_BITS) + "/" + low(id, LINE_BITS);
    } else if (table == T_HISTORY) {
      long customer = id >>> HISTORY_BITS;
      return name
          + " "
          + inWarehouse(customer >>> HISTORY_CUSTOMER_BITS)
          + "/"
          + low(customer, HISTORY_CUSTOMER_BITS)
          + "/"
          + low(id, HISTORY_BITS);
    } else if (table == T_DISTRICT
        || table == T_DISTRICT_YTD
        || table == T_NEXT_ORDER
        || table == T_OLDEST_NEW_ORDER) {
      return name + " " + inWarehouse(id);
    }
    return name + " " + inDistrict(id);
  }

  private static String inWarehouse(long id) {
    return (id >>> DISTRICT_BITS) + "/" + low(id, DISTRICT_BITS);
  }

  private static String inDistrict(long id) {
    return inWarehouse(id >>> ID_BITS) + "/" + low(id, ID_BITS);
  }

  private static long low(long id, int bits) {
    return id & ((1L << bits) - 1);
  }
}
