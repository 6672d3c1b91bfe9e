package org.mortydb.bench.load;

import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.history.Trace;
import org.mortydb.client.TransactionBody;

/** What a load generator needs to know of a workload. */
public interface Workload {

  /** Its name in records of measurements, in lower case. */
  String name();

  /** The names of its types of transactions. */
  List<String> types();

  /** How many records it has. Records are numbered from 0; at first all are absent. */
  int records();

  /** A record's key, as text. */
  String recordName(int record);

  /**
   * The transactions of one session.
   *
   * @param random the session's own
   */
  Source source(RandomGenerator random);

  /**
   * A share of the transactions that fill the records at first. All may run at the same time.
   *
   * @param part which share, 0 to {@code parts} - 1
   */
  Source filling(RandomGenerator random, int part, int parts);

  /** How many transactions all shares of {@link #filling} have together. */
  int fillings();

  /** Yields one transaction after the other. Not safe for use by several threads. */
  interface Source {
    /** The next transaction to run, null when there is none left. */
    @Nullable Planned next();
  }

  /**
   * A transaction with all that chance decides drawn. The state that its body gets is a trace with
   * nothing but a stamp; every read and write goes into it.
   *
   * @param type its place in {@link Workload#types}
   */
  record Planned(int type, TransactionBody<Trace> body) {}
}
