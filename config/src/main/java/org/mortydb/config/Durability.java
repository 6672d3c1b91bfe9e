package org.mortydb.config;

import java.util.Locale;

/** What a crash of a server may lose. */
public enum Durability {
  /** Nothing is stored: a server that stops loses everything. */
  MEMORY,

  /** Answers do not wait for a force: a crash of the machine may lose data. */
  ASYNC,

  /** Answers wait until their data are on the medium. */
  SYNC;

  /** The name in the cluster file. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
