package org.mortydb.workloads.smallbank;

import org.mortydb.workloads.sampling.Shares;

/** The six transactions and their shares. */
enum SmallBankTransactionType {
  BALANCE("balance", 15),
  DEPOSIT_CHECKING("deposit checking", 15),
  TRANSACT_SAVINGS("transact savings", 15),
  AMALGAMATE("amalgamate", 15),
  WRITE_CHECK("write check", 15),
  SEND_PAYMENT("send payment", 25);

  private static final SmallBankTransactionType[] TYPES = values();

  private final String label;
  private final int percent;

  SmallBankTransactionType(String label, int percent) {
    this.label = label;
    this.percent = percent;
  }

  String label() {
    return label;
  }

  /** Whether the transaction writes nothing. */
  boolean isReadOnly() {
    return this == BALANCE;
  }

  int percent() {
    return percent;
  }

  /** The type that a uniform draw from 0 to 99 stands for. */
  static SmallBankTransactionType of(int draw) {
    return Shares.pick(TYPES, SmallBankTransactionType::percent, draw);
  }
}
