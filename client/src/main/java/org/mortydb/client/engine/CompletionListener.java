package org.mortydb.client.engine;

import org.mortydb.protocol.machine.Completion;

/** Hears how every attempt of every transaction ended, for histories and statistics. */
@FunctionalInterface
public interface CompletionListener {

  /** Called when an attempt has ended, on the engine's thread, before the application hears it. */
  void completed(CompletedAttempt attempt);

  /** A listener that calls this one, then another. */
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
