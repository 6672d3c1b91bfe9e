package org.mortydb.sim.workload;

import java.util.EnumSet;
import java.util.Set;

/** The steps of a {@link Program}. */
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
  /** Reads a register and writes another one, chosen by the value read. */
  CHASE_POINTER,
  /** Reads a register and writes up to two others, depending on the value read. */
  CONDITIONAL_WRITES,
  /** Reads both keys of a pair; switches one on if both are off, and otherwise both off. */
  SKEW_PAIR,
  /** Reads several keys of all kinds in parallel. */
  READ_MANY,
  /** Writes one of few values. */
  WRITE_CONSTANT,
  /** Reads a key and writes what it read. */
  WRITE_SAME,
  /** Writes a key if it is absent, and otherwise deletes it. */
  TOGGLE,
  /** Writes a register and reads it back. */
  READ_OWN_WRITE,
  /** Scans a range of keys. */
  SCAN,
  /** Counts the deletable keys, and adds one only if there are few, to provoke phantoms. */
  COUNT_AND_ADD,
  /** Merges into a counter, without reading it. */
  MERGE,
  /** Reads a counter. */
  READ_COUNTER,
  /** Puts a counter, or deletes it. */
  RESET_COUNTER;

  /** The steps on counters. */
  static final Set<Step> ON_COUNTERS = EnumSet.of(MERGE, READ_COUNTER, RESET_COUNTER);
}
