package org.mortydb.check.anomaly;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.anomaly.Anomaly.Kind;

/**
 * Checks transfers between accounts: every read of all accounts sees the same total and no debt.
 */
public final class BankChecker {

  /**
   * A committed read of all accounts.
   *
   * @param name the name in explanations
   * @param balances the balances by account
   */
  public record Balances(String name, Map<String, Long> balances) {
    public Balances {
      balances = new TreeMap<>(balances);
    }
  }

  private BankChecker() {}

  /**
   * Checks a history.
   *
   * @param total the total that every read must see; null for the total of the first read
   * @param transfers the number of committed transfers, for the coverage
   */
  public static Verdict check(List<Balances> reads, @Nullable Long total, long transfers) {
    Anomalies anomalies = new Anomalies();
    Long expected = total;
    for (Balances read : reads) {
      long sum = 0;
      for (Map.Entry<String, @Nullable Long> account : read.balances().entrySet()) {
        Long balance = account.getValue();
        if (balance == null) {
          add(
              anomalies,
              Kind.WRONG_VALUE,
              read,
              "account " + account.getKey() + " without balance");
        } else {
          sum += balance;
          if (balance < 0) {
            add(anomalies, Kind.WRONG_VALUE, read, "account " + account.getKey() + " = " + balance);
          }
        }
      }
      if (expected == null) {
        expected = sum;
      } else if (sum != expected) {
        add(
            anomalies,
            Kind.WRONG_TOTAL,
            read,
            "the total " + sum + " instead of " + expected + ": " + read.balances());
      }
    }
    return anomalies.verdict(
        new Coverage(transfers + reads.size(), transfers + reads.size(), reads.size(), 0, 0));
  }

  private static void add(Anomalies anomalies, Kind kind, Balances read, String what) {
    anomalies.add(kind, List.of(read.name()), () -> read.name() + " saw " + what);
  }
}
