package org.mortydb.bench.report;

import java.util.List;
import org.mortydb.check.journal.Verdict;
import org.mortydb.workloads.load.Rounded;

/**
 * What the check of the history says.
 *
 * @param method how it was checked
 * @param transactions how many transactions were checked, from the first one of the load phase on
 * @param reads how many reads of theirs
 * @param unknownOutcomes transactions of unknown outcome among them
 * @param violations reads and transactions that contradict the serial order
 * @param explanations the first of them
 * @param seconds how long the check took
 */
public record Check(
    String method,
    long transactions,
    long reads,
    long unknownOutcomes,
    long violations,
    List<String> explanations,
    double seconds) {

  /** What a verdict says. */
  public static Check of(Verdict verdict) {
    return new Check(
        "replay of the whole history in timestamp order",
        verdict.transactions(),
        verdict.reads(),
        verdict.unknown(),
        verdict.violations(),
        verdict.explanations(),
        Rounded.to(2, verdict.micros() / 1e6));
  }
}
