package org.mortydb.workloads.smallbank;

/** The six transactions and their shares. */
enum TransactionType {
  BALANCE("balance", 15),
  DEPOSIT_CHECKING("deposit checking", 15),
  TRANSACT_SAVINGS("transact savings", 15),
  AMALGAMATE("amalgamate", 15),
  WRITE_CHECK("write check", 15),
  SEND_PAYMENT("send payment", 25);

  private final String label;
  private final int percent;

  TransactionType(String label, int percent) {
    this.label = label;
    this.percent = percent;
  }

  String label() {
    return label;
  }

  /** Whether it writes nothing. */
  boolean isReadOnly() {
    return this == BALANCE;
  }

  int percent() {
    return percent;
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
