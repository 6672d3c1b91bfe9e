package org.mortydb.bench.retwis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.history.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.Result;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TypedKey;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Value;

/** The simplest store there is: one transaction at a time over a map. Counts reads and writes. */
final class SerialStore implements Transaction<Trace> {
  final Map<Key, Value> values = new HashMap<>();
  final List<Key> reads = new ArrayList<>();
  final List<Key> writes = new ArrayList<>();
  private @Nullable Trace committed;

  private record At(Trace state) implements Context<Trace> {
    @Override
    public Context<Trace> with(Trace other) {
      return new At(other);
    }
  }

  /** Runs a transaction to its end; the counts are its own afterwards. */
  Trace run(TransactionBody<Trace> body, Trace start) {
    reads.clear();
    writes.clear();
    committed = null;
    body.begin(this, new At(start));
    if (committed == null) {
      throw new AssertionError("the transaction has not committed");
    }
    return committed;
  }

  @Override
  public <V> void get(Context<Trace> ctx, TypedKey<V> key, Continuation<Trace, @Nullable V> next) {
    reads.add(key.key());
    next.resume(ctx, key.decode(values.getOrDefault(key.key(), Value.ABSENT)));
  }

  @Override
  public <V> void getAll(
      Context<Trace> ctx,
      List<? extends TypedKey<? extends V>> keys,
      Continuation<Trace, List<@Nullable V>> next) {
    throw new UnsupportedOperationException("Retwis reads one key after the other");
  }

  @Override
  public <V> void put(Context<Trace> ctx, TypedKey<V> key, V value) {
    writes.add(key.key());
    values.put(key.key(), key.encode(value));
  }

  @Override
  public void delete(Context<Trace> ctx, TypedKey<?> key) {
    throw new UnsupportedOperationException("Retwis deletes nothing");
  }

  @Override
  public void commit(Context<Trace> ctx) {
    committed = ctx.state();
  }

  @Override
  public void commit(Context<Trace> ctx, Consumer<Result<Trace>> next) {
    throw new UnsupportedOperationException("Retwis needs no callback");
  }

  @Override
  public void abort(Context<Trace> ctx) {
    throw new UnsupportedOperationException("Retwis aborts nothing");
  }
}
