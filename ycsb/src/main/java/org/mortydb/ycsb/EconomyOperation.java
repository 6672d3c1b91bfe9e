package org.mortydb.ycsb;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operations of the closed economy. None of them changes the sum of all balances. */
enum EconomyOperation {
  /** Reads the balances of all its accounts. */
  READ("readproportion", 0.5) {
    @Override
    void run(EconomyAccounts accounts, List<String> keys) {
      accounts.balances(keys);
    }
  },

  /** Moves one unit from the first account to each of the others, if the balance suffices. */
  TRANSFER("readmodifywriteproportion", 0.5) {
    @Override
    void run(EconomyAccounts accounts, List<String> keys) {
      List<@Nullable Long> balances = accounts.balances(keys);
      Long payer = balances.getFirst();
      int payees = keys.size() - 1;
      if (payer == null || payer < payees) {
        return;
      }
      long paid = 0;
      for (int i = 1; i <= payees; i++) {
        Long balance = balances.get(i);
        if (balance != null) {
          accounts.set(keys.get(i), balance + 1);
          paid++;
        }
      }
      if (paid > 0) {
        accounts.set(keys.getFirst(), payer - paid);
      }
    }
  },

  /** Opens the first account with half of the second one's balance. */
  OPEN("insertproportion", 0) {
    @Override
    void run(EconomyAccounts accounts, List<String> keys) {
      List<@Nullable Long> balances = accounts.balances(keys.subList(0, 2));
      Long funds = balances.get(1);
      if (balances.getFirst() == null && funds != null) {
        accounts.set(keys.get(1), funds - funds / 2);
        accounts.open(keys.getFirst(), funds / 2);
      }
    }
  },

  /** Deletes the first account, and moves its balance to the second one. */
  CLOSE("deleteproportion", 0) {
    @Override
    void run(EconomyAccounts accounts, List<String> keys) {
      List<@Nullable Long> balances = accounts.balances(keys.subList(0, 2));
      Long left = balances.getFirst();
      Long heir = balances.get(1);
      if (left != null && heir != null) {
        accounts.set(keys.get(1), heir + left);
        accounts.close(keys.getFirst());
      }
    }
  };

  private final String property;
  private final double defaultProportion;

  EconomyOperation(String property, double defaultProportion) {
    this.property = property;
    this.defaultProportion = defaultProportion;
  }

  /** The property of its share of all transactions. */
  String property() {
    return property;
  }

  /** Its default share. */
  double defaultProportion() {
    return defaultProportion;
  }

  /** Its name among the measurements. */
  String measurement() {
    return "TX-" + name();
  }

  /**
   * Runs the operation.
   *
   * @param keys its accounts, all different, at least two
   */
  abstract void run(EconomyAccounts accounts, List<String> keys);
}
