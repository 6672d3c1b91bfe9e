package org.mortydb.bench.report;

import java.util.List;
import org.mortydb.workloads.audit.Finding;
import org.mortydb.workloads.load.Rounded;

/**
 * The result of the workload's own check after the load.
 *
 * @param transactions the number of transactions that read the records
 * @param reads the number of records read
 * @param violations the number of cases in which a condition does not hold
 * @param conditions the finding for each condition
 * @param seconds the duration of the check
 */
public record Consistency(
    long transactions, long reads, long violations, List<Finding> conditions, double seconds) {

  /** Creates the result of some findings. */
  public static Consistency of(
      long transactions, long reads, List<Finding> conditions, double seconds) {
    return new Consistency(
        transactions,
        reads,
        conditions.stream().mapToLong(Finding::violations).sum(),
        conditions,
        Rounded.to(2, seconds));
  }

  /** Whether all conditions hold. */
  public boolean holds() {
    return violations == 0;
  }
}
