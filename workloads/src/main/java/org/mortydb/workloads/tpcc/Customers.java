package org.mortydb.workloads.tpcc;

import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.Transaction;
import org.mortydb.workloads.tpcc.Input.Who;
import org.mortydb.workloads.tpcc.TpccRow.CustomersByName;

/** Finds customers. */
final class Customers {
  private static final CustomersByName NOBODY = new CustomersByName(new int[0]);

  private Customers() {}

  /** Continues with the customer's id, after a read if the customer is given by name. */
  static void find(
      Transaction<Trace> txn,
      Context<Trace> ctx,
      int warehouse,
      int district,
      Who who,
      Continuation<Trace, Integer> next) {
    if (who.customer() != 0) {
      next.resume(ctx, who.customer());
    } else {
      Tables.BY_NAME.get(
          txn,
          ctx,
          Tables.byName(warehouse, district, who.name()),
          NOBODY,
          (c, named) -> next.resume(c, named.middle()));
    }
  }
}
