package org.mortydb.workloads.load;

/** Keeps sessions busy. Safe for use by several threads. */
interface Load {

  /** Starts the load. */
  void start();

  /** Begins no more transactions; running ones continue. */
  void stop();

  /** The number of running transactions. */
  int underWay();
}
