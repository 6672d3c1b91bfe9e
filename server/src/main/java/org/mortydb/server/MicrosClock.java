package org.mortydb.server;

import java.time.Instant;

/** The wall clock of replicas. Tests inject skew and drift here. Safe for any thread. */
@FunctionalInterface
public interface MicrosClock {

  /** The clock of the machine. */
  MicrosClock SYSTEM =
      () -> {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000L + now.getNano() / 1_000;
      };

  /** Returns microseconds since 1970; may jump in either direction. */
  long nowMicros();
}
