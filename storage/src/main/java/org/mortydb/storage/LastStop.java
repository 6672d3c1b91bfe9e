package org.mortydb.storage;

/** How the use of a data directory ended before this start. */
public enum LastStop {
  /** There was none: the directory is new. */
  NONE,

  /** In order. */
  CLEAN,

  /** By a crash; whatever was durable is there. */
  CRASH
}
