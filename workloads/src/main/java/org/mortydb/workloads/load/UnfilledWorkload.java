package org.mortydb.workloads.load;

import java.util.List;
import java.util.random.RandomGenerator;
import org.mortydb.workloads.audit.Auditor;

/**
 * A workload on records that are absent at first. A store then keeps only records that were used,
 * so a simulated cluster can have many more of them than fit into memory.
 */
public final class UnfilledWorkload implements Workload {
  private final Workload filled;

  /**
   * A workload without its initial filling.
   *
   * @throws IllegalArgumentException if its transactions need the records
   */
  public UnfilledWorkload(Workload filled) {
    if (!filled.runsUnfilled()) {
      throw new IllegalArgumentException(
          "the transactions of "
              + filled.name()
              + " need filled records; those of retwis with popularity=key do not");
    }
    this.filled = filled;
  }

  @Override
  public String name() {
    return filled.name();
  }

  @Override
  public List<String> types() {
    return filled.types();
  }

  /** No record, because it is the number after the initial filling. */
  @Override
  public long records() {
    return 0;
  }

  @Override
  public String recordName(long record) {
    return filled.recordName(record);
  }

  @Override
  public Source source(int session, RandomGenerator random) {
    return filled.source(session, random);
  }

  @Override
  public Source initialTransactions(RandomGenerator random, int part, int parts) {
    return () -> null;
  }

  @Override
  public int initialTransactionCount() {
    return 0;
  }

  @Override
  public boolean runsUnfilled() {
    return true;
  }

  @Override
  public void audit(Auditor auditor) {
    filled.audit(auditor);
  }
}
