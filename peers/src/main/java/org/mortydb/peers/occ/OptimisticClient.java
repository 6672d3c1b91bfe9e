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
 * The transaction API by optimistic concurrency control over a {@link VersionedStore}, as etcd's
 * own client library offers it for etcd: reads remember versions, one atomic step at the end checks
 * them and writes, and who loses runs again from its beginning after the wait of the retry policy.
 *
 * <p>Unlike Morty's own client it has no thread of its own: turns run on threads of the store's
 * client library, those of one transaction one after the other. Limits of size are those of the
 * store. Ranges cannot be scanned.
 */
public final class OptimisticClient implements Client {
  private final VersionedStore store;
  private final TransactionOptions options;
  private final CompletionListener listener;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * @param options for transactions that are given none
   * @param listener is told of every attempt that loses a conflict, on the threads of turns
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
    return new DirectRun<>(new Tries(own), body).run();
  }

  /** Ends the client, and the store's connections with it. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      store.close();
    }
  }

  /** What went wrong, out of what futures wrap it in. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  /** Versions are checked key by key: a key that a scan did not find has none to be checked. */
  static UnsupportedOperationException cannotScan(TypedRange<?, ?> range) {
    return new UnsupportedOperationException(
        "the range "
            + range
            + " cannot be scanned: this client's stores are read by key; read the keys, or keep an"
            + " index of them in records");
  }

  /** The attempts of one transaction. Used by one thread at a time. */
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

    Attempt next(Answer.@Nullable Conflict conflict) {
      if (closed.get()) {
        throw new ClientClosedException("the client of the store is closed");
      }
      attempts++;
      return new Attempt(store, conflict);
    }

    /** The result that a transaction ends with when an attempt did commit. */
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

    /** The result when an attempt was the last that was allowed. */
    <R extends @Nullable Object> Result<R> lost(AbortReason reason) {
      return new Result.AbortedByConflict<>(reason, nameless());
    }

    /**
     * Counts an attempt that came to nothing.
     *
     * @return how long to wait before the next, in microseconds; -1 when there must be none
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
