package org.mortydb.cli.verify;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.check.journal.ObservedTransaction;
import org.mortydb.check.journal.ObservedWrite;
import org.mortydb.check.journal.Stamp;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Client;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;

/**
 * Runs one transaction after the other, and keeps their history. Each attempt is a transaction of
 * its own for the client, so that the values of each attempt have a stamp of their own. Used by one
 * thread.
 */
final class ProbeSession {
  private static final TransactionOptions ONE_ATTEMPT =
      TransactionOptions.DEFAULTS.withRetry(RetryPolicy.NEVER);

  private final int id;
  private final Client client;
  private final KeySpace<Long, Probe> keys;
  private final HistoryLog log;
  private final Tally tally;
  private final RandomGenerator random;
  private int attempts;

  /**
   * @param id the session's number in the history
   */
  ProbeSession(
      int id,
      Client client,
      KeySpace<Long, Probe> keys,
      HistoryLog log,
      Tally tally,
      RandomGenerator random) {
    this.id = id;
    this.client = client;
    this.keys = keys;
    this.log = log;
    this.tally = tally;
    this.random = random;
  }

  /**
   * Runs a transaction until it ends in another way than by a conflict.
   *
   * @param goesOn whether an aborted transaction is tried again
   * @return whether it has committed
   */
  boolean run(Plan plan, BooleanSupplier goesOn) throws InterruptedException {
    long beginNanos = System.nanoTime();
    TransactionOptions options = plan.readOnly() ? ONE_ATTEMPT.forReading() : ONE_ATTEMPT;
    for (int attempt = 1; ; attempt++) {
      Stamp stamp = new Stamp(id, ++attempts);
      switch (client.run(options, txn -> execute(txn, plan, Trace.of(stamp)))) {
        case Result.Committed<Trace>(Trace trace, var info) -> {
          log.append(
              new ObservedTransaction(
                  info.txn(), true, id, stamp.sequence(), trace.lastRead(), trace.lastWrite()));
          tally.committed(info, (System.nanoTime() - beginNanos) / 1_000);
          return true;
        }
        case Result.OutcomeUnknown<Trace> unknown -> {
          log.append(
              new ObservedTransaction(
                  unknown.txn(), false, id, stamp.sequence(), null, deletions(plan)));
          tally.unknown.increment();
          return false;
        }
        // Nobody may read a value of an aborted attempt, so the history does not have it.
        case Result.AbortedByConflict<Trace> aborted -> tally.aborted.increment();
        case Result.AbortedByApplication<Trace> aborted -> throw new IllegalStateException();
      }
      if (!goesOn.getAsBoolean()) {
        return false;
      }
      TimeUnit.MICROSECONDS.sleep(RetryPolicy.DEFAULTS.backoffMicros(attempt, random));
    }
  }

  /** The transaction's body: the sum of what it read is what it writes. */
  private Trace execute(DirectTransaction txn, Plan plan, Trace begun) {
    Trace trace = begun;
    long sum = 0;
    List<@Nullable Probe> together =
        plan.together() ? txn.getAll(plan.reads().stream().map(keys::key).toList()) : List.of();
    for (int i = 0; i < plan.reads().size(); i++) {
      long record = plan.reads().get(i);
      @Nullable Probe found = plan.together() ? together.get(i) : txn.get(keys.key(record));
      trace =
          found == null
              ? trace.read(record, null, 0)
              : trace.read(record, found.writer(), found.hash());
      sum += 1 + (found == null ? 0 : found.number());
    }
    for (long record : plan.deletes()) {
      txn.delete(keys.key(record));
      trace = trace.deleted(record);
    }
    for (long record : plan.puts()) {
      Probe value = new Probe(trace.stamp(), sum++);
      TypedKey<Probe> key = keys.key(record);
      txn.put(key, value);
      trace = trace.wrote(record, value.hash());
    }
    return trace;
  }

  private static @Nullable ObservedWrite deletions(Plan plan) {
    @Nullable ObservedWrite last = null;
    for (long record : plan.deletes()) {
      last = new ObservedWrite(last, record, true, 0);
    }
    return last;
  }
}
