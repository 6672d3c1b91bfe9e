package org.mortydb.workloads.transfer;

import org.mortydb.workloads.sampling.Sampler;

/**
 * What is run.
 *
 * @param form how money is moved
 * @param accounts how many accounts there are
 * @param zipf the exponent of their popularity; 0 for uniform
 * @param abandonShare with what probability, 0 to 1, whoever makes a transfer in several steps goes
 *     away amid them
 */
public record TransferOptions(Form form, int accounts, double zipf, double abandonShare) {
  private static final int MAX_ACCOUNTS = 300_000_000;

  /** How money is moved. */
  public enum Form {
    /** In one transaction on two records. */
    TRANSACTION,
    /** By a two-phase commit of the application, in transactions on one record each. */
    TWO_PHASE
  }

  /**
   * @throws IllegalArgumentException when one is out of its range
   */
  public TransferOptions {
    if (accounts < 2 || accounts > MAX_ACCOUNTS) {
      throw new IllegalArgumentException(
          "--accounts must be 2 to " + MAX_ACCOUNTS + ", is " + accounts);
    }
    Sampler.requireExponent(zipf);
    if (!(abandonShare >= 0 && abandonShare <= 1)) {
      throw new IllegalArgumentException("--abandon must be 0 to 1, is " + abandonShare);
    }
    if (abandonShare > 0 && form == Form.TRANSACTION) {
      throw new IllegalArgumentException(
          "--abandon needs --form two-phase: a transaction cannot be left half-way");
    }
  }
}
