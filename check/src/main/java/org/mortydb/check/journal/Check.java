package org.mortydb.check.journal;

import java.util.List;
import java.util.Locale;

/**
 * The result of a replay in reports.
 *
 * @param method the method of the check
 * @param transactions the number of checked transactions, from the start of the load phase
 * @param reads the number of their reads
 * @param unknownOutcomes the number of transactions with unknown outcome
 * @param violations the number of reads and transactions that contradict the serial order
 * @param explanations the explanations of the first violations
 * @param seconds the duration of the check
 */
public record Check(
    String method,
    long transactions,
    long reads,
    long unknownOutcomes,
    long violations,
    List<String> explanations,
    double seconds) {

  /** The report of a replay. */
  public static Check of(ReplayVerdict verdict) {
    return new Check(
        "replay of the whole history in timestamp order",
        verdict.transactions(),
        verdict.reads(),
        verdict.unknown(),
        verdict.violations(),
        verdict.explanations(),
        Math.round(verdict.micros() / 1e4) / 100.0);
  }

  /** The result as lines of text, with a line break at the end. */
  public String text() {
    if (violations == 0) {
      return String.format(
          Locale.ROOT,
          "serializable: yes. All %,d committed transactions from the load phase on, with %,d"
              + " reads, replayed in timestamp order in %.1f s%s%n",
          transactions - unknownOutcomes,
          reads,
          seconds,
          unknownOutcomes == 0
              ? ""
              : String.format(Locale.ROOT, "; %,d of unknown outcome", unknownOutcomes));
    }
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "serializable: NO. %,d violations in %,d transactions; the first:%n",
                violations,
                transactions));
    for (String explanation : explanations) {
      text.append("  ").append(explanation).append(System.lineSeparator());
    }
    return text.toString();
  }
}
