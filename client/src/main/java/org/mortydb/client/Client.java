package org.mortydb.client;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs transactions, in the continuation-passing style with {@code execute}, in the direct style
 * with {@code run}. Safe for use by several threads.
 */
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
   * @return completes with the result, on the client's own thread: dependent code that blocks
   *     belongs on another thread. Fails with the exception that a turn threw, or with {@link
   *     OverloadedException}, {@link TransactionRefusedException}, {@link NotAuthorizedException}
   *     or {@link ClientClosedException}; with {@link IllegalArgumentException} or {@link
   *     UnsupportedOperationException} when the cluster cannot keep what the options promise.
   *     Nothing of the transaction remains then
   * @throws NullPointerException when an argument is missing
   */
  <S> CompletableFuture<Result<S>> execute(
      S initialState, TransactionOptions options, TransactionBody<S> body);

  /** The options of transactions that are begun without options of their own. */
  TransactionOptions options();

  /**
   * Runs a transaction in the direct style with the client's options.
   *
   * @see #run(TransactionOptions, DirectBody)
   */
  <R extends @Nullable Object> Result<R> run(DirectBody<R> body);

  /**
   * Runs a transaction in the direct style, and returns when it has ended. The body runs on the
   * calling thread, which is best a virtual one. The deadline bounds the wait, with a grace period
   * in which the outcome of a commit may become certain, 2 s by default. It does not end a body
   * that makes no calls, and nor does an interrupt; the thread's interrupted status is set again on
   * return.
   *
   * @throws IllegalStateException when called on the client's own thread, or within a transaction
   *     in the direct style
   * @throws RuntimeException the exception that the body threw; nothing of the transaction remains,
   *     and all that it had read was right, unless {@link TransactionOptions#validatesAborts} is
   *     off
   * @throws OverloadedException when too many transactions are in flight and queued
   * @throws TransactionRefusedException when a replica refuses the transaction for its content
   * @throws NotAuthorizedException when this client lacks the right to write
   * @throws IllegalArgumentException when the cluster cannot keep what the options promise
   * @throws UnsupportedOperationException when the cluster's system lacks what the options promise
   * @throws ClientClosedException when the client was closed before the transaction asked to commit
   */
  <R extends @Nullable Object> Result<R> run(TransactionOptions options, DirectBody<R> body);

  /**
   * Ends the client. A transaction that has not asked to commit is aborted and fails with {@link
   * ClientClosedException}. A transaction that has ends as {@link Result.OutcomeUnknown}, unless
   * its outcome is known. Returns when the client's threads have ended. Further calls change
   * nothing, and wait as well. Not for code on the client's own thread.
   */
  @Override
  void close();
}
