package org.mortydb.workloads.rows;

import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.Transaction;
import org.mortydb.client.TypedKey;

/**
 * Records into which transactions merge. Their values have no stamp: what a reader finds is the
 * work of several transactions. The check of the history computes it from the merges, which the
 * trace has. A transaction must not read a record after it has written it. Immutable.
 *
 * @param <V> the values: numbers, or lists
 */
public final class MergedRows<V> {
  private final LongFunction<TypedKey<V>> keys;

  /**
   * @param keys the key of each record by its number
   */
  public MergedRows(LongFunction<TypedKey<V>> keys) {
    this.keys = keys;
  }

  /** Reads a value and ends the turn; {@code next} receives {@code missing} if there is none. */
  public void get(
      Transaction<Trace> txn,
      Context<Trace> ctx,
      long record,
      V missing,
      Continuation<Trace, V> next) {
    TypedKey<V> key = keys.apply(record);
    txn.get(
        ctx,
        key,
        (after, value) -> {
          Trace trace = traced(after.state(), record, key, value);
          next.resume(after.with(trace), value == null ? missing : value);
        });
  }

  /** Writes a value. */
  public Context<Trace> put(Transaction<Trace> txn, Context<Trace> ctx, long record, V value) {
    TypedKey<V> key = keys.apply(record);
    txn.put(ctx, key, value);
    return ctx.with(ctx.state().wroteUnstamped(record, key.encode(value)));
  }

  /** Adds to a number without reading it. */
  public static Context<Trace> add(
      MergedRows<Long> rows, Transaction<Trace> txn, Context<Trace> ctx, long record, long n) {
    TypedKey<Long> key = rows.keys.apply(record);
    txn.add(ctx, key, n);
    return ctx.with(ctx.state().wroteUnstamped(record, TypedKey.add(key, n)));
  }

  /** Appends to a list, which keeps its last {@code atMost} items, without reading it. */
  public static <T> Context<Trace> append(
      MergedRows<List<T>> rows,
      Transaction<Trace> txn,
      Context<Trace> ctx,
      long record,
      T item,
      int atMost) {
    TypedKey<List<T>> key = rows.keys.apply(record);
    txn.append(ctx, key, item, atMost);
    return ctx.with(ctx.state().wroteUnstamped(record, TypedKey.append(key, item, atMost)));
  }

  TypedKey<V> key(long record) {
    return keys.apply(record);
  }

  static <V> Trace traced(Trace trace, long record, TypedKey<V> key, @Nullable V value) {
    return value == null
        ? trace.read(record, null, 0)
        : trace.readUnstamped(record, key.encode(value));
  }
}
