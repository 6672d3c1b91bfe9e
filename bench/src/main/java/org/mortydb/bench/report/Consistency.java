package org.mortydb.bench.report;

import java.util.List;
import org.mortydb.workloads.audit.Finding;
import org.mortydb.workloads.load.Rounded;

/**
 * What the workload's own check says, made once the load is over.
 *
 * @param transactions how many transactions it took to read the records
 * @param reads how many records were read
 * @param violations in how many cases a condition does not hold
 * @param conditions the findings on each
 * @param seconds how long it took
 */
public record Consistency(
    long transactions, long reads, long violations, List<Finding> conditions, double seconds) {

  /** Puts findings together. */
  public static Consistency of(
      long transactions, long reads, List<Finding> conditions, double seconds) {
    return new Consistency(
        transactions,
        reads,
        conditions.stream().mapToLong(Finding::violations).sum(),
        conditions,
        Rounded.to(2, seconds));
  }

  /** Whether no condition was found violated. */
  public boolean holds() {
    return violations == 0;
  }
}
