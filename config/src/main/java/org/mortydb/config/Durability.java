package org.mortydb.config;

/** What a server's crash may cost. */
public enum Durability {
  /** Nothing is stored: a server that stops has forgotten everything. */
  MEMORY,

  /** Answers leave before what they rest on is forced: lost only when the machine goes down. */
  ASYNC,

  /** Answers leave when what they rest on is on the medium. */
  SYNC
}
