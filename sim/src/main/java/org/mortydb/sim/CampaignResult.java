package org.mortydb.sim;

import java.util.List;

/**
 * The result of a campaign.
 *
 * @param seeds the number of seeds that ran
 * @param failures the seeds with violations, in order
 * @param missingMarks the marks that a campaign of this size must reach and did not
 * @param marks the counts of all seeds
 * @param events the number of events of all seeds
 * @param virtualMicros the virtual time of all seeds
 * @param undecided the transactions that were undecided when their run ended
 * @param undecidedSeeds the seeds that ended with undecided transactions
 * @param elapsedMicros the duration of the campaign
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

  /** Whether no seed failed and every required mark was reached. */
  public boolean isClean() {
    return failures.isEmpty() && missingMarks.isEmpty();
  }
}
