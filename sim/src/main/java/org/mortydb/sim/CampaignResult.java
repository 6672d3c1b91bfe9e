package org.mortydb.sim;

import java.util.List;

/**
 * What became of a campaign.
 *
 * @param seeds how many seeds were run
 * @param failures the seeds with violations, in the order of the seeds
 * @param missingMarks what a campaign of this size must reach and did not
 * @param marks what happened how often, over all seeds
 * @param events how many events all seeds took
 * @param virtualMicros how long all seeds took in virtual time
 * @param undecided transactions that were still undecided when their run ended
 * @param undecidedSeeds seeds that ended with such transactions
 * @param elapsedMicros how long the campaign took
 */
public record CampaignResult(
    long seeds,
    List<SeedResult> failures,
    List<String> missingMarks,
    Marks marks,
    long events,
    long virtualMicros,
    long undecided,
    long undecidedSeeds,
    long elapsedMicros) {

  /** Whether no seed failed, and everything was reached that had to be. */
  public boolean isClean() {
    return failures.isEmpty() && missingMarks.isEmpty();
  }
}
