package org.mortydb.workloads.tpcc;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Transaction;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.tpcc.TpccRow.Order;
import org.mortydb.workloads.tpcc.TpccRow.OrderLine;
import org.mortydb.workloads.tpcc.TpccRow.OrderNumber;

/**
 * Stock-level, read-only.
 *
 * @param in the input
 */
record StockLevelTransaction(Input.StockLevel in) {
  private static final int ORDERS = 20;
  private static final OrderNumber FIRST = new OrderNumber(1);

  void begin(Transaction<Trace> txn, Context<Trace> ctx) {
    Tables.NEXT_ORDER.get(
        txn,
        ctx,
        Tables.nextOrder(in.warehouse(), in.district()),
        FIRST,
        (c, next) -> {
          int first = Math.max(1, next.order() - ORDERS);
          long[] records = new long[next.order() - first];
          for (int i = 0; i < records.length; i++) {
            records[i] = Tables.order(in.warehouse(), in.district(), first + i);
          }
          Tables.ORDER.getAll(
              txn, c, records, (after, orders) -> readLines(txn, after, first, orders));
        });
  }

  private void readLines(
      Transaction<Trace> txn, Context<Trace> ctx, int first, List<@Nullable Order> orders) {
    long[] records = new long[orders.size() * Scale.MAX_LINES];
    int n = 0;
    for (int i = 0; i < orders.size(); i++) {
      Order order = orders.get(i);
      for (int line = 1; order != null && line <= order.lines(); line++) {
        records[n++] = Tables.orderLine(in.warehouse(), in.district(), first + i, line);
      }
    }
    Tables.ORDER_LINE.getAll(
        txn, ctx, java.util.Arrays.copyOf(records, n), (c, lines) -> readStocks(txn, c, lines));
  }

  private void readStocks(
      Transaction<Trace> txn, Context<Trace> ctx, List<@Nullable OrderLine> lines) {
    long[] stocks =
        lines.stream()
            .filter(Objects::nonNull)
            .mapToLong(line -> Tables.stock(in.warehouse(), line.item()))
            .distinct()
            .toArray();
    Tables.STOCK.getAll(
        txn,
        ctx,
        stocks,
        (c, rows) -> {
          int low = 0;
          for (var stock : rows) {
            if (stock != null && stock.quantity() < in.threshold()) {
              low++;
            }
          }
          Rows.commit(txn, c.with(c.state().telling(low)));
        });
  }
}
