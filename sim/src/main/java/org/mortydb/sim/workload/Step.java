package org.mortydb.sim.workload;

/** What a transaction of a {@link Program} may do next. */
public enum Step {
  /** Reads a list. */
  READ_LIST,
  /** Reads a list and writes it with one more element. */
  APPEND,
  /** Reads a register. */
  READ_REGISTER,
  /** Writes a register without reading it. */
  BLIND_WRITE,
  /** Reads a register and writes it. */
  READ_MODIFY_WRITE,
  /** Reads a register and writes another one whose choice depends on what was read. */
  CHASE_POINTER,
  /** Reads a register and, depending on what was read, writes none, one or two others. */
  CONDITIONAL_WRITES,
  /** Reads both keys of a pair; switches one on if both are off, else both off. */
  SKEW_PAIR,
  /** Reads several keys of all kinds in parallel. */
  READ_MANY,
  /** Writes one of few values. */
  WRITE_CONSTANT,
  /** Reads a key and writes what it read. */
  WRITE_SAME,
  /** Writes, or if it is there deletes, a key. */
  TOGGLE,
  /** Writes a register and reads it back. */
  READ_OWN_WRITE,
  /** Reads a range of keys of one kind, or of all. */
  SCAN,
  /**
   * Counts what is there of the deletable keys, and adds one only if few are: bait for phantoms.
   */
  COUNT_AND_ADD
}
