package org.mortydb.workloads.transfer;

import org.mortydb.workloads.InvalidOptionException;

/**
 * The options of transfers.
 *
 * @param form how money is moved
 * @param accounts the number of accounts
 * @param zipf the exponent of their popularity; 0 for uniform
 * @param abandonShare the probability, 0 to 1, that a client abandons a two-phase transfer half-way
 */
public record TransferOptions(Form form, int accounts, double zipf, double abandonShare) {
  /** How money is moved. */
  public enum Form {
    /** In one transaction on two records. */
    TRANSACTION,
    /** By a two-phase commit in the application, with transactions on one record each. */
    TWO_PHASE;

    @Override
    public String toString() {
      return this == TWO_PHASE ? "two-phase" : "transaction";
    }
  }

  /**
   * @throws InvalidOptionException if one is out of range
   */
  public TransferOptions {
    TransferPlugin.ACCOUNTS.require(accounts);
    TransferPlugin.ZIPF.require(zipf);
    TransferPlugin.ABANDON.require(abandonShare);
    if (abandonShare > 0 && form == Form.TRANSACTION) {
      throw new InvalidOptionException(
          TransferPlugin.ABANDON,
          "needs form two-phase: a transaction cannot be abandoned half-way");
    }
  }
}
