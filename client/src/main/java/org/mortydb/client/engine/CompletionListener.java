package org.mortydb.client.engine;

import org.mortydb.protocol.machine.Completion;

/** Is told how every attempt of every transaction ended, for histories and statistics. */
@FunctionalInterface
public interface CompletionListener {

  /** An attempt ended. Called on the engine's thread, before the application hears of it. */
  void completed(CompletedAttempt attempt);

  /** Tells this one, then another. */
  default CompletionListener andThen(CompletionListener next) {
    return attempt -> {
      completed(attempt);
      next.completed(attempt);
    };
  }

  /**
   * One attempt. All times are microseconds of the engine's wall clock.
   *
   * @param completion how it ended
   * @param callMicros when the application asked for the transaction
   * @param beginMicros when this attempt began
   * @param commitMicros when this attempt first asked to commit; -1 if it never did
   * @param endMicros when it ended
   * @param attempt its number within the transaction, from 1
   * @param reexecutions how often it re-executed
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
