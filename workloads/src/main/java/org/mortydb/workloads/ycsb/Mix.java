package org.mortydb.workloads.ycsb;

/** The six mixes of operations, in percent. */
public enum Mix {
  /** Half reads, half updates. */
  A(50, 50, 0, 0, 0),
  /** Mostly reads. */
  B(95, 5, 0, 0, 0),
  /** Only reads. */
  C(100, 0, 0, 0, 0),
  /** Reads of recently inserted records. */
  D(95, 0, 5, 0, 0),
  /** Short scans. */
  E(0, 0, 5, 95, 0),
  /** Half reads, half reads that are followed by a write. */
  F(50, 0, 0, 0, 50);

  private final int[] percent;

  Mix(int read, int update, int insert, int scan, int readModifyWrite) {
    percent = new int[] {read, update, insert, scan, readModifyWrite};
  }

  /** The share of a kind of operation, in percent. */
  int percent(YcsbOperation.Kind kind) {
    return percent[kind.ordinal()];
  }

  /**
   * The kind that a uniform draw stands for.
   *
   * @param draw 0 to 99
   */
  YcsbOperation.Kind kind(int draw) {
    int rest = draw;
    for (YcsbOperation.Kind kind : YcsbOperation.Kind.values()) {
      if (rest < percent(kind)) {
        return kind;
      }
      rest -= percent(kind);
    }
    throw new IllegalArgumentException("the shares add up to less than " + draw + " %");
  }

  /** Whether records are inserted. */
  boolean inserts() {
    return percent(YcsbOperation.Kind.INSERT) > 0;
  }
}
