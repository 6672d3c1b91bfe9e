package org.mortydb.faults.nemesis;

import java.util.Locale;

/**
 * How clients deceive the test on purpose, to see that it is found out. The store has no part in
 * it.
 */
public enum PlantedError {
  /** They are honest. */
  NONE,
  /** A transaction runs in pieces, each of which commits on its own. */
  SPLIT,
  /** One of twenty transactions that write is rolled back and called committed. */
  FORGET,
  /** One of twenty transactions that write commits and is called failed. */
  MISREPORT;

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
