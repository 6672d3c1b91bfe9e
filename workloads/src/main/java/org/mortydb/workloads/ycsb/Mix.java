package org.mortydb.workloads.ycsb;

import org.mortydb.workloads.sampling.Shares;

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

  private static final YcsbOperation.Kind[] KINDS = YcsbOperation.Kind.values();

  private final int[] percent;

  Mix(int read, int update, int insert, int scan, int readModifyWrite) {
    percent = new int[] {read, update, insert, scan, readModifyWrite};
  }

  /** The share of a kind of operation, in percent. */
  int percent(YcsbOperation.Kind kind) {
    return percent[kind.ordinal()];
  }

  /** The kind that a uniform draw from 0 to 99 stands for. */
  YcsbOperation.Kind kind(int draw) {
    return Shares.pick(KINDS, this::percent, draw);
  }
}
