package org.mortydb.sim;

import java.util.List;

/**
 * The result of a campaign.
 *
 * @param seeds the number of seeds that ran, of all mixes together
 * @param mixes the results of each mix
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
    List<OfMix> mixes,
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

  /**
   * The result of one mix.
   *
   * @param mix the mix
   * @param seeds the number of seeds that ran
   * @param failed how many of them had violations
   * @param marks the counts of these seeds
   */
  public record OfMix(FaultMix mix, long seeds, long failed, Marks marks) {

    /** One line: how much ran, the events that the mix is made for, and what it found. */
    String line() {
      StringBuilder line = new StringBuilder();
      line.append("%-12s %,7d seeds".formatted(mix.label(), seeds));
      line.append(": %,d committed".formatted(marks.count("completed/committed")));
      mix.marks().forEach(mark -> line.append(", %s %,d".formatted(mark, marks.count(mark))));
      line.append(failed == 0 ? "; no violation" : "; VIOLATIONS in %,d seeds".formatted(failed));
      return line.toString();
    }
  }
}
