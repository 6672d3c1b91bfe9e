package org.mortydb.storage;

/** How the previous use of a data directory ended. */
public enum LastStop {
  /** There was no previous use: the directory is new. */
  NONE,

  /** By a clean stop. */
  CLEAN,

  /** By a crash; all durable records are there. */
  CRASH
}
