package org.mortydb.client;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.model.TxnId;

/**
 * How a transaction ended. Never a guess: what cannot be learnt in time is {@link OutcomeUnknown}.
 *
 * @param <R> what the transaction yields: the final state in the continuation-passing style, the
 *     body's return value in the direct style
 */
public sealed interface Result<R extends @Nullable Object> {

  /** What it cost. */
  TransactionInfo info();

  /** True for {@link Committed} alone. */
  default boolean isCommitted() {
    return this instanceof Committed;
  }

  /**
   * Committed, and every read of it was right.
   *
   * @param value what the committed execution yielded
   */
  record Committed<R extends @Nullable Object>(R value, TransactionInfo info)
      implements Result<R> {}

  /**
   * Aborted because the application said so; nothing of it remains.
   *
   * @param value the state given to {@link Transaction#abort}; null in the direct style
   */
  record AbortedByApplication<R extends @Nullable Object>(@Nullable R value, TransactionInfo info)
      implements Result<R> {}

  /**
   * Aborted by the store after {@link TransactionInfo#attempts} attempts; nothing of it remains.
   * Trying again later is safe.
   *
   * @param reason why the last attempt ended; {@link AbortReason#DEADLINE} when time ran out
   */
  record AbortedByConflict<R extends @Nullable Object>(AbortReason reason, TransactionInfo info)
      implements Result<R> {
    /** How often it was tried. */
    public int attempts() {
      return info.attempts();
    }
  }

  /**
   * Committed or aborted, and no replica that knows could be asked before the deadline. It was not
   * retried, because it may have committed.
   */
  record OutcomeUnknown<R extends @Nullable Object>(TransactionInfo info) implements Result<R> {
    /** The transaction whose outcome is unknown. */
    public TxnId txn() {
      return info.txn();
    }
  }
}
