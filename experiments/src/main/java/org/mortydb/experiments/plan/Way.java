package org.mortydb.experiments.plan;

import java.util.Locale;

/** How a point is run. */
public enum Way {
  /** Servers and clients on this machine, on its clock. */
  REAL,

  /** The same state machines in virtual time, with processor costs that were measured before. */
  SIMULATED;

  /** Its name in definitions and records. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
