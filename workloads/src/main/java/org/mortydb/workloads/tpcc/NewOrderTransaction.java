package org.mortydb.workloads.tpcc;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Transaction;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.tpcc.Input.Line;
import org.mortydb.workloads.tpcc.TpccRow.Customer;
import org.mortydb.workloads.tpcc.TpccRow.District;
import org.mortydb.workloads.tpcc.TpccRow.Item;
import org.mortydb.workloads.tpcc.TpccRow.NewOrder;
import org.mortydb.workloads.tpcc.TpccRow.Order;
import org.mortydb.workloads.tpcc.TpccRow.OrderLine;
import org.mortydb.workloads.tpcc.TpccRow.OrderNumber;
import org.mortydb.workloads.tpcc.TpccRow.Stock;
import org.mortydb.workloads.tpcc.TpccRow.Warehouse;

/**
 * New-order. In all five transactions, a missing row is treated as an empty one. Before a
 * transaction commits, its reads may belong to different moments, so a missing row proves nothing.
 *
 * @param in the input
 * @param together whether it reads all items in one operation, and then all stocks
 */
record NewOrderTransaction(Input.NewOrder in, boolean together) {
  private static final OrderNumber FIRST = new OrderNumber(1);

  /**
   * The values that the transaction knows after its first reads.
   *
   * @param order the order's number
   * @param tax the sum of the taxes of warehouse and district
   */
  private record Known(int order, int tax, int discount) {}

  void begin(Transaction<Trace> txn, Context<Trace> ctx) {
    Tables.WAREHOUSE.get(
        txn,
        ctx,
        Tables.warehouse(in.warehouse()),
        Warehouse.NONE,
        (c, warehouse) -> takeNumber(txn, c, warehouse));
  }

  private void takeNumber(Transaction<Trace> txn, Context<Trace> ctx, Warehouse warehouse) {
    long next = Tables.nextOrder(in.warehouse(), in.district());
    Rows.getBoth(
        txn,
        ctx,
        Tables.DISTRICT,
        Tables.district(in.warehouse(), in.district()),
        Tables.NEXT_ORDER,
        next,
        (c, found, number) -> {
          District district = found == null ? District.NONE : found;
          int order = (number == null ? FIRST : number).order();
          c = Tables.NEXT_ORDER.put(txn, c, next, new OrderNumber(order + 1));
          Tables.CUSTOMER.get(
              txn,
              c,
              Tables.customer(in.warehouse(), in.district(), in.customer()),
              Customer.NONE,
              (after, customer) ->
                  insert(
                      txn,
                      after,
                      new Known(order, warehouse.tax() + district.tax(), customer.discount())));
        });
  }

  private void insert(Transaction<Trace> txn, Context<Trace> ctx, Known known) {
    int w = in.warehouse();
    int d = in.district();
    OrderNumber order = new OrderNumber(known.order);
    Order row = new Order(in.customer(), in.nowMillis(), 0, in.lines().length, in.allLocal());
    Context<Trace> c = Tables.ORDER.put(txn, ctx, Tables.order(w, d, order.order()), row);
    c = Tables.NEWEST_ORDER.put(txn, c, Tables.newestOrder(w, d, in.customer()), order);
    c = Tables.NEW_ORDER.put(txn, c, Tables.newOrder(w, d, order.order()), new NewOrder());
    readItems(txn, c, known, 0, 0);
  }

  /** Orders the lines from the {@code first}-th on: all of them, or one after another. */
  private void readItems(
      Transaction<Trace> txn, Context<Trace> ctx, Known known, int first, long total) {
    if (first == in.lines().length) {
      end(txn, ctx, known, total);
      return;
    }
    Line[] lines = Arrays.copyOfRange(in.lines(), first, together ? in.lines().length : first + 1);
    Tables.ITEM.getAll(
        txn,
        ctx,
        records(lines, line -> Tables.item(in.warehouse(), line.item())),
        (c, items) -> {
          if (items.contains(null)) {
            txn.abort(c);
          } else {
            readStocks(txn, c, known, first, total, lines, items);
          }
        });
  }

  private void readStocks(
      Transaction<Trace> txn,
      Context<Trace> ctx,
      Known known,
      int first,
      long total,
      Line[] lines,
      List<@Nullable Item> items) {
    long[] records = records(lines, line -> Tables.stock(line.supplier(), line.item()));
    Tables.STOCK.getAll(
        txn,
        ctx,
        records,
        (c, rows) -> {
          Map<Long, Stock> changed = new HashMap<>(); // lines may have the same item
          long sum = total;
          for (int i = 0; i < lines.length; i++) {
            Line line = lines[i];
            Stock row = rows.get(i);
            Stock stock = changed.getOrDefault(records[i], row == null ? Stock.NONE : row);
            Stock next = stock.ordered(line.quantity(), line.supplier() != in.warehouse());
            changed.put(records[i], next);
            long amount = (long) line.quantity() * requireNonNull(items.get(i)).price();
            sum += amount;
            c = Tables.STOCK.put(txn, c, records[i], next);
            c =
                Tables.ORDER_LINE.put(
                    txn,
                    c,
                    Tables.orderLine(in.warehouse(), in.district(), known.order, first + i + 1),
                    new OrderLine(
                        line.item(),
                        line.supplier(),
                        0,
                        line.quantity(),
                        amount,
                        stock.districtInfo(in.district())));
          }
          readItems(txn, c, known, first + lines.length, sum);
        });
  }

  private static long[] records(Line[] lines, ToLongFunction<Line> record) {
    return Arrays.stream(lines).mapToLong(record).toArray();
  }

  private void end(Transaction<Trace> txn, Context<Trace> ctx, Known known, long total) {
    long discounted = total * (10_000 - known.discount) / 10_000;
    long taxed = discounted * (10_000 + known.tax) / 10_000;
    Rows.commit(txn, ctx.with(ctx.state().telling(taxed)));
  }
}
