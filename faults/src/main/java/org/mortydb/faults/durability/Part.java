package org.mortydb.faults.durability;

import java.util.Locale;

/** What is measured; in the order in which it is. */
public enum Part {
  /** Throughput and processor time of the three durabilities. */
  MODES,
  /** From the death of a coordinator to the decision of its transaction. */
  DEATH,
  /** From the start of a server that has stored many keys until it serves. */
  RESTART,
  /** From the start of a server that has missed many keys until it has them. */
  CATCH_UP,
  /** What checkpoints and truncation add to the latency of others. */
  PAUSES,
  /** Latency and processor time under different garbage collectors. */
  COLLECTORS,
  /** Latency and processor time with and without encryption. */
  TLS;

  /** The name on the command line and in records. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
