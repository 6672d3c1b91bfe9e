package org.mortydb.storage;

/** When an appended record counts as kept. */
public enum Durability {
  /** After it was forced to the medium. */
  SYNC,

  /**
   * After it was given to the operating system, which forces it a little later. A crash of the
   * process does not lose it; a crash of the machine may.
   */
  ASYNC
}
