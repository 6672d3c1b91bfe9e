package org.mortydb.sim;

/**
 * The seeds of a campaign, and how to run them.
 *
 * @param firstSeed the first seed; the others follow it
 * @param seeds the number of seeds, at least 1
 * @param threads the number of seeds that run at a time, at least 1
 * @param twice whether each seed runs a second time, to check that it repeats
 * @param maxFailures the number of failed seeds after which the campaign ends early, at least 1
 * @param seed the options of each seed
 */
public record CampaignOptions(
    long firstSeed, long seeds, int threads, boolean twice, int maxFailures, SeedOptions seed) {

  /**
   * @throws IllegalArgumentException if a number is below 1
   */
  public CampaignOptions {
    if (seeds < 1 || threads < 1 || maxFailures < 1) {
      throw new IllegalArgumentException(
          "--seeds, --threads and --max-failures must be at least 1, not %d, %d and %d"
              .formatted(seeds, threads, maxFailures));
    }
  }
}
