package org.mortydb.protocol.model;

/**
 * One execution of a transaction; every re-execution has the next number.
 *
 * @param txn the transaction
 * @param number 0 for the first execution, then one more for each re-execution
 */
public record ExecutionId(TxnId txn, int number) {

  /**
   * Checks the bounds.
   *
   * @throws IllegalArgumentException if the number is not in 0..{@link Limits#MAX_NUMBER}
   */
  public ExecutionId {
    Limits.checkNumber("execution", number);
  }

  @Override
  public String toString() {
    return txn + "#" + number;
  }
}
