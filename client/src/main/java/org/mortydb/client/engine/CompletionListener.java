package org.mortydb.client.engine;

import org.mortydb.protocol.machine.Completion;

/**
 * Hears how every attempt of every transaction ended, for histories and statistics. What it throws
 * is reported to the engine's host, and changes nothing for the transaction.
 */
@FunctionalInterface
public interface CompletionListener {

  /** Called when an attempt has ended, on the engine's thread, before the application hears it. */
  void completed(CompletedAttempt attempt);

  /**
   * Called on the engine's thread when its admission has changed. The sums over all calls of all
   * engines are the limits in force and the transactions that wait; an engine that closes takes its
   * part back.
   *
   * @param limitBy by how much the limit has grown, or fallen if negative
   * @param waitingBy by how much the number of transactions that wait has grown, or fallen
   */
  default void admissionChanged(int limitBy, int waitingBy) {}

  /** A listener that calls this one, then another. */
  default CompletionListener andThen(CompletionListener next) {
    CompletionListener first = this;
    return new CompletionListener() {
      @Override
      public void completed(CompletedAttempt attempt) {
        first.completed(attempt);
        next.completed(attempt);
      }

      @Override
      public void admissionChanged(int limitBy, int waitingBy) {
        first.admissionChanged(limitBy, waitingBy);
        next.admissionChanged(limitBy, waitingBy);
      }
    };
  }

  /**
   * One attempt. All times are microseconds of the engine's wall clock.
   *
   * @param completion how it ended
   * @param callMicros when the application asked for the transaction
   * @param beginMicros when this attempt began
   * @param commitMicros when this attempt first asked to commit; -1 if it did not
   * @param endMicros when it ended
   * @param attempt the attempt's number within the transaction, from 1
   * @param reexecutions how often the attempt re-executed, 0 or more
   */
  record CompletedAttempt(
      Completion completion,
      long callMicros,
      long beginMicros,
      long commitMicros,
      long endMicros,
      int attempt,
      int reexecutions) {}
}
