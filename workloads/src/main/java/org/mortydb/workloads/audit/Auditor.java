package org.mortydb.workloads.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.check.journal.ObservedTransaction;
import org.mortydb.check.journal.Stamp;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Client;
import org.mortydb.client.Result;
import org.mortydb.workloads.rows.RowReader;

/**
 * Reads records in transactions once the load is over, and collects what is wrong with them. What
 * it reads becomes part of the history, so that the check of the history covers the records' last
 * state as well. Used by one thread, which is none of the client's own.
 */
public final class Auditor {
  private static final int TRIES = 5;

  private final Client client;
  private final @Nullable HistoryLog log;
  private final int session;
  private final boolean outcomesKnown;
  private final List<Condition> conditions = new ArrayList<>();
  private int sequence;
  private long transactions;
  private long reads;

  /**
   * @param log receives its transactions; null to keep no history
   * @param session its own in the history
   * @param outcomesKnown whether the outcome of every transaction before is known
   */
  public Auditor(Client client, @Nullable HistoryLog log, int session, boolean outcomesKnown) {
    this.client = client;
    this.log = log;
    this.session = session;
    this.outcomesKnown = outcomesKnown;
  }

  /** Begins to look at a condition; conditions are reported in this order. */
  public Condition condition(String name) {
    Condition condition = new Condition(name);
    conditions.add(condition);
    return condition;
  }

  /**
   * Whether the outcome of every transaction of the run is known; if not, what was counted by
   * outcomes and what is stored may differ.
   */
  public boolean outcomesKnown() {
    return outcomesKnown;
  }

  /**
   * Reads in one transaction.
   *
   * @param body reads, and has no other effects; may run more than once
   * @throws AuditFailedException when it does not commit
   */
  public <T> T read(Function<RowReader, T> body) {
    Result<Read<T>> last = null;
    for (int i = 0; i < TRIES; i++) {
      last =
          client.run(
              txn -> {
                RowReader reader = new RowReader(txn, new Stamp(session, ++sequence));
                T value = body.apply(reader);
                return new Read<>(value, reader.trace());
              });
      if (last instanceof Result.Committed<Read<T>>(Read<T> read, var info)) {
        transactions++;
        reads += readsOf(read.trace);
        if (log != null) {
          log.append(
              new ObservedTransaction(
                  info.txn(),
                  true,
                  session,
                  read.trace.stamp().sequence(),
                  read.trace.lastRead(),
                  null));
        }
        return read.value;
      }
    }
    throw new AuditFailedException("the records cannot be read at the end of the run: " + last);
  }

  private record Read<T>(T value, Trace trace) {}

  private static long readsOf(Trace trace) {
    long count = 0;
    for (var r = trace.lastRead(); r != null; r = r.previous()) {
      count++;
    }
    return count;
  }

  /** Transactions that it has read in. */
  public long transactions() {
    return transactions;
  }

  /** Records that it has read. */
  public long reads() {
    return reads;
  }

  /** What was found, empty when there was no condition to look at. */
  public List<Finding> findings() {
    return conditions.stream().map(Condition::finding).toList();
  }
}
