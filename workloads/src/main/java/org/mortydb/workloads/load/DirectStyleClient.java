package org.mortydb.workloads.load;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Client;
import org.mortydb.client.DirectBody;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.direct.ContinuationBody;

/** Runs every transaction in the direct style, on a virtual thread of its own. */
final class DirectStyleClient implements Client {
  private final Client client;

  DirectStyleClient(Client client) {
    this.client = client;
  }

  @Override
  public TransactionOptions options() {
    return client.options();
  }

  @Override
  public <S> CompletableFuture<Result<S>> execute(S initialState, TransactionBody<S> body) {
    return execute(initialState, options(), body);
  }

  @Override
  public <S> CompletableFuture<Result<S>> execute(
      S initialState, TransactionOptions options, TransactionBody<S> body) {
    CompletableFuture<Result<S>> future = new CompletableFuture<>();
    Thread.startVirtualThread(
        () -> {
          Result<S> result;
          try {
            result = client.run(options, new ContinuationBody<>(initialState, body));
          } catch (RuntimeException | Error e) {
            future.completeExceptionally(e);
            return;
          }
          future.complete(result);
        });
    return future;
  }

  @Override
  public <R extends @Nullable Object> Result<R> run(DirectBody<R> body) {
    return client.run(body);
  }

  @Override
  public <R extends @Nullable Object> Result<R> run(
      TransactionOptions options, DirectBody<R> body) {
    return client.run(options, body);
  }

  @Override
  public void close() {
    client.close();
  }
}
