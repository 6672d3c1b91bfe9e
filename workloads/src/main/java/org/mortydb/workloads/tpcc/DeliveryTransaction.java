package org.mortydb.workloads.tpcc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Transaction;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.tpcc.TpccRow.Balance;
import org.mortydb.workloads.tpcc.TpccRow.NewOrder;
import org.mortydb.workloads.tpcc.TpccRow.Order;
import org.mortydb.workloads.tpcc.TpccRow.OrderLine;
import org.mortydb.workloads.tpcc.TpccRow.OrderNumber;

/**
 * Delivery, for some districts.
 *
 * @param in the input
 * @param last the last district
 * @param together whether five operations read what it needs of all districts, rather than of one
 *     district after another
 */
record DeliveryTransaction(Input.Delivery in, int last, boolean together) {
  private static final OrderNumber FIRST = new OrderNumber(1);

  /**
   * An order that is due.
   *
   * @param order its row; null as long as it was not read
   */
  private record Due(int district, int number, @Nullable Order order) {
    Due with(@Nullable Order row) {
      return new Due(district, number, row);
    }
  }

  /** Delivers from district {@code first} on. */
  void begin(Transaction<Trace> txn, Context<Trace> ctx, int first) {
    if (first > last) {
      Rows.commit(txn, ctx);
      return;
    }
    long[] oldest = new long[together ? last - first + 1 : 1];
    for (int i = 0; i < oldest.length; i++) {
      oldest[i] = Tables.oldestNewOrder(in.warehouse(), first + i);
    }
    Tables.OLDEST_NEW_ORDER.getAll(
        txn,
        ctx,
        oldest,
        (c, numbers) -> {
          List<Due> due = new ArrayList<>();
          for (int i = 0; i < oldest.length; i++) {
            OrderNumber number = numbers.get(i);
            due.add(new Due(first + i, (number == null ? FIRST : number).order(), null));
          }
          readQueue(txn, c, due, first + oldest.length);
        });
  }

  private void readQueue(Transaction<Trace> txn, Context<Trace> ctx, List<Due> due, int next) {
    int w = in.warehouse();
    long[] queued =
        due.stream().mapToLong(one -> Tables.newOrder(w, one.district, one.number)).toArray();
    Tables.NEW_ORDER.getAll(
        txn,
        ctx,
        queued,
        (c, rows) -> {
          List<Due> left = new ArrayList<>();
          for (int i = 0; i < queued.length; i++) {
            NewOrder row = rows.get(i);
            if (row != null) {
              Due one = due.get(i);
              c = Tables.NEW_ORDER.delete(txn, c, queued[i]);
              c =
                  Tables.OLDEST_NEW_ORDER.put(
                      txn,
                      c,
                      Tables.oldestNewOrder(w, one.district),
                      new OrderNumber(one.number + 1));
              left.add(one);
            }
          }
          readOrders(txn, c, left, next);
        });
  }

  private void readOrders(Transaction<Trace> txn, Context<Trace> ctx, List<Due> due, int next) {
    long[] orders =
        due.stream()
            .mapToLong(one -> Tables.order(in.warehouse(), one.district, one.number))
            .toArray();
    Tables.ORDER.getAll(
        txn,
        ctx,
        orders,
        (c, rows) -> {
          List<Due> left = new ArrayList<>();
          for (int i = 0; i < orders.length; i++) {
            Order order = rows.get(i);
            if (order != null) {
              c = Tables.ORDER.put(txn, c, orders[i], order.deliveredBy(in.carrier()));
              left.add(due.get(i).with(order));
            }
          }
          readLines(txn, c, left, next);
        });
  }

  private long[] lines(Due one) {
    return one.order == null
        ? new long[0]
        : Tables.orderLines(in.warehouse(), one.district, one.number, one.order.lines());
  }

  private void readLines(Transaction<Trace> txn, Context<Trace> ctx, List<Due> due, int next) {
    long[] records = due.stream().flatMapToLong(one -> Arrays.stream(lines(one))).toArray();
    Tables.ORDER_LINE.getAll(
        txn,
        ctx,
        records,
        (c, rows) -> {
          long[] amounts = new long[due.size()];
          int at = 0;
          for (int i = 0; i < amounts.length; i++) {
            for (long record : lines(due.get(i))) {
              OrderLine line = rows.get(at++);
              if (line != null) {
                amounts[i] += line.amount();
                c = Tables.ORDER_LINE.put(txn, c, record, line.deliveredAt(in.nowMillis()));
              }
            }
          }
          readBalances(txn, c, due, amounts, next);
        });
  }

  private void readBalances(
      Transaction<Trace> txn, Context<Trace> ctx, List<Due> due, long[] amounts, int next) {
    long[] records =
        due.stream()
            .mapToLong(
                one ->
                    Tables.balance(
                        in.warehouse(), one.district, one.order == null ? 0 : one.order.customer()))
            .toArray();
    Tables.BALANCE.getAll(
        txn,
        ctx,
        records,
        (c, rows) -> {
          for (int i = 0; i < records.length; i++) {
            Balance balance = rows.get(i);
            c =
                Tables.BALANCE.put(
                    txn,
                    c,
                    records[i],
                    (balance == null ? Balance.NONE : balance).delivered(amounts[i]));
          }
          begin(txn, c, next);
        });
  }
}
