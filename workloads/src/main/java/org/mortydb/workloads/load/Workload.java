package org.mortydb.workloads.load;

import java.util.List;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.workloads.audit.Auditor;

/**
 * A workload, as the load generator uses it. Records have fixed numbers, 0 or more. The
 * transactions decide which of the records exist.
 */
public interface Workload {

  /** Its name in records of measurements, in lower case. */
  String name();

  /** The names of its types of transactions. */
  List<String> types();

  /** The number of records after the initial filling. */
  long records();

  /** A name of a record for people. */
  String recordName(long record);

  /**
   * The transactions of one session.
   *
   * @param session the session's number from 0, for workloads whose sessions differ
   * @param random the session's source of randomness
   */
  Source source(int session, RandomGenerator random);

  /**
   * A share of the transactions that fill the records. All of them may run concurrently.
   *
   * @param part the number of the share, 0 to {@code parts} - 1
   */
  Source initialTransactions(RandomGenerator random, int part, int parts);

  /** The number of transactions in all shares of {@link #initialTransactions}. */
  int initialTransactionCount();

  /**
   * Whether transactions run on a store without records as on one that was filled: they take absent
   * records for those of the initial filling. Virtual time can then do without the filling.
   */
  default boolean runsUnfilled() {
    return false;
  }

  /** Whether its transactions merge, so that it needs a system with merges. */
  default boolean merges() {
    return false;
  }

  /**
   * Checks the conditions that the records must meet while no transaction is running. A workload
   * whose only condition is a serializable history checks nothing.
   */
  default void audit(Auditor auditor) {}

  /** Returns one transaction after another. Not safe for use by several threads. */
  interface Source {
    /** The next transaction; null when there is none left. */
    @Nullable Planned next();

    /**
     * A share of transactions that are numbered from 0: every {@code parts}-th of them, beginning
     * with the {@code part}-th. Together the shares have each transaction once.
     *
     * @param part the number of the share, 0 to {@code parts} - 1
     * @param parts the number of shares, at least 1
     * @param total the number of transactions in all shares, 0 or more
     * @param planned returns a transaction by its number; called once for each, in ascending order,
     *     when the transaction is needed
     */
    static Source share(int part, int parts, int total, IntFunction<Planned> planned) {
      return new Source() {
        private int next = part;

        @Override
        public @Nullable Planned next() {
          if (next >= total) {
            return null;
          }
          int number = next;
          next += parts;
          return planned.apply(number);
        }
      };
    }

    /**
     * A share of the transactions that each fill or read a batch of items. The items are numbered
     * from 0; {@code Math.ceilDiv(items, perBatch)} transactions have each of them once.
     *
     * @param part the number of the share, 0 to {@code parts} - 1
     * @param parts the number of shares, at least 1
     * @param items the number of items in all shares, 0 or more
     * @param perBatch the number of items of each transaction, at least 1; the last one may have
     *     fewer
     * @param planned returns the transaction of a batch; called once for each, in ascending order,
     *     when the transaction is needed
     */
    static Source batches(int part, int parts, int items, int perBatch, Batch planned) {
      return share(
          part,
          parts,
          Math.ceilDiv(items, perBatch),
          number -> {
            int first = number * perBatch;
            return planned.planned(first, first + Math.min(perBatch, items - first));
          });
    }
  }

  /** Plans the transaction of one batch of items. */
  @FunctionalInterface
  interface Batch {
    /**
     * Returns the transaction.
     *
     * @param first the number of the batch's first item
     * @param end the number after its last item
     */
    Planned planned(int first, int end);
  }

  /**
   * A transaction with all random choices made. Its body starts with a trace that has only a stamp,
   * and adds every read and write to the trace. One transaction of the application may be several
   * transactions of the store, one after another.
   *
   * @param type its position in {@link Workload#types}
   * @param body the first of the store's transactions
   * @param sequel decides about further ones
   * @param readOnly whether the first of the store's transactions is declared read-only
   */
  record Planned(int type, TransactionBody<Trace> body, Sequel sequel, boolean readOnly) {

    /** A transaction that may write. */
    public Planned(int type, TransactionBody<Trace> body, Sequel sequel) {
      this(type, body, sequel, false);
    }

    /** A single transaction of the store. */
    public Planned(int type, TransactionBody<Trace> body) {
      this(type, body, result -> Next.END);
    }

    /** A single read-only transaction of the store. */
    public static Planned reading(int type, TransactionBody<Trace> body) {
      return new Planned(type, body, result -> Next.END, true);
    }
  }

  /** Decides how an application's transaction continues after each transaction of the store. */
  @FunctionalInterface
  interface Sequel {
    /**
     * Decides about the next step. Called once for each of the store's transactions, in order. Must
     * not block.
     */
    Next after(Result<Trace> result);
  }

  /** How an application's transaction continues. */
  sealed interface Next {
    /** It ends with the result of the last of the store's transactions. */
    Next END = new End();

    /** It ends incomplete. */
    Next ABANDON = new Abandon();

    /** See {@link #END}. */
    record End() implements Next {}

    /** See {@link #ABANDON}. */
    record Abandon() implements Next {}

    /**
     * It continues with another transaction of the store.
     *
     * @param delayMicros microseconds to wait before, 0 or more
     */
    record Step(TransactionBody<Trace> body, long delayMicros) implements Next {}
  }
}
