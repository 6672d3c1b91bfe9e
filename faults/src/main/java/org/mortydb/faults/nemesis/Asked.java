package org.mortydb.faults.nemesis;

import org.mortydb.check.jepsen.HistoryCheck;

/** Who carries out what a workload asks for. */
@FunctionalInterface
interface Asked {

  /**
   * Has an operation carried out.
   *
   * @param timeoutMillis after which the answer is that nobody knows
   * @return how it ended
   */
  Reply execute(HistoryCheck workload, Request request, long timeoutMillis)
      throws InterruptedException;
}
