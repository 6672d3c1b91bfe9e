package org.mortydb.storage;

/** When an appended record counts as kept. */
public enum Durability {
  /** When it was forced to the medium. */
  SYNC,

  /**
   * When it was given to the operating system, which is told to force it a little later. The end of
   * the process loses nothing of it, the end of the machine may.
   */
  ASYNC
}
