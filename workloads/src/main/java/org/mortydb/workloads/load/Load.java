package org.mortydb.workloads.load;

/** Something that keeps sessions busy. Safe for use by several threads. */
interface Load {

  /** Begins. */
  void start();

  /** Begins no more transactions; those under way go on. */
  void stop();

  /** How many transactions are under way. */
  int underWay();
}
