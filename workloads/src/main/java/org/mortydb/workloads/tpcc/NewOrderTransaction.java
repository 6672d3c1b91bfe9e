package org.mortydb.workloads.tpcc;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
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
    if (together) {
      readItems(txn, c, known);
    } else {
      line(txn, c, known, 0, 0);
    }
  }

  private void readItems(Transaction<Trace> txn, Context<Trace> ctx, Known known) {
    long[] records =
        Arrays.stream(in.lines())
            .mapToLong(line -> Tables.item(in.warehouse(), line.item()))
            .distinct()
            .toArray();
    Tables.ITEM.getAll(
        txn,
        ctx,
        records,
        (c, rows) -> {
          if (rows.contains(null)) {
            txn.abort(c);
            return;
          }
          Map<Long, Item> items = new HashMap<>();
          for (int i = 0; i < records.length; i++) {
            items.put(records[i], Objects.requireNonNull(rows.get(i)));
          }
          readStocks(txn, c, known, items);
        });
  }

  private void readStocks(
      Transaction<Trace> txn, Context<Trace> ctx, Known known, Map<Long, Item> items) {
    long[] records =
        Arrays.stream(in.lines())
            .mapToLong(line -> Tables.stock(line.supplier(), line.item()))
            .distinct()
            .toArray();
    Tables.STOCK.getAll(
        txn,
        ctx,
        records,
        (c, rows) -> {
          Map<Long, Stock> stocks = new LinkedHashMap<>();
          for (int i = 0; i < records.length; i++) {
            Stock stock = rows.get(i);
            stocks.put(records[i], stock == null ? Stock.NONE : stock);
          }
          long total = 0;
          for (int at = 0; at < in.lines().length; at++) {
            Line line = in.lines()[at];
            long record = Tables.stock(line.supplier(), line.item());
            Item item = Objects.requireNonNull(items.get(Tables.item(in.warehouse(), line.item())));
            Stock stock = Objects.requireNonNull(stocks.get(record));
            long amount = (long) line.quantity() * item.price();
            stocks.put(record, ordered(stock, line));
            c = order(txn, c, known, at, stock, amount);
            total += amount;
          }
          for (Map.Entry<Long, Stock> changed : stocks.entrySet()) {
            c = Tables.STOCK.put(txn, c, changed.getKey(), changed.getValue());
          }
          end(txn, c, known, total);
        });
  }

  /** Orders the lines from the {@code at}-th on. */
  private void line(Transaction<Trace> txn, Context<Trace> ctx, Known known, int at, long total) {
    if (at == in.lines().length) {
      end(txn, ctx, known, total);
      return;
    }
    Line line = in.lines()[at];
    Tables.ITEM.get(
        txn,
        ctx,
        Tables.item(in.warehouse(), line.item()),
        (c, item) -> {
          if (item == null) {
            txn.abort(c);
          } else {
            take(txn, c, known, at, total, item);
          }
        });
  }

  private void take(
      Transaction<Trace> txn, Context<Trace> ctx, Known known, int at, long total, Item item) {
    Line line = in.lines()[at];
    long record = Tables.stock(line.supplier(), line.item());
    Tables.STOCK.get(
        txn,
        ctx,
        record,
        Stock.NONE,
        (c, stock) -> {
          long amount = (long) line.quantity() * item.price();
          c = Tables.STOCK.put(txn, c, record, ordered(stock, line));
          c = order(txn, c, known, at, stock, amount);
          line(txn, c, known, at + 1, total + amount);
        });
  }

  private Stock ordered(Stock stock, Line line) {
    return stock.ordered(line.quantity(), line.supplier() != in.warehouse());
  }

  /** Inserts the {@code at}-th order line. */
  private Context<Trace> order(
      Transaction<Trace> txn, Context<Trace> ctx, Known known, int at, Stock stock, long amount) {
    Line line = in.lines()[at];
    return Tables.ORDER_LINE.put(
        txn,
        ctx,
        Tables.orderLine(in.warehouse(), in.district(), known.order, at + 1),
        new OrderLine(
            line.item(),
            line.supplier(),
            0,
            line.quantity(),
            amount,
            stock.districtInfo(in.district())));
  }

  private void end(Transaction<Trace> txn, Context<Trace> ctx, Known known, long total) {
    long discounted = total * (10_000 - known.discount) / 10_000;
    long taxed = discounted * (10_000 + known.tax) / 10_000;
    Rows.commit(txn, ctx.with(ctx.state().telling(taxed)));
  }
}
