package org.mortydb.workloads.tpcc;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Transaction;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.tpcc.TpccRow.Balance;
import org.mortydb.workloads.tpcc.TpccRow.Order;
import org.mortydb.workloads.tpcc.TpccRow.OrderLine;
import org.mortydb.workloads.tpcc.TpccRow.OrderNumber;

/**
 * Delivery, for some districts one after another.
 *
 * @param in the input
 * @param last the last district
 */
record DeliveryTransaction(Input.Delivery in, int last) {
  private static final OrderNumber FIRST = new OrderNumber(1);

  /** Delivers from district {@code d} on. */
  void begin(Transaction<Trace> txn, Context<Trace> ctx, int d) {
    if (d > last) {
      Rows.commit(txn, ctx);
      return;
    }
    int w = in.warehouse();
    long oldest = Tables.oldestNewOrder(w, d);
    Tables.OLDEST_NEW_ORDER.get(
        txn,
        ctx,
        oldest,
        FIRST,
        (c, number) -> {
          int order = number.order();
          long queued = Tables.newOrder(w, d, order);
          Tables.NEW_ORDER.get(
              txn,
              c,
              queued,
              (after, newOrder) -> {
                if (newOrder == null) {
                  begin(txn, after, d + 1);
                } else {
                  after = Tables.NEW_ORDER.delete(txn, after, queued);
                  after =
                      Tables.OLDEST_NEW_ORDER.put(txn, after, oldest, new OrderNumber(order + 1));
                  deliver(txn, after, d, order);
                }
              });
        });
  }

  private void deliver(Transaction<Trace> txn, Context<Trace> ctx, int d, int number) {
    int w = in.warehouse();
    long record = Tables.order(w, d, number);
    Tables.ORDER.get(
        txn,
        ctx,
        record,
        (c, order) -> {
          if (order == null) {
            begin(txn, c, d + 1);
            return;
          }
          c = Tables.ORDER.put(txn, c, record, order.deliveredBy(in.carrier()));
          long[] lines = Tables.orderLines(w, d, number, order.lines());
          Tables.ORDER_LINE.getAll(
              txn, c, lines, (after, rows) -> deliver(txn, after, d, order, lines, rows));
        });
  }

  private void deliver(
      Transaction<Trace> txn,
      Context<Trace> ctx,
      int d,
      Order order,
      long[] records,
      List<@Nullable OrderLine> rows) {
    Context<Trace> c = ctx;
    long total = 0;
    for (int i = 0; i < records.length; i++) {
      OrderLine line = rows.get(i);
      if (line != null) {
        total += line.amount();
        c = Tables.ORDER_LINE.put(txn, c, records[i], line.deliveredAt(in.nowMillis()));
      }
    }
    long amount = total;
    long record = Tables.balance(in.warehouse(), d, order.customer());
    Tables.BALANCE.get(
        txn,
        c,
        record,
        Balance.NONE,
        (after, balance) -> {
          after = Tables.BALANCE.put(txn, after, record, balance.delivered(amount));
          begin(txn, after, d + 1);
        });
  }
}
