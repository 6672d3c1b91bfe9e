package org.mortydb.workloads.tpcc;

/** The five transactions and their shares. */
enum TransactionType {
  NEW_ORDER("new order", 45),
  PAYMENT("payment", 43),
  ORDER_STATUS("order status", 4),
  DELIVERY("delivery", 4),
  STOCK_LEVEL("stock level", 4);

  private final String label;
  private final int percent;

  TransactionType(String label, int percent) {
    this.label = label;
    this.percent = percent;
  }

  String label() {
    return label;
  }

  int percent() {
    return percent;
  }

  /** Whether it writes nothing. */
  boolean isReadOnly() {
    return this == ORDER_STATUS || this == STOCK_LEVEL;
  }

  /**
   * The type that a uniform draw stands for.
   *
   * @param draw 0 to 99
   */
  static TransactionType of(int draw) {
    int rest = draw;
    for (TransactionType type : values()) {
      if (rest < type.percent) {
        return type;
      }
      rest -= type.percent;
    }
    throw new IllegalArgumentException("the shares add up to less than " + draw + " %");
  }
}
