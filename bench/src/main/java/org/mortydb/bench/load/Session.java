package org.mortydb.bench.load;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.history.HistoryLog;
import org.mortydb.bench.history.ObservedTransaction;
import org.mortydb.bench.history.Stamp;
import org.mortydb.bench.history.Trace;
import org.mortydb.client.Client;
import org.mortydb.client.Result;

/** Runs one transaction after the other, and records every one. */
final class Session {
  private final int id;
  private final Client client;
  private final Workload.Source source;
  private final Meter meter;
  private final @Nullable HistoryLog log;
  private final Trace start;

  /** Attempts so far. Changed on the client's thread, one transaction at a time. */
  private int sequence;

  /**
   * @param id unique in the history
   * @param log null to keep no history
   */
  Session(int id, Client client, Workload.Source source, Meter meter, @Nullable HistoryLog log) {
    this.id = id;
    this.client = client;
    this.source = source;
    this.meter = meter;
    this.log = log;
    this.start = Trace.of(new Stamp(id, 0));
  }

  /**
   * Begins a transaction, if there is one left; the one before must have ended.
   *
   * @param dueNanos when it should begin or should have begun
   * @param whenEnded gets null, or why it could not be run at all; called on the client's thread
   * @return false when there is none left
   */
  boolean run(long dueNanos, Consumer<@Nullable Throwable> whenEnded) {
    Workload.Planned planned = source.next();
    if (planned == null) {
      return false;
    }
    var unused =
        client
            .execute(
                start,
                (txn, ctx) -> {
                  Stamp stamp = new Stamp(id, ++sequence);
                  planned.body().begin(txn, ctx.with(Trace.of(stamp)));
                })
            .whenComplete(
                (result, failure) -> {
                  Throwable error = failure;
                  if (error == null) {
                    error = ended(planned.type(), dueNanos, result);
                  }
                  whenEnded.accept(error);
                });
    return true;
  }

  private @Nullable Throwable ended(int type, long dueNanos, Result<Trace> result) {
    long now = System.nanoTime();
    try {
      meter.ended(type, dueNanos, now, result);
      if (log != null) {
        record(result, log);
      }
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }

  private void record(Result<Trace> result, HistoryLog to) {
    switch (result) {
      case Result.Committed<Trace>(Trace trace, var info) ->
          to.append(
              new ObservedTransaction(
                  info.txn(),
                  true,
                  id,
                  trace.stamp().sequence(),
                  trace.lastRead(),
                  trace.lastWrite()));
      case Result.OutcomeUnknown<Trace>(var info) ->
          to.append(new ObservedTransaction(info.txn(), false, id, sequence, null, null));
      // Nothing of an aborted transaction may ever be read: the check needs no record of it.
      case Result.AbortedByApplication<Trace> a -> {}
      case Result.AbortedByConflict<Trace> a -> {}
    }
  }
}
