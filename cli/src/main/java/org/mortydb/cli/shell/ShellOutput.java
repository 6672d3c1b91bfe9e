package org.mortydb.cli.shell;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Result;
import org.mortydb.protocol.model.TxnId;

/** Shows the results of statements. Used by several threads, one at a time. */
interface ShellOutput {
  /**
   * An operation was done.
   *
   * @param cost the cost of its transaction; null within a transaction of several statements
   */
  void done(Statement.Operation operation, Effect effect, @Nullable Cost cost);

  /** A transaction of several statements was begun. */
  void begun();

  /** A transaction of several statements has committed. */
  void committed(Cost cost);

  /** A transaction of several statements was rolled back on request. */
  void rolledBack();

  /** The open transaction re-executed, and reads differ from what was shown. */
  void reexecuted(List<Change> changes);

  /** A commit was postponed because reads have changed since they were shown. */
  void putOff(List<Change> changes);

  /** Whether costs are shown. */
  void timing(boolean on);

  /** Lists the statements. */
  void help();

  /**
   * A statement failed.
   *
   * @param what the kind of failure, for programs
   * @param why the reason, for people
   */
  void failed(Failure what, String why);

  /** Kinds of failure. */
  enum Failure {
    /** The statement cannot be parsed, or is not allowed here. */
    SYNTAX,
    /** The stored value does not allow the operation. */
    REFUSED,
    /** The transaction was aborted; nothing of it remains. */
    ABORTED,
    /** The outcome of the transaction is unknown. */
    UNKNOWN
  }

  /**
   * The cost of a transaction.
   *
   * @param micros the time from the call to the result
   * @param attempts how many attempts it made, each with a new timestamp
   * @param reexecutions how often a part of it re-executed
   * @param path how the commit was decided
   * @param place the place of the past that it has read; null if it has read none
   * @param ageMicros how old the state at that place was when it began; 0 without a place
   */
  record Cost(
      long micros,
      int attempts,
      int reexecutions,
      String path,
      @Nullable TxnId place,
      long ageMicros) {
    static Cost of(Result<?> result) {
      return new Cost(
          result.info().latencyMicros(),
          result.info().attempts(),
          result.info().reexecutions(),
          String.valueOf(result.info().path()).toLowerCase(java.util.Locale.ROOT),
          result.info().place(),
          result.info().ageMicros());
    }
  }
}
