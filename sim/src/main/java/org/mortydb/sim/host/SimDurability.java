package org.mortydb.sim.host;

/** What a crash keeps. */
public enum SimDurability {
  /** A server forces each record before it sends what depends on it, and restarts with its disk. */
  SYNC,
  /**
   * A server sends what depends on a record at once, and forces the record later. A crash of the
   * process keeps everything. A power failure keeps a prefix; then the server must rejoin.
   */
  ASYNC,
  /**
   * A crash keeps nothing. The server must rejoin, because quorums may still count its earlier
   * votes and acceptances.
   */
  MEMORY
}
