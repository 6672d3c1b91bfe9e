package org.mortydb.peers.occ;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.Entry;
import org.mortydb.client.Result;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.peers.occ.OptimisticClient.Tries;
import org.mortydb.peers.occ.VersionedStore.Answer;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Value;

/** A transaction in the continuation-passing style, with all its attempts. */
final class ContinuationRun<S> implements Transaction<S> {

  /** A turn. Only its thread knows whether it has ended; the next one may already run. */
  private static final class Turn {
    boolean ended;
  }

  /** A context, which is valid for one turn. */
  private record TurnContext<S>(S state, Turn turn) implements Context<S> {
    @Override
    public Context<S> with(S newState) {
      return new TurnContext<>(newState, turn);
    }
  }

  private final Tries tries;
  private final S initialState;
  private final TransactionBody<S> body;
  private final CompletableFuture<Result<S>> result = new CompletableFuture<>();
  private @Nullable OptimisticAttempt attempt;
  private @Nullable Turn turn;

  ContinuationRun(Tries tries, S initialState, TransactionBody<S> body) {
    this.tries = tries;
    this.initialState = initialState;
    this.body = body;
  }

  CompletableFuture<Result<S>> result() {
    return result;
  }

  /** Starts an attempt. */
  void begin(Answer.@Nullable Conflict conflict) {
    try {
      attempt = tries.next(conflict);
      turn(initialState, ctx -> body.begin(this, ctx));
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  /** Runs a turn. An exception ends the transaction. */
  private void turn(S state, Consumer<Context<S>> what) {
    Turn own = new Turn();
    turn = own;
    try {
      what.accept(new TurnContext<>(state, own));
    } catch (RuntimeException | Error e) {
      result.completeExceptionally(e);
      return;
    }
    if (!own.ended) {
      result.completeExceptionally(
          new IllegalStateException(
              "a turn of the transaction ended without a read, a commit or an abort, so the"
                  + " transaction would never end"));
    }
  }

  private OptimisticAttempt current(Context<S> ctx, String call) {
    OptimisticAttempt current = attempt;
    if (current == null
        || !(ctx instanceof TurnContext<S>(S state, Turn own))
        || own != turn
        || own.ended) {
      throw new IllegalStateException(call + " outside of the turn that the context belongs to");
    }
    return current;
  }

  /** The attempt of a call that ends the turn. */
  private OptimisticAttempt ending(Context<S> ctx, String call) {
    OptimisticAttempt current = current(ctx, call);
    ((TurnContext<S>) ctx).turn().ended = true;
    return current;
  }

  @Override
  public int attempt() {
    return tries.attempts();
  }

  @Override
  public <V> void get(Context<S> ctx, TypedKey<V> key, Continuation<S, @Nullable V> next) {
    OptimisticAttempt current = ending(ctx, "get");
    read(
        current,
        ctx.state(),
        List.of(key.key()),
        (after, values) -> next.resume(after, key.decode(values.getFirst())));
  }

  @Override
  public <V> void getAll(
      Context<S> ctx,
      List<? extends TypedKey<? extends V>> keys,
      Continuation<S, List<@Nullable V>> next) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("getAll needs at least one key");
    }
    OptimisticAttempt current = ending(ctx, "getAll");
    List<TypedKey<? extends V>> typed = new ArrayList<>(keys);
    List<Key> plain = new ArrayList<>(typed.size());
    for (TypedKey<? extends V> key : typed) {
      plain.add(key.key());
    }
    read(
        current,
        ctx.state(),
        plain,
        (after, values) -> {
          List<@Nullable V> decoded = new ArrayList<>(values.size());
          for (int i = 0; i < values.size(); i++) {
            decoded.add(typed.get(i).decode(values.get(i)));
          }
          next.resume(after, decoded);
        });
  }

  @Override
  public <K, V> void scan(
      Context<S> ctx, TypedRange<K, V> range, int limit, Continuation<S, List<Entry<K, V>>> next) {
    throw OptimisticClient.cannotScan(range);
  }

  private void read(
      OptimisticAttempt current, S state, List<Key> keys, Continuation<S, List<Value>> next) {
    var unused =
        current
            .read(keys)
            .whenComplete(
                (values, failure) -> {
                  if (failure == null) {
                    turn(state, ctx -> next.resume(ctx, values));
                  } else {
                    noAnswer(failure);
                  }
                });
  }

  @Override
  public <V> void put(Context<S> ctx, TypedKey<V> key, V value) {
    write(ctx, "put", key.key(), key.encode(value));
  }

  @Override
  public void delete(Context<S> ctx, TypedKey<?> key) {
    write(ctx, "delete", key.key(), Value.ABSENT);
  }

  private void write(Context<S> ctx, String call, Key key, Value value) {
    OptimisticAttempt current = current(ctx, call);
    if (tries.readOnly()) {
      throw new IllegalStateException(call + " in a read-only transaction");
    }
    current.write(key, value);
  }

  @Override
  public void commit(Context<S> ctx) {
    commit(ctx, ended -> {});
  }

  @Override
  public void commit(Context<S> ctx, Consumer<Result<S>> next) {
    OptimisticAttempt current = ending(ctx, "commit");
    S state = ctx.state();
    var unused =
        current
            .commit()
            .whenComplete(
                (answer, failure) -> {
                  if (failure != null) {
                    noAnswer(failure);
                  } else {
                    switch (answer) {
                      case Answer.Committed committed -> {
                        Result<S> ended = tries.committed(committed, state);
                        next.accept(ended);
                        result.complete(ended);
                      }
                      case Answer.Conflict conflict -> again(AbortReason.CONFLICT, conflict);
                      case Answer.Unknown unknown -> result.complete(tries.unknown(unknown));
                    }
                  }
                });
  }

  @Override
  public void abort(Context<S> ctx) {
    var unused = ending(ctx, "abort");
    result.complete(tries.abandoned(ctx.state()));
  }

  private void noAnswer(Throwable failure) {
    Throwable cause = OptimisticClient.cause(failure);
    if (cause instanceof UnusableException) {
      result.completeExceptionally(cause);
    } else {
      again(AbortReason.NOT_SERVING, null);
    }
  }

  private void again(AbortReason reason, Answer.@Nullable Conflict conflict) {
    long waitMicros = tries.failed(reason);
    if (waitMicros < 0) {
      result.complete(tries.lost(AbortReason.DEADLINE));
    } else {
      Executor later = CompletableFuture.delayedExecutor(waitMicros, TimeUnit.MICROSECONDS);
      later.execute(() -> begin(conflict));
    }
  }
}
