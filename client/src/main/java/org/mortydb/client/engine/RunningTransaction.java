package org.mortydb.client.engine;

import org.jspecify.annotations.Nullable;
import org.mortydb.client.NotAuthorizedException;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionInfo;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TransactionRefusedException;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.past.PastCoordinator;

/** A transaction from the call to its result, over all attempts. */
final class RunningTransaction<R extends @Nullable Object> {
  /**
   * The map of a transaction that lives under that of its timestamp, as all do but those of
   * records.
   */
  static final int BY_TIME = -1;

  private final EngineHost host;

  /** The same by the clock that does not jump. */
  private final long begunMicros;

  final Driver<R> driver;
  final TransactionOptions options;

  /** When the application called, by the wall clock. */
  final long callMicros;

  /** The number of the map under which the transaction lives, or {@link #BY_TIME}. */
  final int map;

  int attempts;

  /** Whether no replica had a place as new as this reader needs, so that it asks for votes. */
  boolean foundAllBehind;

  /** Whether replicas had fenced the id of an attempt, so that slots are of no use to it. */
  boolean wasTooOld;

  /** The timestamp of the first attempt. */
  long ageMicros;

  /** Re-executions of the attempts before the current one. */
  int earlierReexecutions;

  RunningTransaction(
      EngineHost host, Driver<R> driver, TransactionOptions options, long callMicros, int map) {
    this.host = host;
    this.driver = driver;
    this.options = options;
    this.callMicros = callMicros;
    this.begunMicros = host.elapsedMicros();
    this.map = map;
  }

  /** The rest of the deadline. */
  long remainingMicros() {
    return options.deadlineMicros() - elapsedMicros();
  }

  private long elapsedMicros() {
    return Math.max(0, host.elapsedMicros() - begunMicros);
  }

  /**
   * Ends as the last attempt did.
   *
   * @param completion null when the outcome cannot be learnt any more
   */
  void end(Attempt attempt, @Nullable Completion completion) {
    switch (completion) {
      case null -> endUnknown(attempt);
      case Completion.Committed committed -> {
        Attempt.@Nullable Forgone forgone = attempt.forgone(committed);
        if (forgone == null) {
          endCommitted(attempt, committed);
        } else {
          endForgone(forgone, info(attempt, idOf(attempt), null));
        }
      }
      case Completion.Unknown unknown when attempt.isForgone() && unknown.writes().isEmpty() ->
          complete(
              new Result.AbortedByConflict<R>(
                  AbortReason.DEADLINE, info(attempt, idOf(attempt), null)));
      case Completion.Unknown _ -> endUnknown(attempt);
      case Completion.Aborted aborted -> endAborted(attempt, aborted);
    }
  }

  @SuppressWarnings("NullAway") // an execution that committed has yielded an R
  private void endCommitted(Attempt attempt, Completion.Committed committed) {
    R value = driver.yielded(committed.execution());
    complete(new Result.Committed<R>(value, info(attempt, committed.position(), committed.path())));
  }

  /** The application has given up in the execution that has committed, with its reads alone. */
  private void endForgone(Attempt.Forgone forgone, TransactionInfo info) {
    Throwable failure = forgone.failure();
    if (failure != null) {
      fail(failure);
    } else {
      complete(new Result.AbortedByApplication<R>(driver.yielded(forgone.execution()), info));
    }
  }

  private void endUnknown(Attempt attempt) {
    complete(new Result.OutcomeUnknown<R>(info(attempt, idOf(attempt), null)));
  }

  private void endAborted(Attempt attempt, Completion.Aborted aborted) {
    TransactionInfo info = info(attempt, idOf(attempt), null);
    switch (aborted.reason()) {
      case APPLICATION -> endAsWanted(attempt, info);
      case REFUSED -> fail(refused(aborted.txn()));
      case NOT_AUTHORIZED -> fail(notAuthorized(aborted.txn()));
      default -> complete(new Result.AbortedByConflict<R>(aborted.reason(), info));
    }
  }

  /** The application has given up or wanted another attempt, and nothing of it remains. */
  private void endAsWanted(Attempt attempt, TransactionInfo info) {
    Throwable failure = attempt.failure();
    if (failure != null) {
      fail(failure);
    } else if (attempt.will() == Attempt.Will.ABORT) {
      complete(new Result.AbortedByApplication<R>(driver.yielded(attempt.execution()), info));
    } else {
      complete(new Result.AbortedByConflict<R>(AbortReason.CONFLICT, info));
    }
  }

  private static TransactionRefusedException refused(TxnId txn) {
    return new TransactionRefusedException(
        "a replica refused transaction "
            + txn
            + ": client and server disagree on the partition layout or on the limits, so compare"
            + " their configurations and versions; or it has read more than "
            + Limits.MAX_OPERATIONS
            + " keys, rows of scans among them, or keys and values that it has read and written have"
            + " more than "
            + Limits.MAX_REQUEST_BYTES
            + " bytes");
  }

  private NotAuthorizedException notAuthorized(TxnId txn) {
    return new NotAuthorizedException(
        host.self()
            + " lacks the right '"
            + (map == BY_TIME ? "write" : "admin") // only changes write the record of a map
            + "', so a server refused transaction "
            + txn
            + ": grant it in the setting server.authorization of the servers");
  }

  private static TxnId idOf(Attempt attempt) {
    return attempt.coordinator().txn();
  }

  private TransactionInfo info(Attempt attempt, TxnId id, @Nullable Path path) {
    TxnId place = attempt.coordinator() instanceof PastCoordinator past ? past.place() : null;
    return new TransactionInfo(
        id,
        attempts,
        earlierReexecutions + attempt.coordinator().reexecutions(),
        path,
        elapsedMicros(),
        place,
        place == null ? 0 : Math.max(0, attempt.beginMicros - place.timeMicros()));
  }

  private void complete(Result<R> result) {
    try {
      driver.completed(result);
    } catch (Throwable e) { // checked ones as well: not all languages check them
      host.onError(e);
    }
  }

  /** Ends without a result. */
  void fail(Throwable cause) {
    try {
      driver.failed(cause);
    } catch (Throwable e) {
      host.onError(e);
    }
  }
}
