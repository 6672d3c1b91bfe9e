package org.mortydb.experiments.chain;

import java.util.Locale;

/**
 * The parts of a step's time. The first three are the way of the version from the client of its
 * writer over a replica to the client of its reader. All others are waits beyond that.
 */
public enum Part {
  /** Network delay between regions, on the version's way. */
  CROSSING,
  /** Network delay within a region, on the version's way. */
  LOCAL,
  /** Time in queues of cores and on them, on the version's way. */
  PROCESSOR,
  /**
   * The predecessor's vote did not hold at the replica, or the reader learnt of the version by an
   * abandoned vote: waiting for a later vote.
   */
  REVOTE("re-vote"),
  /** A transaction between predecessor and reader hid the version, and aborted or withdrew. */
  ABORTED("aborted neighbour"),
  /** The version settled only with an outcome. */
  OUTCOME,
  /** The predecessor's vote waited at the replica for a version that the predecessor had read. */
  OLDER("older version"),
  /** The reader had the version, and waited for a version of another key. */
  OTHER_KEY("other key"),
  /** The reader had not begun, or had not come as far. */
  LATE("late reader"),
  /** Not explained. */
  REST;

  private final String label;

  Part() {
    this.label = name().toLowerCase(Locale.ROOT);
  }

  Part(String label) {
    this.label = label;
  }

  /** The name in tables. */
  public String label() {
    return label;
  }
}
