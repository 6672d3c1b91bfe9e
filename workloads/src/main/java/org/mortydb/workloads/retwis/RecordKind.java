package org.mortydb.workloads.retwis;

/** The six records that every user has, each under a key of its own. */
public enum RecordKind {
  /** Name, number of tweets, generation of the registration. */
  PROFILE('p'),
  /** Who follows the user, and whose turn it is to receive the next tweet. */
  FOLLOWERS('f'),
  /** Whom the user follows. */
  FOLLOWING('g'),
  /** The newest tweets of those the user follows. */
  TIMELINE('l'),
  /** The user's own newest tweet. */
  TWEET('t'),
  /** Where the user was last mentioned. */
  MENTION('m');

  private static final RecordKind[] VALUES = values();

  /** How many records a user has. */
  public static final int PER_USER = VALUES.length;

  private final char letter;

  RecordKind(char letter) {
    this.letter = letter;
  }

  /** The first letter of the keys of this kind, and the first byte of their values. */
  char letter() {
    return letter;
  }

  /** The kind at a place in the order of declaration, 0 to {@link #PER_USER} - 1. */
  static RecordKind at(int ordinal) {
    return VALUES[ordinal];
  }
}
