package org.mortydb.experiments.chain;

import java.util.Locale;

/** What passes the time of a segment, whatever part it belongs to. */
public enum Medium {
  /** A message is between two regions. */
  CROSSING,
  /** A message is between two machines of a region. */
  LOCAL,
  /** Something waits for a core, or runs on it. */
  PROCESSOR,
  /** A timer runs. */
  TIMER,
  /** Not followed. */
  UNKNOWN;

  /** The part that a segment of the version's direct way belongs to. */
  Part direct() {
    return switch (this) {
      case CROSSING -> Part.CROSSING;
      case LOCAL -> Part.LOCAL;
      case PROCESSOR -> Part.PROCESSOR;
      case TIMER, UNKNOWN -> Part.REST;
    };
  }

  /** The name in tables. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
