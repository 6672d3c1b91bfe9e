package org.mortydb.workloads.smallbank;

/**
 * What is run.
 *
 * @param accounts how many customers there are, each with a savings and a checking account
 * @param hotspot how many of them are in the hotspot, 0 for none
 * @param hotspotShare with what probability, 0 to 1, a customer is drawn from the hotspot
 */
public record SmallBankOptions(int accounts, int hotspot, double hotspotShare) {
  private static final int MAX_ACCOUNTS = 100_000_000;

  /**
   * @throws IllegalArgumentException when one is out of its range
   */
  public SmallBankOptions {
    if (accounts < 2 || accounts > MAX_ACCOUNTS) {
      throw new IllegalArgumentException(
          "--accounts must be 2 to " + MAX_ACCOUNTS + ", is " + accounts);
    }
    if (hotspot < 0 || hotspot >= accounts) {
      throw new IllegalArgumentException(
          "--hotspot must be 0 or more, and less than --accounts, is " + hotspot);
    }
    if (!(hotspotShare >= 0 && hotspotShare <= 1)) {
      throw new IllegalArgumentException("--hotspot-share must be 0 to 1, is " + hotspotShare);
    }
  }
}
