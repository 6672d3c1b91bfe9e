package org.mortydb.transport.config;

/** What a server's crash may cost. */
public enum Durability {
  /** Nothing is stored: a server that stops has forgotten everything. */
  MEMORY
}
