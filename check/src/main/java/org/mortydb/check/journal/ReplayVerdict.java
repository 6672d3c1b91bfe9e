package org.mortydb.check.journal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a replay.
 *
 * @param transactions the number of checked transactions
 * @param reads the number of their reads
 * @param unknown the number of transactions with unknown outcome
 * @param violations the number of reads and transactions that contradict the serial order
 * @param lost the number of violations by reads at the end, which are lost writes
 * @param explanations the explanations of the first violations
 * @param micros the duration of the check
 * @param past the transactions that have read the past; null if none has
 */
public record ReplayVerdict(
    long transactions,
    long reads,
    long unknown,
    long violations,
    long lost,
    List<String> explanations,
    long micros,
    @Nullable PastAnswers past) {

  /** Whether the serial order explains every read. */
  public boolean serializable() {
    return violations == 0;
  }
}
