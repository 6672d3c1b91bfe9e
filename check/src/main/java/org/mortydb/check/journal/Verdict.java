package org.mortydb.check.journal;

import java.util.List;

/**
 * What a check found.
 *
 * @param transactions how many were checked
 * @param reads how many reads of theirs
 * @param unknown how many transactions of unknown outcome the history holds
 * @param violations how many reads and transactions contradict the serial order
 * @param lost how many of these are records that, at the end of it all, do not hold what the last
 *     transaction to write them left
 * @param explanations the first of them, in words
 * @param micros how long the check took
 */
public record Verdict(
    long transactions,
    long reads,
    long unknown,
    long violations,
    long lost,
    List<String> explanations,
    long micros) {

  /** Whether the serial order explains everything that was seen. */
  public boolean serializable() {
    return violations == 0;
  }
}
