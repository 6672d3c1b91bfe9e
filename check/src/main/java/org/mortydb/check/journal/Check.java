package org.mortydb.check.journal;

import java.util.List;
import java.util.Locale;

/**
 * A verdict as reports show it.
 *
 * @param method how the history was checked
 * @param transactions how many transactions were checked, from the first one of the load phase on
 * @param reads how many reads these transactions made
 * @param unknownOutcomes how many of the transactions have an unknown outcome
 * @param violations reads and transactions that contradict the serial order
 * @param explanations the first violations, in words
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

  /** Returns a verdict as reports show it. */
  public static Check of(Verdict verdict) {
    return new Check(
        "replay of the whole history in timestamp order",
        verdict.transactions(),
        verdict.reads(),
        verdict.unknown(),
        verdict.violations(),
        verdict.explanations(),
        Math.round(verdict.micros() / 1e4) / 100.0);
  }

  /** Returns the verdict as lines of text, with a line break at the end. */
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
