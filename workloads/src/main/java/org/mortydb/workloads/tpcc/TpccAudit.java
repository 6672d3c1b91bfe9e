package org.mortydb.workloads.tpcc;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.workloads.audit.Auditor;
import org.mortydb.workloads.audit.Condition;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.tpcc.TpccRow.Balance;
import org.mortydb.workloads.tpcc.TpccRow.Customer;
import org.mortydb.workloads.tpcc.TpccRow.CustomersByName;
import org.mortydb.workloads.tpcc.TpccRow.History;
import org.mortydb.workloads.tpcc.TpccRow.NewOrder;
import org.mortydb.workloads.tpcc.TpccRow.Order;
import org.mortydb.workloads.tpcc.TpccRow.OrderLine;
import org.mortydb.workloads.tpcc.TpccRow.OrderNumber;
import org.mortydb.workloads.tpcc.TpccRow.Sum;

/**
 * Checks the standard's consistency conditions 1 to 12, and that secondary indexes lead to the
 * right rows. It reads the whole database except items and stocks. That takes several transactions,
 * so no other transaction may be running.
 */
final class TpccAudit {
  /** The number of records that one transaction reads; the limit is 16,384 operations. */
  private static final int AT_ONCE = 4_000;

  /** The number of places after the last order of a district that must be empty. */
  private static final int PROBED = 20;

  private final Scale scale;
  private final boolean merges;
  private final Auditor auditor;
  private final Condition[] conditions = new Condition[13];
  private final Condition ways;

  /** H_AMOUNT by the district where it was paid; place 0 has the warehouse's sum. */
  private final long[][] paidAt;

  @SuppressWarnings("ArrayRecordComponent")
  private record Sums(long warehouse, long[] districts) {}

  TpccAudit(Scale scale, boolean merges, Auditor auditor) {
    this.scale = scale;
    this.merges = merges;
    this.auditor = auditor;
    this.paidAt = new long[scale.warehouses() + 1][Scale.DISTRICTS + 1];
    String[] names = {
      "W_YTD = sum(D_YTD)",
      "D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID)",
      "max(NO_O_ID) - min(NO_O_ID) + 1 = rows of NEW-ORDER",
      "sum(O_OL_CNT) = rows of ORDER-LINE",
      "O_CARRIER_ID is null if and only if there is a row in NEW-ORDER",
      "O_OL_CNT = rows of ORDER-LINE of the order",
      "OL_DELIVERY_D is null if and only if O_CARRIER_ID is",
      "W_YTD = sum(H_AMOUNT)",
      "D_YTD = sum(H_AMOUNT)",
      "C_BALANCE = sum(OL_AMOUNT delivered) - sum(H_AMOUNT)",
      "rows of ORDER - rows of NEW-ORDER = delivered at first + sum(C_DELIVERY_CNT)",
      "C_BALANCE + C_YTD_PAYMENT = sum(OL_AMOUNT delivered)"
    };
    for (int i = 0; i < names.length; i++) {
      conditions[i + 1] = auditor.condition((i + 1) + ": " + names[i]);
    }
    ways = auditor.condition("secondary access paths lead to the right rows");
  }

  void run() {
    for (int w = 1; w <= scale.warehouses(); w++) {
      for (int d = 1; d <= Scale.DISTRICTS; d++) {
        new District(w, d).audit();
      }
    }
    for (int w = 1; w <= scale.warehouses(); w++) {
      Sums sums = sums(w);
      equal(1, "warehouse " + w, sums.warehouse, Arrays.stream(sums.districts).sum());
      equal(8, "warehouse " + w, sums.warehouse, paidAt[w][0]);
      for (int d = 1; d <= Scale.DISTRICTS; d++) {
        equal(9, "district " + w + "/" + d, sums.districts[d - 1], paidAt[w][d]);
      }
    }
  }

  private void equal(int condition, String where, long left, long right) {
    check(condition, where, left == right, left + " and " + right);
  }

  private void check(int condition, String where, boolean holds, String found) {
    conditions[condition].check(holds, () -> where + ": " + found);
  }

  private Sums sums(int w) {
    long[] warehouse = {Tables.warehouseYtd(w)};
    long[] districts =
        IntStream.rangeClosed(1, Scale.DISTRICTS)
            .mapToLong(d -> Tables.districtYtd(w, d))
            .toArray();
    return auditor.read(
        reader ->
            merges
                ? new Sums(
                    numbers(reader.getAll(Tables.MERGED_WAREHOUSE_YTD, warehouse))[0],
                    numbers(reader.getAll(Tables.MERGED_DISTRICT_YTD, districts)))
                : new Sums(
                    cents(reader.getAll(Tables.WAREHOUSE_YTD, warehouse))[0],
                    cents(reader.getAll(Tables.DISTRICT_YTD, districts))));
  }

  private static long[] numbers(List<@Nullable Long> found) {
    return found.stream().mapToLong(number -> number == null ? 0 : number).toArray();
  }

  private static long[] cents(List<@Nullable Sum> found) {
    return found.stream().mapToLong(sum -> sum == null ? 0 : sum.cents()).toArray();
  }

  /** Reads rows, in as many transactions as necessary. */
  private <R> List<@Nullable R> read(Rows<R> rows, long[] records) {
    List<@Nullable R> all = new ArrayList<>(records.length);
    for (int from = 0; from < records.length; from += AT_ONCE) {
      long[] part = Arrays.copyOfRange(records, from, Math.min(from + AT_ONCE, records.length));
      all.addAll(auditor.<List<@Nullable R>>read(reader -> reader.getAll(rows, part)));
    }
    return all;
  }

  private static int orZero(@Nullable OrderNumber number) {
    return number == null ? 0 : number.order();
  }

  /** One district. Arrays of orders and customers are indexed by number. */
  private final class District {
    private final int w;
    private final int d;
    private final String where;
    private final int customers = scale.customers();

    /** The delivered OL_AMOUNT, by customer. */
    private final long[] delivered = new long[customers + 1];

    /** The newest order, by customer. */
    private final int[] newest = new int[customers + 1];

    private long orderCount;
    private long newOrderCount;

    District(int w, int d) {
      this.w = w;
      this.d = d;
      this.where = "district " + w + "/" + d;
    }

    void audit() {
      int next =
          auditor.read(reader -> orZero(reader.get(Tables.NEXT_ORDER, Tables.nextOrder(w, d))));
      checkOrders(next);
      checkCustomers();
      checkNames();
    }

    private long[] records(int from, int to, IntToLongFunction record) {
      return IntStream.rangeClosed(from, to).mapToLong(record).toArray();
    }

    private void checkOrders(int next) {
      int last = next + PROBED;
      List<@Nullable Order> orders =
          read(Tables.ORDER, records(0, last, o -> Tables.order(w, d, o)));
      List<@Nullable NewOrder> newOrders =
          read(Tables.NEW_ORDER, records(0, last, o -> Tables.newOrder(w, d, o)));
      int maxOrder = 0;
      int minNew = 0;
      int maxNew = 0;
      long announced = 0;
      for (int o = 1; o <= last; o++) {
        Order order = orders.get(o);
        boolean queued = newOrders.get(o) != null;
        if (order != null) {
          maxOrder = o;
          orderCount++;
          announced += order.lines();
        }
        if (queued) {
          minNew = minNew == 0 ? o : minNew;
          maxNew = o;
          newOrderCount++;
        }
        boolean open = order != null && order.carrier() == 0;
        check(
            5,
            "order " + w + "/" + d + "/" + o,
            open == queued,
            (order == null ? "no order" : "carrier " + order.carrier())
                + (queued ? ", a row in NEW-ORDER" : ", no row in NEW-ORDER"));
      }
      check(
          2,
          where,
          next - 1 == maxOrder && (newOrderCount == 0 || maxNew == maxOrder),
          "D_NEXT_O_ID %d, max(O_ID) %d, max(NO_O_ID) %d".formatted(next, maxOrder, maxNew));
      equal(3, where, newOrderCount == 0 ? 0 : maxNew - minNew + 1, newOrderCount);
      int head =
          auditor.read(
              reader -> orZero(reader.get(Tables.OLDEST_NEW_ORDER, Tables.oldestNewOrder(w, d))));
      int oldest = newOrderCount == 0 ? next : minNew;
      ways.check(
          head == oldest, () -> where + ": oldest order not delivered " + head + " and " + oldest);
      equal(4, where, announced, checkLines(orders));
    }

    /** Checks the lines of all orders, and returns their number. */
    private long checkLines(List<@Nullable Order> orders) {
      int atOnce = AT_ONCE / Scale.MAX_LINES;
      long all = 0;
      for (int from = 1; from < orders.size(); from += atOnce) {
        int to = Math.min(from + atOnce, orders.size()) - 1;
        long[] records = new long[(to - from + 1) * Scale.MAX_LINES];
        for (int o = from; o <= to; o++) {
          long[] ofOrder = Tables.orderLines(w, d, o, Scale.MAX_LINES);
          System.arraycopy(ofOrder, 0, records, (o - from) * Scale.MAX_LINES, ofOrder.length);
        }
        List<@Nullable OrderLine> lines = read(Tables.ORDER_LINE, records);
        for (int o = from; o <= to; o++) {
          int at = (o - from) * Scale.MAX_LINES;
          all += checkLines(o, orders.get(o), lines.subList(at, at + Scale.MAX_LINES));
        }
      }
      return all;
    }

    private int checkLines(int number, @Nullable Order order, List<@Nullable OrderLine> lines) {
      int count = 0;
      long amount = 0;
      boolean open = order != null && order.carrier() == 0;
      for (OrderLine line : lines) {
        if (line != null) {
          count++;
          amount += line.delivered() == 0 ? 0 : line.amount();
          check(
              7,
              "order-line " + w + "/" + d + "/" + number + "/" + count,
              open == (line.delivered() == 0),
              "the order is "
                  + (open ? "not " : "")
                  + "delivered, the line was at "
                  + line.delivered());
        }
      }
      equal(6, "order " + w + "/" + d + "/" + number, order == null ? 0 : order.lines(), count);
      if (order != null && order.customer() >= 1 && order.customer() <= customers) {
        delivered[order.customer()] += amount;
        newest[order.customer()] = number;
      }
      return count;
    }

    private void checkCustomers() {
      List<@Nullable Balance> balances =
          read(Tables.BALANCE, records(0, customers, c -> Tables.balance(w, d, c)));
      List<@Nullable OrderNumber> last =
          read(Tables.NEWEST_ORDER, records(0, customers, c -> Tables.newestOrder(w, d, c)));
      long[] paid = payments(balances);
      long deliveries = 0;
      for (int c = 1; c <= customers; c++) {
        Balance found = balances.get(c);
        Balance balance = found == null ? Balance.NONE : found;
        String customer = "customer " + w + "/" + d + "/" + c;
        deliveries += balance.deliveries();
        equal(10, customer, balance.balance(), delivered[c] - paid[c]);
        equal(12, customer, balance.balance() + balance.ytdPayment(), delivered[c]);
        int told = orZero(last.get(c));
        int right = newest[c];
        ways.check(told == right, () -> customer + ": newest order " + told + " and " + right);
      }
      equal(11, where, orderCount - newOrderCount, scale.delivered() + deliveries);
    }

    /**
     * Returns the sums of the customers' payments, and adds each payment to the district where it
     * was made. Also checks that no payment follows the last one that the customer counts.
     */
    private long[] payments(List<@Nullable Balance> balances) {
      LongArrayList records = new LongArrayList();
      IntArrayList whose = new IntArrayList();
      for (int c = 1; c <= customers; c++) {
        Balance balance = balances.get(c);
        int count = balance == null ? 0 : balance.payments();
        for (int n = 1; n <= count + 1; n++) {
          records.add(Tables.history(w, d, c, n));
          whose.add(c);
        }
      }
      long[] sums = new long[customers + 1];
      List<@Nullable History> found = read(Tables.HISTORY, records.toLongArray());
      for (int i = 0; i < found.size(); i++) {
        History payment = found.get(i);
        if (payment != null) {
          sums[whose.getInt(i)] += payment.amount();
          paidAt[payment.warehouse()][0] += payment.amount();
          paidAt[payment.warehouse()][payment.district()] += payment.amount();
        }
      }
      return sums;
    }

    private void checkNames() {
      List<@Nullable Customer> rows =
          read(Tables.CUSTOMER, records(0, customers, c -> Tables.customer(w, d, c)));
      List<@Nullable CustomersByName> byName =
          read(Tables.BY_NAME, records(0, scale.names() - 1, n -> Tables.byName(w, d, n)));
      int listed = 0;
      for (int name = 0; name < byName.size(); name++) {
        String last = RandomTexts.lastName(name);
        String before = "";
        CustomersByName named = byName.get(name);
        for (int c : named == null ? new int[0] : named.customers()) {
          listed++;
          Customer found = c < 1 || c > customers ? null : rows.get(c);
          Customer row = found == null ? Customer.NONE : found;
          boolean right = row.last().equals(last) && row.first().compareTo(before) >= 0;
          ways.check(right, () -> where + ": customer " + c + " in the wrong place under " + last);
          before = row.first();
        }
      }
      int all = listed;
      ways.check(
          all == customers,
          () -> where + ": " + all + " customers by name, " + customers + " there");
    }
  }
}
