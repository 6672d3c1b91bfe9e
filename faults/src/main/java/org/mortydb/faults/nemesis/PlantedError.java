package org.mortydb.faults.nemesis;

import java.util.Locale;

/** An error of the clients on purpose: a run with it must fail. The store is not involved. */
public enum PlantedError {
  /** None: clients are honest. */
  NONE,
  /** A transaction runs in pieces that commit one by one. */
  SPLIT,
  /** One of twenty transactions that write is rolled back and reported as committed. */
  FORGET,
  /** One of twenty transactions that write commits and is reported as failed. */
  MISREPORT;

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
