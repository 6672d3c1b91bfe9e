package org.mortydb.experiments.plan;

import java.util.Locale;

/** The ways of running a point. */
public enum Way {
  /** Real servers and clients on this machine. */
  REAL,

  /** Real servers and clients on the hosts of agents. */
  DEPLOYED,

  /** The same state machines in virtual time, with measured processor costs. */
  SIMULATED;

  /** Its name in definitions and records. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
