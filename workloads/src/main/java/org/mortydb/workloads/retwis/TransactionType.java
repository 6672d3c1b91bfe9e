package org.mortydb.workloads.retwis;

/** The four transactions of Retwis and their shares, as in the TAPIR and Morty papers. */
public enum TransactionType {
  /** One read, three writes. */
  ADD_USER("add user", 5),
  /** Two reads, two writes. */
  FOLLOW("follow", 15),
  /** Three reads, five writes. */
  POST_TWEET("post tweet", 30),
  /** One to ten reads, no write. */
  GET_TIMELINE("get timeline", 50);

  private static final TransactionType[] BY_PERCENTILE = byPercentile();

  private final String label;
  private final int percent;

  TransactionType(String label, int percent) {
    this.label = label;
    this.percent = percent;
  }

  /** The name for readers. */
  public String label() {
    return label;
  }

  /** The share of all transactions, in percent. */
  public int percent() {
    return percent;
  }

  /**
   * The type that a uniform draw stands for.
   *
   * @param draw 0 to 99
   */
  static TransactionType of(int draw) {
    return BY_PERCENTILE[draw];
  }

  private static TransactionType[] byPercentile() {
    TransactionType[] table = new TransactionType[100];
    int at = 0;
    for (TransactionType type : values()) {
      for (int i = 0; i < type.percent; i++) {
        table[at++] = type;
      }
    }
    if (at != table.length) {
      throw new AssertionError("the shares add up to " + at + " %");
    }
    return table;
  }
}
