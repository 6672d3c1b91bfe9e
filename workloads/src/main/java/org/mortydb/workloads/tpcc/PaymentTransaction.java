package org.mortydb.workloads.tpcc;

import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Transaction;
import org.mortydb.workloads.rows.MergedRows;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.tpcc.TpccRow.Balance;
import org.mortydb.workloads.tpcc.TpccRow.Customer;
import org.mortydb.workloads.tpcc.TpccRow.CustomerData;
import org.mortydb.workloads.tpcc.TpccRow.District;
import org.mortydb.workloads.tpcc.TpccRow.History;
import org.mortydb.workloads.tpcc.TpccRow.Sum;
import org.mortydb.workloads.tpcc.TpccRow.Warehouse;

/**
 * Payment.
 *
 * @param in the input
 * @param merges whether it adds to the sums of warehouse and district without reading them
 */
record PaymentTransaction(Input.Payment in, boolean merges) {

  void begin(Transaction<Trace> txn, Context<Trace> ctx) {
    long ytd = Tables.warehouseYtd(in.warehouse());
    if (merges) {
      Tables.WAREHOUSE.get(
          txn,
          ctx,
          Tables.warehouse(in.warehouse()),
          Warehouse.NONE,
          (c, warehouse) -> {
            c = MergedRows.add(Tables.MERGED_WAREHOUSE_YTD, txn, c, ytd, in.amount());
            payDistrict(txn, c, warehouse.name());
          });
      return;
    }
    Rows.getBoth(
        txn,
        ctx,
        Tables.WAREHOUSE,
        Tables.warehouse(in.warehouse()),
        Tables.WAREHOUSE_YTD,
        ytd,
        (c, found, sum) -> {
          Warehouse warehouse = found == null ? Warehouse.NONE : found;
          c =
              Tables.WAREHOUSE_YTD.put(
                  txn, c, ytd, (sum == null ? Sum.NONE : sum).plus(in.amount()));
          payDistrict(txn, c, warehouse.name());
        });
  }

  private void payDistrict(Transaction<Trace> txn, Context<Trace> ctx, String warehouse) {
    long ytd = Tables.districtYtd(in.warehouse(), in.district());
    if (merges) {
      Tables.DISTRICT.get(
          txn,
          ctx,
          Tables.district(in.warehouse(), in.district()),
          District.NONE,
          (c, district) -> {
            c = MergedRows.add(Tables.MERGED_DISTRICT_YTD, txn, c, ytd, in.amount());
            findCustomer(txn, c, warehouse + "    " + district.name());
          });
      return;
    }
    Rows.getBoth(
        txn,
        ctx,
        Tables.DISTRICT,
        Tables.district(in.warehouse(), in.district()),
        Tables.DISTRICT_YTD,
        ytd,
        (c, found, sum) -> {
          District district = found == null ? District.NONE : found;
          c =
              Tables.DISTRICT_YTD.put(
                  txn, c, ytd, (sum == null ? Sum.NONE : sum).plus(in.amount()));
          findCustomer(txn, c, warehouse + "    " + district.name());
        });
  }

  private void findCustomer(Transaction<Trace> txn, Context<Trace> ctx, String data) {
    Customers.find(
        txn,
        ctx,
        in.customerWarehouse(),
        in.customerDistrict(),
        in.who(),
        (c, customer) -> pay(txn, c, customer, data));
  }

  private void pay(Transaction<Trace> txn, Context<Trace> ctx, int id, String data) {
    int w = in.customerWarehouse();
    int d = in.customerDistrict();
    long record = Tables.balance(w, d, id);
    Rows.getBoth(
        txn,
        ctx,
        Tables.CUSTOMER,
        Tables.customer(w, d, id),
        Tables.BALANCE,
        record,
        (c, found, before) -> {
          Customer customer = found == null ? Customer.NONE : found;
          Balance balance = (before == null ? Balance.NONE : before).paid(in.amount());
          c = Tables.BALANCE.put(txn, c, record, balance);
          if (customer.goodCredit()) {
            record(txn, c, id, balance.payments(), data);
          } else {
            note(txn, c, id, balance.payments(), data);
          }
        });
  }

  /** Notes the payment in the data of a customer with bad credit. */
  private void note(
      Transaction<Trace> txn, Context<Trace> ctx, int customer, int payment, String data) {
    long record = Tables.customerData(in.customerWarehouse(), in.customerDistrict(), customer);
    String line =
        "%d %d %d %d %d %d|"
            .formatted(
                customer,
                in.customerDistrict(),
                in.customerWarehouse(),
                in.district(),
                in.warehouse(),
                in.amount());
    Tables.CUSTOMER_DATA.get(
        txn,
        ctx,
        record,
        CustomerData.NONE,
        (c, text) -> {
          c = Tables.CUSTOMER_DATA.put(txn, c, record, text.with(line));
          record(txn, c, customer, payment, data);
        });
  }

  private void record(
      Transaction<Trace> txn, Context<Trace> ctx, int customer, int payment, String data) {
    long record = Tables.history(in.customerWarehouse(), in.customerDistrict(), customer, payment);
    History row = new History(in.warehouse(), in.district(), in.nowMillis(), in.amount(), data);
    Rows.commit(txn, Tables.HISTORY.put(txn, ctx, record, row));
  }
}
