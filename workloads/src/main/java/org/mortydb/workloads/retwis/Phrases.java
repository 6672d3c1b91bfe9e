package org.mortydb.workloads.retwis;

import java.util.random.RandomGenerator;

/** Words for tweets and names for users. */
final class Phrases {
  private static final String[] NAMES = {
    "ada", "alan", "barbara", "butler", "donald", "edgar", "edsger", "frances", "grace", "hedy",
    "jim", "john", "katherine", "leslie", "margaret", "nancy", "niklaus", "radia", "robin", "tony"
  };
  private static final String TEXT =
      "the train leaves at seven and nobody has packed yet, so bring bread, coffee and the good"
          + " umbrella; my neighbour plays the trumpet again and the cat has left the room; today"
          + " the lake was frozen for the first time this year and half the town stood on it; who"
          + " else thinks that maps should be drawn by people who walk; the second chapter is"
          + " finally done and it is shorter than the first; somebody left a piano on the pavement"
          + " and by noon there was a queue; if you know a shop that still repairs radios, tell"
          + " me; rain since five, so the match is off and the soup is on; we counted storks, and"
          + " there were eleven";
  private static final int SHORTEST = 24;
  private static final int LONGEST = 84;

  private Phrases() {}

  static String name(RandomGenerator random) {
    return NAMES[random.nextInt(NAMES.length)] + '.' + NAMES[random.nextInt(NAMES.length)];
  }

  static String text(RandomGenerator random) {
    int length = random.nextInt(SHORTEST, LONGEST + 1);
    int from = random.nextInt(TEXT.length() - length + 1);
    return TEXT.substring(from, from + length);
  }
}
