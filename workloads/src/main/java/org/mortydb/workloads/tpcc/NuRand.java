package org.mortydb.workloads.tpcc;

import java.util.random.RandomGenerator;

/**
 * The standard's non-uniform random numbers. The constants C are drawn once for each database.
 *
 * @param scale the ranges
 * @param customerC C of customers' ids, 0 to {@link Scale#customerA}
 * @param itemC C of items' ids, 0 to {@link Scale#itemA}
 * @param nameLoadC C of last names when the database is filled, 0 to {@link Scale#nameA}
 * @param nameRunC C of last names in transactions, likewise
 */
record NuRand(Scale scale, int customerC, int itemC, int nameLoadC, int nameRunC) {
  private static final int NAME_A = 255;
  private static final int LEAST_DELTA = 65;
  private static final int MOST_DELTA = 119;

  /** Draws the constants by the standard's rules. */
  static NuRand draw(Scale scale, RandomGenerator random) {
    int load = random.nextInt(scale.nameA() + 1);
    int run = random.nextInt(scale.nameA() + 1);
    // The rule on the difference applies to the standard's range only.
    while (scale.nameA() == NAME_A && !isAllowedDelta(Math.abs(run - load))) {
      run = random.nextInt(scale.nameA() + 1);
    }
    return new NuRand(
        scale, random.nextInt(scale.customerA() + 1), random.nextInt(scale.itemA() + 1), load, run);
  }

  static boolean isAllowedDelta(int delta) {
    return delta >= LEAST_DELTA && delta <= MOST_DELTA && delta != 96 && delta != 112;
  }

  /** A customer's id. */
  int customer(RandomGenerator random) {
    return nuRand(random, scale.customerA(), customerC, 1, scale.customers());
  }

  /** An item's id. */
  int item(RandomGenerator random) {
    return nuRand(random, scale.itemA(), itemC, 1, scale.items());
  }

  /** The number of a last name when the database is filled. */
  int nameInLoad(RandomGenerator random) {
    return nuRand(random, scale.nameA(), nameLoadC, 0, scale.names() - 1);
  }

  /** The number of a last name in a transaction. */
  int nameInRun(RandomGenerator random) {
    return nuRand(random, scale.nameA(), nameRunC, 0, scale.names() - 1);
  }

  static int nuRand(RandomGenerator random, int a, int c, int x, int y) {
    int either = random.nextInt(a + 1) | random.nextInt(x, y + 1);
    return (either + c) % (y - x + 1) + x;
  }
}
