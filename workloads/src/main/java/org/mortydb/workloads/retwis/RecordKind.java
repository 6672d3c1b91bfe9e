package org.mortydb.workloads.retwis;

/** The six records of each user. Each has a key of its own. */
public enum RecordKind {
  /** Name, number of tweets, generation of the registration. */
  PROFILE('p'),
  /** The user's followers, and whose turn it is to receive the next tweet. */
  FOLLOWERS('f'),
  /** The users that this user follows. */
  FOLLOWING('g'),
  /** The newest tweets of the followed users. */
  TIMELINE('l'),
  /** The user's own newest tweet. */
  TWEET('t'),
  /** The last tweet that mentions the user. */
  MENTION('m');

  private static final RecordKind[] VALUES = values();

  /** The number of records of each user. */
  public static final int PER_USER = VALUES.length;

  private final char letter;

  RecordKind(char letter) {
    this.letter = letter;
  }

  /** The first letter of the keys of this kind, and the first byte of their values. */
  char letter() {
    return letter;
  }

  /** The kind at a position in the order of declaration, 0 to {@link #PER_USER} - 1. */
  static RecordKind at(int ordinal) {
    return VALUES[ordinal];
  }
}
