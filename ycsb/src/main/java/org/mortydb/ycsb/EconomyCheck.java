package org.mortydb.ycsb;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Result;
import site.ycsb.WorkloadException;

/** Counts the money of a closed economy. */
final class EconomyCheck {
  /** EconomyAccounts read in one transaction. */
  private static final int CHUNK = 1_000;

  private static final int COUNTS = 3;
  private static final long PAUSE_MILLIS = 2_000;

  private final SharedStore store;
  private final String table;

  EconomyCheck(SharedStore store, String table) {
    this.store = store;
    this.table = table;
  }

  /**
   * The result of a count.
   *
   * @param accounts the number of accounts
   * @param cash the sum of their balances
   * @param end the number of the last account plus 1
   */
  record Count(long accounts, long cash, long end) {}

  /**
   * Counts up to three times, until the sum is right. A transaction of unknown outcome may become
   * decided within seconds.
   *
   * @param known the numbers of accounts that may exist; those of earlier runs follow
   */
  Count countUntil(long expected, long known) throws WorkloadException {
    Count count = count(0, known);
    for (int i = 1; i < COUNTS && count.cash != expected; i++) {
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return count;
      }
      count = count(0, known);
    }
    return count;
  }

  /** Counts from one number to another, and on until a thousand numbers without an account. */
  Count count(long from, long known) throws WorkloadException {
    long accounts = 0;
    long cash = 0;
    long end = from;
    for (long first = from; ; first += CHUNK) {
      List<@Nullable Long> balances = balances(first);
      boolean empty = true;
      for (int i = 0; i < balances.size(); i++) {
        Long balance = balances.get(i);
        if (balance != null) {
          empty = false;
          accounts++;
          cash += balance;
          end = first + i + 1;
        }
      }
      if (empty && first + CHUNK >= known) {
        return new Count(accounts, cash, end);
      }
    }
  }

  private List<@Nullable Long> balances(long first) throws WorkloadException {
    List<String> keys = new ArrayList<>(CHUNK);
    for (long number = first; number < first + CHUNK; number++) {
      keys.add(ClosedEconomyWorkload.key(number));
    }
    Result<List<@Nullable Long>> result =
        store
            .client()
            .run(
                store.client().options().forReading(),
                txn ->
                    new EconomyAccounts.Together(new TransactionOperations(store, txn), table)
                        .balances(keys));
    if (result instanceof Result.Committed<List<@Nullable Long>> committed) {
      return committed.value();
    }
    throw new WorkloadException("cannot count the accounts: " + result);
  }

  /** Prints the verdict, and lets the process fail if the sum has changed. */
  static void report(Count count, long expected, long transactions, String table) {
    line("Accounts", Long.toString(count.accounts));
    line("Cash expected", Long.toString(expected));
    line("Cash counted", Long.toString(count.cash));
    if (transactions > 0) {
      double score = Math.abs(expected - count.cash) / (double) transactions;
      line("Anomaly score", String.format(Locale.ROOT, "%.6f", score));
    }
    String verdict = verdict(count, expected, table);
    if (verdict != null) {
      RunFailure.fail(verdict);
    }
  }

  /** Says what is wrong with the sum. Null if nothing is. */
  static @Nullable String verdict(Count count, long expected, String table) {
    if (count.cash == expected) {
      return null;
    }
    if (count.accounts == 0) {
      return "table '%s' has no accounts: run 'morty ycsb load' with the same -p table=NAME first"
          .formatted(table);
    }
    return "the closed economy has %d instead of %d: money was %s. If table '%s' had accounts before the load, use another one: -p table=NAME"
        .formatted(count.cash, expected, count.cash > expected ? "made" : "lost", table);
  }

  private static void line(String name, String value) {
    System.out.println("[CLOSED-ECONOMY], " + name + ", " + value);
  }
}
