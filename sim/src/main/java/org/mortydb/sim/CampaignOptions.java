package org.mortydb.sim;

import java.util.List;

/**
 * The seeds of a campaign, and how to run them.
 *
 * @param mixes the mixes of faults; each runs with all seeds
 * @param firstSeed the first seed; the others follow it
 * @param seeds the number of seeds of each mix, at least 1
 * @param threads the number of seeds that run at a time, at least 1
 * @param twice whether each seed runs a second time, to check that it repeats
 * @param maxFailures the number of failed seeds after which the campaign ends early, at least 1
 * @param seed the options of each seed, apart from its mix
 */
public record CampaignOptions(
    List<FaultMix> mixes,
    long firstSeed,
    long seeds,
    int threads,
    boolean twice,
    int maxFailures,
    SeedOptions seed) {

  /**
   * @throws IllegalArgumentException if a number is below 1
   */
  public CampaignOptions {
    mixes = List.copyOf(mixes);
    if (seeds < 1 || threads < 1 || maxFailures < 1) {
      throw new IllegalArgumentException(
          "--seeds, --threads and --max-failures must be at least 1, not %d, %d and %d"
              .formatted(seeds, threads, maxFailures));
    }
  }

  /** A campaign of the one mix that the options of its seeds name. */
  public CampaignOptions(
      long firstSeed, long seeds, int threads, boolean twice, int maxFailures, SeedOptions seed) {
    this(List.of(seed.mix()), firstSeed, seeds, threads, twice, maxFailures, seed);
  }

  /** Whether every mix runs. */
  boolean hasAllMixes() {
    return mixes.containsAll(List.of(FaultMix.values()));
  }
}
