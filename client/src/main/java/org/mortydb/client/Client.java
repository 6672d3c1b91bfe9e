package org.mortydb.client;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Runs transactions. Safe for use by several threads. */
public interface Client extends AutoCloseable {

  /**
   * Runs a transaction in the continuation-passing style with the client's options.
   *
   * @see #execute(Object, TransactionOptions, TransactionBody)
   */
  <S> CompletableFuture<Result<S>> execute(S initialState, TransactionBody<S> body);

  /**
   * Runs a transaction in the continuation-passing style.
   *
   * @param initialState the state of the first context of every attempt
   * @return completes with the result on the client's own thread, so what depends on it and blocks
   *     belongs on another one. Fails with what a turn threw (nothing of the transaction remains),
   *     or with {@link OverloadedException}, {@link TransactionRefusedException}, {@link
   *     NotAuthorizedException} or {@link ClientClosedException}
   */
  <S> CompletableFuture<Result<S>> execute(
      S initialState, TransactionOptions options, TransactionBody<S> body);

  /** The client's options, for transactions that are given none. */
  TransactionOptions options();

  /**
   * Runs a transaction in the direct style with the client's options.
   *
   * @see #run(TransactionOptions, DirectBody)
   */
  <R extends @Nullable Object> Result<R> run(DirectBody<R> body);

  /**
   * Runs a transaction in the direct style, and returns when it has ended. The body runs on the
   * calling thread, which is best a virtual one. Interrupts do not end the wait, which the deadline
   * bounds; they are pending again on return.
   *
   * @throws IllegalStateException when called on the client's own thread, or within a transaction
   *     in the direct style
   * @throws RuntimeException what the body threw; nothing of the transaction remains
   * @throws OverloadedException see there; likewise {@link TransactionRefusedException}, {@link
   *     NotAuthorizedException} and {@link ClientClosedException}
   */
  <R extends @Nullable Object> Result<R> run(TransactionOptions options, DirectBody<R> body);

  /**
   * Ends the client. Transactions that have not asked to commit are aborted and fail with {@link
   * ClientClosedException}; those that have end as {@link Result.OutcomeUnknown} unless the outcome
   * is known. Returns when the client's threads have ended.
   */
  @Override
  void close();
}
