package org.mortydb.workloads.tpcc;

import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Transaction;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.tpcc.TpccRow.OrderNumber;

/**
 * Order-status, read-only.
 *
 * @param in the input
 */
record OrderStatusTransaction(Input.OrderStatus in) {

  void begin(Transaction<Trace> txn, Context<Trace> ctx) {
    Customers.find(
        txn,
        ctx,
        in.warehouse(),
        in.district(),
        in.who(),
        (c, customer) ->
            Rows.getBoth(
                txn,
                c,
                Tables.CUSTOMER,
                Tables.customer(in.warehouse(), in.district(), customer),
                Tables.BALANCE,
                Tables.balance(in.warehouse(), in.district(), customer),
                (after, row, balance) -> newest(txn, after, customer)));
  }

  private void newest(Transaction<Trace> txn, Context<Trace> ctx, int customer) {
    Tables.NEWEST_ORDER.get(
        txn,
        ctx,
        Tables.newestOrder(in.warehouse(), in.district(), customer),
        OrderNumber.NONE,
        (c, newest) -> {
          if (newest.order() == 0) {
            Rows.commit(txn, c);
          } else {
            order(txn, c, newest.order());
          }
        });
  }

  private void order(Transaction<Trace> txn, Context<Trace> ctx, int number) {
    Tables.ORDER.get(
        txn,
        ctx,
        Tables.order(in.warehouse(), in.district(), number),
        (c, order) ->
            Tables.ORDER_LINE.getAll(
                txn,
                c,
                Tables.orderLines(
                    in.warehouse(), in.district(), number, order == null ? 0 : order.lines()),
                (after, lines) -> Rows.commit(txn, after)));
  }
}
