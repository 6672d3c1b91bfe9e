package org.mortydb.sim.host;

/** What servers keep across a crash. */
public enum Durability {
  /** Every record is forced before what depends on it leaves; a server comes back with its disk. */
  SYNC,
  /**
   * Nothing is kept. A server that crashed has to rejoin: its votes and acceptances still count in
   * somebody's quorum, so it must not come back as if it had never given them.
   */
  MEMORY
}
