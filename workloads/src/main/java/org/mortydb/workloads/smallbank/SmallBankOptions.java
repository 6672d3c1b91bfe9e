package org.mortydb.workloads.smallbank;

import org.mortydb.workloads.InvalidOptionException;

/**
 * The size of the bank, and its popular customers.
 *
 * @param accounts the number of customers, each with a savings and a checking account
 * @param hotspot the number of customers in the hotspot; 0 for none
 * @param hotspotShare the probability that a customer is drawn from the hotspot
 */
public record SmallBankOptions(int accounts, int hotspot, double hotspotShare) {

  /**
   * @throws InvalidOptionException if one is out of range
   */
  public SmallBankOptions {
    SmallBankPlugin.ACCOUNTS.require(accounts);
    SmallBankPlugin.HOTSPOT.require(hotspot);
    SmallBankPlugin.HOTSPOT_SHARE.require(hotspotShare);
    if (hotspot >= accounts) {
      throw new InvalidOptionException(
          SmallBankPlugin.HOTSPOT,
          "must be less than the number of accounts, " + accounts + ", is " + hotspot);
    }
  }
}
