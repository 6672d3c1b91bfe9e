package org.mortydb.peers.occ;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Client;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.DirectBody;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionInfo;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedRange;
import org.mortydb.client.engine.CompletionListener;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.peers.occ.VersionedStore.Answer;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;

/**
 * The transaction API by optimistic concurrency control over a {@link VersionedStore}, like etcd's
 * own client library. Reads remember versions, and one atomic step at the end checks them and
 * writes. A transaction that loses runs again from its begin after the back-off of the retry
 * policy.
 *
 * <p>Unlike Morty's client it has no thread of its own: turns run on threads of the store's client
 * library, those of a transaction one after another. The store limits sizes. There are no scans.
 */
public final class OptimisticClient implements Client {
  private final VersionedStore store;
  private final TransactionOptions options;
  private final CompletionListener listener;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * @param options the default options of transactions
   * @param listener receives every attempt that loses a conflict, on the threads of turns
   */
  public OptimisticClient(
      VersionedStore store, TransactionOptions options, CompletionListener listener) {
    this.store = store;
    this.options = options;
    this.listener = listener;
  }

  @Override
  public TransactionOptions options() {
    return options;
  }

  @Override
  public <S> CompletableFuture<Result<S>> execute(S initialState, TransactionBody<S> body) {
    return execute(initialState, options, body);
  }

  @Override
  public <S> CompletableFuture<Result<S>> execute(
      S initialState, TransactionOptions own, TransactionBody<S> body) {
    ContinuationRun<S> run = new ContinuationRun<>(new Tries(own), initialState, body);
    run.begin(null);
    return run.result();
  }

  @Override
  public <R extends @Nullable Object> Result<R> run(DirectBody<R> body) {
    return run(options, body);
  }

  @Override
  public <R extends @Nullable Object> Result<R> run(TransactionOptions own, DirectBody<R> body) {
    return new OptimisticRun<>(new Tries(own), body).run();
  }

  /** Closes the client and the store's connections. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      store.close();
    }
  }

  /** The cause of a failed future. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  /** The refusal of a scan: absent keys in a range have no versions to check. */
  static UnsupportedOperationException cannotScan(TypedRange<?, ?> range) {
    return new UnsupportedOperationException(
        "cannot scan the range "
            + range
            + ": this client reads single keys; read the keys, or keep an index in records");
  }

  /** The attempts of a transaction. Not thread-safe. */
  final class Tries {
    private final TransactionOptions own;
    private final long startNanos = System.nanoTime();
    private int attempts;

    Tries(TransactionOptions own) {
      this.own = own;
    }

    boolean readOnly() {
      return own.readOnly();
    }

    /** The number of the current attempt, from 1. */
    int attempts() {
      return attempts;
    }

    OptimisticAttempt next(Answer.@Nullable Conflict conflict) {
      if (closed.get()) {
        throw new ClientClosedException("the client of the store is closed");
      }
      attempts++;
      return new OptimisticAttempt(store, conflict);
    }

    /** The result after a committed attempt. */
    <R extends @Nullable Object> Result<R> committed(Answer.Committed answer, R value) {
      return new Result.Committed<>(
          value,
          new TransactionInfo(answer.position(), attempts, 0, Completion.Path.FAST, micros()));
    }

    <R extends @Nullable Object> Result<R> abandoned(@Nullable R value) {
      return new Result.AbortedByApplication<>(value, nameless());
    }

    <R extends @Nullable Object> Result<R> unknown(Answer.Unknown answer) {
      return new Result.OutcomeUnknown<>(
          new TransactionInfo(answer.name(), attempts, 0, null, micros()));
    }

    /** The result after the last allowed attempt. */
    <R extends @Nullable Object> Result<R> lost(AbortReason reason) {
      return new Result.AbortedByConflict<>(reason, nameless());
    }

    /**
     * Counts a failed attempt.
     *
     * @return the back-off before the next attempt, in microseconds; -1 if there must be none
     */
    long failed(AbortReason reason) {
      listener.completed(
          new CompletedAttempt(
              new Completion.Aborted(store.newName(), reason), 0, 0, -1, 0, attempts, 0));
      long wait = own.retry().backoffMicros(attempts, ThreadLocalRandom.current());
      boolean over =
          attempts >= own.retry().maxAttempts() || micros() + wait > own.deadlineMicros();
      return over ? -1 : wait;
    }

    private TransactionInfo nameless() {
      return new TransactionInfo(store.newName(), attempts, 0, null, micros());
    }

    private long micros() {
      return TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - startNanos);
    }
  }
}
