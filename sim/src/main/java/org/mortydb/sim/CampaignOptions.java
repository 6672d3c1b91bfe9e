package org.mortydb.sim;

/**
 * Which seeds are run, and how.
 *
 * @param firstSeed the first seed; the others follow it
 * @param seeds how many, at least 1
 * @param threads how many are run at a time, at least 1
 * @param twice whether each seed is run a second time, to see that it does the same again
 * @param maxFailures after how many failed seeds the campaign ends early, at least 1
 * @param seed how each seed is run
 */
public record CampaignOptions(
    long firstSeed, long seeds, int threads, boolean twice, int maxFailures, SeedOptions seed) {

  /**
   * @throws IllegalArgumentException when a number is out of its range
   */
  public CampaignOptions {
    if (seeds < 1 || threads < 1 || maxFailures < 1) {
      throw new IllegalArgumentException(
          "seeds, threads and the most failures must be at least 1, but they are "
              + seeds
              + ", "
              + threads
              + " and "
              + maxFailures);
    }
  }
}
