package org.mortydb.workloads.tpcc;

import java.util.random.RandomGenerator;

/** The standard's random texts. */
final class RandomTexts {
  private static final String[] SYLLABLES = {
    "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"
  };
  private static final String ALPHANUMERIC =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final String ORIGINAL = "ORIGINAL";

  private RandomTexts() {}

  /** Random letters and digits. */
  static String letters(RandomGenerator random, int least, int most) {
    return of(random, random.nextInt(least, most + 1), ALPHANUMERIC.length());
  }

  /** Random digits. */
  static String digits(RandomGenerator random, int length) {
    return of(random, length, 10);
  }

  private static String of(RandomGenerator random, int length, int kinds) {
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append(ALPHANUMERIC.charAt(random.nextInt(kinds)));
    }
    return text.toString();
  }

  /** The data of items and stocks. One in ten contains ORIGINAL. */
  static String data(RandomGenerator random) {
    String data = letters(random, 26, 50);
    if (random.nextInt(10) != 0) {
      return data;
    }
    int at = random.nextInt(data.length() - ORIGINAL.length() + 1);
    return data.substring(0, at) + ORIGINAL + data.substring(at + ORIGINAL.length());
  }

  /**
   * A last name.
   *
   * @param number 0 to 999; a syllable for each digit
   */
  static String lastName(int number) {
    return SYLLABLES[number / 100] + SYLLABLES[number / 10 % 10] + SYLLABLES[number % 10];
  }

  /** Two streets, city, state and zip code, in one text. */
  static String address(RandomGenerator random) {
    return String.join(
        "|",
        letters(random, 10, 20),
        letters(random, 10, 20),
        letters(random, 10, 20),
        letters(random, 2, 2),
        digits(random, 4) + "11111");
  }
}
