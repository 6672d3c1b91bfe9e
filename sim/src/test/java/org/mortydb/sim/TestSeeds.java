package org.mortydb.sim;

/** How many seeds a test runs: some in every build, and all where the tag {@code long} is in. */
final class TestSeeds {
  private static final boolean ALL = "none".equals(System.getProperty("test.excluded.tags"));

  private TestSeeds() {}

  static long count(long some, long all) {
    return ALL ? all : some;
  }
}
