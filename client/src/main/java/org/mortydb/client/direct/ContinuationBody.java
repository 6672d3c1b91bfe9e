package org.mortydb.client.direct;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.DirectBody;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Entry;
import org.mortydb.client.Result;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;

/**
 * Runs a transaction that is written in the continuation-passing style in the direct style, on the
 * thread of its caller. Its first turn runs once for each run of the body, not once for each
 * attempt.
 *
 * @param initialState the state of the first turn
 * @param body the transaction; it does not commit with {@link Transaction#commit(Context,
 *     Consumer)}, because no code of the body runs after the commit
 * @param <S> the state's type
 */
public record ContinuationBody<S>(S initialState, TransactionBody<S> body)
    implements DirectBody<S> {

  @Override
  public S run(DirectTransaction txn) {
    return new Turns<S>(txn).run(initialState, body);
  }

  private record State<S>(S state) implements Context<S> {
    @Override
    public Context<S> with(S other) {
      return new State<>(other);
    }
  }

  /** Runs one turn after the other, so that a long transaction does not grow the stack. */
  private static final class Turns<S> implements Transaction<S> {
    private final DirectTransaction txn;
    private @Nullable Runnable next;
    private @Nullable Context<S> committed;

    Turns(DirectTransaction txn) {
      this.txn = txn;
    }

    S run(S initialState, TransactionBody<S> body) {
      body.begin(this, new State<>(initialState));
      for (Runnable turn = next; turn != null; turn = next) {
        next = null;
        turn.run();
      }
      if (committed == null) {
        throw new IllegalStateException(
            "a turn of the transaction ended without a read, a commit or an abort: end every path"
                + " of the turn with one of them");
      }
      return committed.state();
    }

    @Override
    public int attempt() {
      return txn.attempt();
    }

    @Override
    public <V> void get(Context<S> ctx, TypedKey<V> key, Continuation<S, @Nullable V> then) {
      next = () -> then.resume(ctx, txn.get(key));
    }

    @Override
    public <V> void getAll(
        Context<S> ctx,
        List<? extends TypedKey<? extends V>> keys,
        Continuation<S, List<@Nullable V>> then) {
      next = () -> then.resume(ctx, txn.<V>getAll(keys));
    }

    @Override
    public <K, V> void scan(
        Context<S> ctx,
        TypedRange<K, V> range,
        int limit,
        Continuation<S, List<Entry<K, V>>> then) {
      next = () -> then.resume(ctx, txn.scan(range, limit));
    }

    @Override
    public <V> void put(Context<S> ctx, TypedKey<V> key, V value) {
      txn.put(key, value);
    }

    @Override
    public void add(Context<S> ctx, TypedKey<Long> key, long n) {
      txn.add(key, n);
    }

    @Override
    public void max(Context<S> ctx, TypedKey<Long> key, long n) {
      txn.max(key, n);
    }

    @Override
    public <V> void putIfAbsent(Context<S> ctx, TypedKey<V> key, V value) {
      txn.putIfAbsent(key, value);
    }

    @Override
    public <T> void append(Context<S> ctx, TypedKey<List<T>> key, T item, int atMost) {
      txn.append(key, item, atMost);
    }

    @Override
    public void delete(Context<S> ctx, TypedKey<?> key) {
      txn.delete(key);
    }

    @Override
    public void commit(Context<S> ctx) {
      committed = ctx;
    }

    @Override
    public void commit(Context<S> ctx, Consumer<Result<S>> then) {
      throw new UnsupportedOperationException(
          "a body in the direct style runs no code after its commit: use what Client.run returns");
    }

    @Override
    public void abort(Context<S> ctx) {
      next =
          () -> {
            throw txn.abort();
          };
    }
  }
}
