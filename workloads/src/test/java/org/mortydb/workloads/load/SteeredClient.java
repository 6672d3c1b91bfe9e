package org.mortydb.workloads.load;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Stamp;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Client;
import org.mortydb.client.DirectBody;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionInfo;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.TxnId;

/** A client whose transactions end when the test decides. */
final class SteeredClient implements Client {
  private final ArrayDeque<CompletableFuture<Result<Object>>> underWay = new ArrayDeque<>();
  int begun;

  /** The number of running transactions. */
  synchronized int underWay() {
    return underWay.size();
  }

  /** Commits the oldest transaction. */
  void commitNext(int attempts, int reexecutions, Path path) {
    CompletableFuture<Result<Object>> oldest;
    synchronized (this) {
      oldest = underWay.remove();
    }
    Trace trace = Trace.of(new Stamp(0, 1)).committing(System.nanoTime());
    TxnId id = new TxnId(System.nanoTime() / 1_000, 1, 0);
    oldest.complete(
        new Result.Committed<>(trace, new TransactionInfo(id, attempts, reexecutions, path, 1)));
  }

  void fail(Throwable cause) {
    CompletableFuture<Result<Object>> oldest;
    synchronized (this) {
      oldest = underWay.remove();
    }
    oldest.completeExceptionally(cause);
  }

  @Override
  public TransactionOptions options() {
    return TransactionOptions.DEFAULTS;
  }

  @Override
  public <S> CompletableFuture<Result<S>> execute(S initialState, TransactionBody<S> body) {
    CompletableFuture<Result<Object>> future = new CompletableFuture<>();
    synchronized (this) {
      begun++;
      underWay.add(future);
    }
    @SuppressWarnings("unchecked") // every state of these tests is a trace
    CompletableFuture<Result<S>> typed = (CompletableFuture<Result<S>>) (Object) future;
    return typed;
  }

  @Override
  public <S> CompletableFuture<Result<S>> execute(
      S initialState, TransactionOptions options, TransactionBody<S> body) {
    return execute(initialState, body);
  }

  @Override
  public <R extends @Nullable Object> Result<R> run(DirectBody<R> body) {
    throw new UnsupportedOperationException();
  }

  @Override
  public <R extends @Nullable Object> Result<R> run(
      TransactionOptions options, DirectBody<R> body) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
