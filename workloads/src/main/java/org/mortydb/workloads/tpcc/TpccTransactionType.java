package org.mortydb.workloads.tpcc;

import org.mortydb.workloads.sampling.Shares;

/** The five transactions and their shares. */
enum TpccTransactionType {
  NEW_ORDER("new order", 45),
  PAYMENT("payment", 43),
  ORDER_STATUS("order status", 4),
  DELIVERY("delivery", 4),
  STOCK_LEVEL("stock level", 4);

  private static final TpccTransactionType[] TYPES = values();

  private final String label;
  private final int percent;

  TpccTransactionType(String label, int percent) {
    this.label = label;
    this.percent = percent;
  }

  String label() {
    return label;
  }

  int percent() {
    return percent;
  }

  /** Whether the transaction writes nothing. */
  boolean isReadOnly() {
    return this == ORDER_STATUS || this == STOCK_LEVEL;
  }

  /** The type that a uniform draw from 0 to 99 stands for. */
  static TpccTransactionType of(int draw) {
    return Shares.pick(TYPES, TpccTransactionType::percent, draw);
  }
}
