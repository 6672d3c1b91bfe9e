package org.mortydb.faults.durability;

/** A part of the measurement, in the order in which the parts run. */
public enum DurabilityPart {
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
  TLS
}
