package org.mortydb.client;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.model.TxnId;

/**
 * How a transaction ended. Never a guess: an outcome that cannot be learnt in time is {@link
 * OutcomeUnknown}.
 *
 * @param <R> the type of the transaction's yield: the final state in the continuation-passing
 *     style, the body's return value in the direct style
 */
public sealed interface Result<R extends @Nullable Object> {

  /** The attempts and the time that the transaction took. */
  TransactionInfo info();

  /** True for {@link Committed} alone. */
  default boolean isCommitted() {
    return this instanceof Committed;
  }

  /**
   * Committed: every value that the transaction read was right.
   *
   * @param value the yield of the committed execution
   */
  record Committed<R extends @Nullable Object>(R value, TransactionInfo info)
      implements Result<R> {}

  /**
   * Aborted because the application asked for it; nothing of the transaction remains. All that it
   * has read was right, unless {@link TransactionOptions#validatesAborts} is off.
   *
   * @param value the state given to {@link Transaction#abort}; null in the direct style
   */
  record AbortedByApplication<R extends @Nullable Object>(@Nullable R value, TransactionInfo info)
      implements Result<R> {}

  /**
   * Aborted by the store after {@link TransactionInfo#attempts} attempts; nothing of the
   * transaction remains. A later retry is safe.
   *
   * @param reason why the last attempt ended; {@link AbortReason#DEADLINE} when the deadline passed
   */
  record AbortedByConflict<R extends @Nullable Object>(AbortReason reason, TransactionInfo info)
      implements Result<R> {
    /** How many attempts there were, at least 1. */
    public int attempts() {
      return info.attempts();
    }
  }

  /**
   * Committed or aborted: the client could not learn the outcome until the grace period after the
   * deadline was over, or was closed before; or, with a clock uncertainty, its clock was set back
   * while a commit waited. It did not retry, because the transaction may have committed. Read the
   * data before you try again.
   */
  record OutcomeUnknown<R extends @Nullable Object>(TransactionInfo info) implements Result<R> {
    /** The transaction whose outcome is unknown. */
    public TxnId txn() {
      return info.txn();
    }
  }
}
