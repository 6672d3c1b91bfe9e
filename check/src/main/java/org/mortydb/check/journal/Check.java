package org.mortydb.check.journal;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.anomaly.Anomaly;
import org.mortydb.check.anomaly.Verdict;
import org.mortydb.protocol.system.Guarantee;

/**
 * The result of a replay in reports.
 *
 * @param method the method of the check
 * @param transactions the number of checked transactions, from the start of the load phase
 * @param reads the number of their reads
 * @param unknownOutcomes the number of transactions with unknown outcome
 * @param violations the number of reads and transactions that contradict what the system promises
 * @param explanations the explanations of the first violations; without any, of the first anomalies
 *     that the system permits
 * @param seconds the duration of the check
 * @param past how old the answers of transactions were that have read the past; null if none has
 */
public record Check(
    String method,
    long transactions,
    long reads,
    long unknownOutcomes,
    long violations,
    List<String> explanations,
    double seconds,
    @Nullable PastAnswers past) {

  /** The result of a replay without transactions that have read the past. */
  public Check(
      String method,
      long transactions,
      long reads,
      long unknownOutcomes,
      long violations,
      List<String> explanations,
      double seconds) {
    this(method, transactions, reads, unknownOutcomes, violations, explanations, seconds, null);
  }

  private static final String REPLAY = "replay of the whole history in timestamp order";
  private static final String DEPENDENCIES = "dependencies between all transactions";
  private static final int EXPLANATIONS = 5;

  /**
   * Checks closed logs that together contain every transaction since the store was empty.
   *
   * @param guarantee what the system promises
   * @param records the approximate number of records; all are absent at first
   * @param recordName names a record in explanations, with a different name for each
   */
  public static Check of(
      Guarantee guarantee, List<HistoryLog> logs, long records, LongFunction<String> recordName)
      throws IOException {
    if (guarantee == Guarantee.SERIALIZABLE_BY_POSITION) {
      return of(SerialReplay.check(logs, records, recordName));
    }
    long start = System.nanoTime();
    DependencyReplay.Result result = DependencyReplay.check(logs, recordName);
    Verdict verdict = result.verdict();
    long violations = 0;
    List<String> explanations = List.of();
    if (verdict instanceof Verdict.Violated violated) {
      violations = verdict.satisfies(guarantee) ? 0 : violated.violations();
      explanations = violated.first().stream().limit(EXPLANATIONS).map(Anomaly::toString).toList();
    }
    return new Check(
        DEPENDENCIES,
        verdict.coverage().transactions(),
        verdict.coverage().readsChecked(),
        result.unknown(),
        violations,
        explanations,
        Math.round((System.nanoTime() - start) / 1e7) / 100.0);
  }

  /**
   * Whether the history is serializable; null if it is not, and its system promises no more than
   * the snapshot isolation that it has kept.
   */
  public @Nullable Boolean isSerializable() {
    if (violations > 0) {
      return false;
    }
    return explanations.isEmpty() ? true : null;
  }

  /** The report of a replay. */
  public static Check of(ReplayVerdict verdict) {
    return new Check(
        REPLAY,
        verdict.transactions(),
        verdict.reads(),
        verdict.unknown(),
        verdict.violations(),
        verdict.explanations(),
        Math.round(verdict.micros() / 1e4) / 100.0,
        verdict.past());
  }

  /** The result as lines of text, with a line break at the end. */
  public String text() {
    if (violations == 0 && !explanations.isEmpty()) {
      StringBuilder text =
          new StringBuilder(
              String.format(
                  Locale.ROOT,
                  "serializable: no, as the system does not promise it. It promises snapshot"
                      + " isolation, which all %,d committed transactions kept; checked in %.1f s."
                      + " The first anomalies that it permits:%n",
                  transactions - unknownOutcomes,
                  seconds));
      explanations.forEach(one -> text.append("  ").append(one).append(System.lineSeparator()));
      return text.toString();
    }
    if (violations == 0) {
      return String.format(
          Locale.ROOT,
          "serializable: yes. All %,d committed transactions from the load phase on, with %,d"
              + " reads, %s in %.1f s%s%n",
          transactions - unknownOutcomes,
          reads,
          method.equals(REPLAY) ? "replayed in timestamp order" : "without a cycle, checked",
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
