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
 * What a load generator needs to know of a workload. Records have numbers, 0 or more, which are
 * theirs for ever; which of them exist is up to the transactions.
 */
public interface Workload {

  /** Its name in records of measurements, in lower case. */
  String name();

  /** The names of its types of transactions. */
  List<String> types();

  /** How many records there are once they are filled. */
  long records();

  /** What a record is, as text. */
  String recordName(long record);

  /**
   * The transactions of one session.
   *
   * @param session counts from 0, for workloads whose sessions have places of their own
   * @param random the session's own
   */
  Source source(int session, RandomGenerator random);

  /**
   * A share of the transactions that fill the records at first. All may run at the same time.
   *
   * @param part which share, 0 to {@code parts} - 1
   */
  Source initialTransactions(RandomGenerator random, int part, int parts);

  /** How many transactions all shares of {@link #initialTransactions} have together. */
  int initialTransactionCount();

  /**
   * Looks whether what must always hold of the records does, once no transaction is under way. A
   * workload of which nothing must hold but that its history is serializable does nothing.
   */
  default void audit(Auditor auditor) {}

  /** Yields one transaction after the other. Not safe for use by several threads. */
  interface Source {
    /** The next transaction to run, null when there is none left. */
    @Nullable Planned next();

    /**
     * A share of transactions that are numbered from 0: every {@code parts}-th of them, from the
     * {@code part}-th on. All shares together have each transaction once.
     *
     * @param part which share, 0 to {@code parts} - 1
     * @param parts how many shares there are, at least 1
     * @param total how many transactions all shares have together, 0 or more
     * @param planned yields a transaction by its number; called once for each, in ascending order
     *     and not before the transaction is asked for, so that what it draws is drawn then
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
  }

  /**
   * A transaction with all that chance decides drawn. The state that its body gets is a trace with
   * nothing but a stamp; every read and write goes into it. What the application takes for one
   * transaction may be several of the store's, one after the other.
   *
   * @param type its place in {@link Workload#types}
   * @param body the first of the store's transactions
   * @param sequel what comes after
   * @param readOnly whether the store is told that its first transaction writes nothing
   */
  record Planned(int type, TransactionBody<Trace> body, Sequel sequel, boolean readOnly) {

    /** One that may write. */
    public Planned(int type, TransactionBody<Trace> body, Sequel sequel) {
      this(type, body, sequel, false);
    }

    /** One transaction of the store. */
    public Planned(int type, TransactionBody<Trace> body) {
      this(type, body, result -> Next.END);
    }

    /** One transaction of the store that writes nothing. */
    public static Planned reading(int type, TransactionBody<Trace> body) {
      return new Planned(type, body, result -> Next.END, true);
    }
  }

  /** Decides how an application's transaction goes on after each transaction of the store. */
  @FunctionalInterface
  interface Sequel {
    /**
     * Goes on. Called once for each of the store's transactions, in their order; must not block.
     */
    Next after(Result<Trace> result);
  }

  /** How an application's transaction goes on. */
  sealed interface Next {
    /** Not at all: it has become what the last of the store's transactions has. */
    Next END = new End();

    /** Not at all: it was given up half-way. */
    Next ABANDON = new Abandon();

    /** See {@link #END}. */
    record End() implements Next {}

    /** See {@link #ABANDON}. */
    record Abandon() implements Next {}

    /**
     * With another transaction of the store.
     *
     * @param delayMicros microseconds to wait before, 0 or more
     */
    record Step(TransactionBody<Trace> body, long delayMicros) implements Next {}
  }
}
