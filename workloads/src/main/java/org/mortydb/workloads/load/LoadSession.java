package org.mortydb.workloads.load;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.check.journal.ObservedTransaction;
import org.mortydb.check.journal.Stamp;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Client;
import org.mortydb.client.OverloadedException;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionInfo;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.workloads.load.Workload.Next;
import org.mortydb.workloads.load.Workload.Planned;

/** Runs one transaction after another, and records each of them. */
final class LoadSession {
  private final int id;
  private final Client client;
  private final Workload.Source source;
  private final Meter meter;
  private final @Nullable HistoryLog log;
  private final LoadClock clock;

  /** The trace of the latest attempt at its begin. Changed by the running transaction's thread. */
  private Trace begun;

  /**
   * @param id unique in the history
   * @param log null to keep no history
   */
  LoadSession(
      int id,
      Client client,
      Workload.Source source,
      Meter meter,
      @Nullable HistoryLog log,
      LoadClock clock) {
    this.id = id;
    this.client = client;
    this.source = source;
    this.meter = meter;
    this.log = log;
    this.clock = clock;
    this.begun = newTrace(0);
  }

  /**
   * Begins a transaction, if there is one left. The previous one must have ended.
   *
   * @param dueNanos when the transaction is or was due
   * @param whenEnded receives null, or the error that kept the transaction from running; called on
   *     the client's thread
   * @return false when there is no transaction left
   */
  boolean run(long dueNanos, Consumer<@Nullable Throwable> whenEnded) {
    Planned planned = source.next();
    if (planned == null) {
      return false;
    }
    TransactionOptions options = client.options();
    new Run(planned, dueNanos, whenEnded)
        .step(planned.readOnly() ? options.forReading() : options, planned.body());
    return true;
  }

  /** One transaction of the application, which is one or several transactions of the store. */
  private final class Run {
    private final Planned planned;
    private final long dueNanos;
    private final Consumer<@Nullable Throwable> whenEnded;

    // The totals of the steps before the last one.
    private int retries;
    private int reexecutions;

    Run(Planned planned, long dueNanos, Consumer<@Nullable Throwable> whenEnded) {
      this.planned = planned;
      this.dueNanos = dueNanos;
      this.whenEnded = whenEnded;
    }

    void step(TransactionOptions options, TransactionBody<Trace> body) {
      int earlierAttempts = begun.stamp().sequence();
      var unused =
          client
              .execute(
                  begun,
                  options,
                  (txn, ctx) -> {
                    int sequence = earlierAttempts + txn.attempt();
                    if (begun.stamp().sequence() != sequence) {
                      begun = newTrace(sequence);
                    }
                    body.begin(txn, ctx.with(begun));
                  })
              .whenComplete(
                  (result, failure) -> {
                    try {
                      if (failure instanceof OverloadedException overload && overload.isLate()) {
                        endedInQueue(options);
                      } else if (failure != null) {
                        whenEnded.accept(failure);
                      } else {
                        stepEnded(result);
                      }
                    } catch (RuntimeException e) {
                      whenEnded.accept(e);
                    }
                  });
    }

    private void stepEnded(Result<Trace> result) {
      long now = clock.nanos();
      record(result);
      TransactionInfo info = result.info();
      switch (planned.sequel().after(result)) {
        case Next.End end -> ended(result, now);
        case Next.Abandon abandon -> ended(new Result.AbortedByApplication<>(null, info), now);
        case Next.Step(TransactionBody<Trace> body, long delayMicros) -> {
          retries += info.attempts() - 1;
          reexecutions += info.reexecutions();
          if (delayMicros == 0) {
            step(client.options(), body);
          } else {
            clock.after(delayMicros, () -> step(client.options(), body));
          }
        }
      }
    }

    /**
     * The client did not admit the transaction before its deadline, which counts as a conflict
     * would. A client that refuses transactions at once ends the load instead.
     */
    private void endedInQueue(TransactionOptions options) {
      TransactionInfo info =
          new TransactionInfo(TxnId.INITIAL, 1, 0, null, options.deadlineMicros());
      ended(new Result.AbortedByConflict<>(AbortReason.DEADLINE, info), clock.nanos());
    }

    private void ended(Result<Trace> result, long now) {
      meter.ended(planned.type(), dueNanos, now, result, retries, reexecutions);
      whenEnded.accept(null);
    }
  }

  private Trace newTrace(int sequence) {
    return Trace.of(new Stamp(id, sequence), clock::nanos);
  }

  private void record(Result<Trace> result) {
    if (log == null) {
      return;
    }
    switch (result) {
      case Result.Committed<Trace>(Trace trace, var info) -> {
        // Reads of the level local belong to no one state.
        if (info.path() != Path.LOCAL) {
          log.append(
              new ObservedTransaction(
                  info.txn(),
                  true,
                  id,
                  trace.stamp().sequence(),
                  trace.lastRead(),
                  trace.lastWrite(),
                  info.ageMicros()));
        }
      }
      // An unknown outcome is not retried, so the latest attempt is the one.
      case Result.OutcomeUnknown<Trace>(var info) ->
          log.append(
              new ObservedTransaction(
                  info.txn(),
                  false,
                  id,
                  begun.stamp().sequence(),
                  null,
                  begun.deletions().asWrites()));
      // No transaction reads an aborted one's writes, so the check needs no record of it.
      case Result.AbortedByApplication<Trace> a -> {}
      case Result.AbortedByConflict<Trace> a -> {}
    }
  }
}
