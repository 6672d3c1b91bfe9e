package org.mortydb.ycsb;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Result;
import site.ycsb.WorkloadException;

/** Counts the money of a closed economy. */
final class EconomyCheck {
  /** Accounts read in one transaction. */
  private static final int CHUNK = 1_000;

  private static final int COUNTS = 3;
  private static final long PAUSE_MILLIS = 2_000;

  private final Store store;
  private final String table;

  EconomyCheck(Store store, String table) {
    this.store = store;
    this.table = table;
  }

  /**
   * What was counted.
   *
   * @param accounts how many accounts there are
   * @param cash the sum of their balances
   * @param end the number above that of the last account
   */
  record Count(long accounts, long cash, long end) {}

  /**
   * Counts until the sum is as it should be, three times at most: a transaction whose client does
   * not know its outcome may become decided within the next seconds.
   *
   * @param known accounts that may exist, by their numbers; those of earlier runs come after them
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

  /**
   * Counts from one number to another, and from there on as long as there are accounts: up to the
   * first thousand numbers without any.
   */
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
                txn -> new Accounts.Together(new Operations(store, txn), table).balances(keys));
    if (result instanceof Result.Committed<List<@Nullable Long>> committed) {
      return committed.value();
    }
    throw new WorkloadException("the accounts could not be counted: " + result);
  }

  /** Writes the verdict, and has the process fail when money was made or lost. */
  static void report(Count count, long expected, long transactions, String table) {
    line("Accounts", Long.toString(count.accounts));
    line("Cash expected", Long.toString(expected));
    line("Cash counted", Long.toString(count.cash));
    if (transactions > 0) {
      double score = Math.abs(expected - count.cash) / (double) transactions;
      line("Anomaly score", String.format(Locale.ROOT, "%.6f", score));
    }
    if (count.cash != expected) {
      ExitCode.fail(
          "the closed economy has %d instead of %d: money was %s. (If table '%s' held accounts before it was loaded, load another: -p table=NAME)"
              .formatted(count.cash, expected, count.cash > expected ? "made" : "lost", table));
    }
  }

  private static void line(String name, String value) {
    System.out.println("[CLOSED-ECONOMY], " + name + ", " + value);
  }
}
