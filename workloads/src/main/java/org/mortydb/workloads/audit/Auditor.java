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
 * Reads records in transactions after the load has ended, and collects violated conditions. The
 * reads become part of the history, so the check of the history also covers the final state. For
 * one thread, which must not be the client's.
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
   * @param log receives the auditor's transactions; null to keep no history
   * @param session the auditor's session number in the history
   * @param outcomesKnown whether the outcome of every earlier transaction is known
   */
  public Auditor(Client client, @Nullable HistoryLog log, int session, boolean outcomesKnown) {
    this.client = client;
    this.log = log;
    this.session = session;
    this.outcomesKnown = outcomesKnown;
  }

  /** Adds a condition. Conditions are reported in this order. */
  public Condition condition(String name) {
    Condition condition = new Condition(name);
    conditions.add(condition);
    return condition;
  }

  /**
   * Whether the outcome of every transaction of the run is known. If not, counts of outcomes and
   * the stored state may differ.
   */
  public boolean outcomesKnown() {
    return outcomesKnown;
  }

  /**
   * Reads in one transaction.
   *
   * @param body reads, and has no other effects; may run more than once
   * @throws AuditFailedException when the transaction does not commit
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

  /** The number of the auditor's transactions. */
  public long transactions() {
    return transactions;
  }

  /** The number of records read. */
  public long reads() {
    return reads;
  }

  /** The findings; empty when there was no condition to check. */
  public List<Finding> findings() {
    return conditions.stream().map(Condition::finding).toList();
  }
}
