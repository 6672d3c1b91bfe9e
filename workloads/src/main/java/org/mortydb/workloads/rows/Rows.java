package org.mortydb.workloads.rows;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.Transaction;
import org.mortydb.client.TypedKey;

/**
 * All rows of one kind, for transactions in continuation-passing style. All reads and writes go
 * through here, so that they are traced. Immutable.
 *
 * @param <R> the rows
 */
public final class Rows<R> {
  private final LongFunction<TypedKey<Stamped<R>>> keys;
  private final RowCodec<R> codec;

  /**
   * @param keys the key of each record by its number
   * @param codec the codec of these keys
   */
  public Rows(LongFunction<TypedKey<Stamped<R>>> keys, RowCodec<R> codec) {
    this.keys = keys;
    this.codec = codec;
  }

  /** Reads a row and ends the turn; {@code next} receives null when the row does not exist. */
  public void get(
      Transaction<Trace> txn,
      Context<Trace> ctx,
      long record,
      Continuation<Trace, @Nullable R> next) {
    txn.get(
        ctx,
        keys.apply(record),
        (after, value) -> {
          Trace trace = traced(after.state(), record, value);
          next.resume(after.with(trace), value == null ? null : value.row());
        });
  }

  /**
   * Reads a row and ends the turn; {@code next} receives {@code missing} when the row does not
   * exist.
   */
  public void get(
      Transaction<Trace> txn,
      Context<Trace> ctx,
      long record,
      R missing,
      Continuation<Trace, R> next) {
    get(txn, ctx, record, (c, row) -> next.resume(c, row == null ? missing : row));
  }

  /**
   * Reads rows in parallel and ends the turn; continues at once when there are none to read.
   *
   * @param next receives as many rows as {@code records}, null for each row that does not exist
   */
  public void getAll(
      Transaction<Trace> txn,
      Context<Trace> ctx,
      long[] records,
      Continuation<Trace, List<@Nullable R>> next) {
    if (records.length == 0) {
      next.resume(ctx, List.of());
      return;
    }
    List<TypedKey<Stamped<R>>> all = new ArrayList<>(records.length);
    for (long record : records) {
      all.add(keys.apply(record));
    }
    txn.<Stamped<R>>getAll(
        ctx,
        all,
        (after, values) -> {
          Trace trace = after.state();
          List<@Nullable R> rows = new ArrayList<>(values.size());
          for (int i = 0; i < records.length; i++) {
            @Nullable Stamped<R> value = values.get(i);
            trace = traced(trace, records[i], value);
            rows.add(value == null ? null : value.row());
          }
          next.resume(after.with(trace), Collections.unmodifiableList(rows));
        });
  }

  /** Receives two rows that were read in parallel. */
  public interface Both<A, B> {
    /** Continues with the rows; one turn. */
    void resume(Context<Trace> ctx, @Nullable A first, @Nullable B second);
  }

  /** Reads a row of one table and one of another in parallel, and ends the turn. */
  public static <A, B> void getBoth(
      Transaction<Trace> txn,
      Context<Trace> ctx,
      Rows<A> first,
      long firstRecord,
      Rows<B> second,
      long secondRecord,
      Both<A, B> next) {
    List<TypedKey<? extends Stamped<?>>> both =
        List.of(first.keys.apply(firstRecord), second.keys.apply(secondRecord));
    txn.<Stamped<?>>getAll(
        ctx,
        both,
        (after, values) -> {
          // The codecs of the two keys created the values.
          @SuppressWarnings("unchecked")
          @Nullable Stamped<A> a = (Stamped<A>) values.get(0);
          @SuppressWarnings("unchecked")
          @Nullable Stamped<B> b = (Stamped<B>) values.get(1);
          Trace trace = traced(traced(after.state(), firstRecord, a), secondRecord, b);
          next.resume(after.with(trace), a == null ? null : a.row(), b == null ? null : b.row());
        });
  }

  /** Writes a row. */
  public Context<Trace> put(Transaction<Trace> txn, Context<Trace> ctx, long record, R row) {
    Trace trace = ctx.state();
    Stamped<R> value = codec.stamp(trace.stamp(), row);
    txn.put(ctx, keys.apply(record), value);
    return ctx.with(trace.wrote(record, value.valueHash()));
  }

  /** Deletes a row. The transaction must not read or write the row afterwards. */
  public Context<Trace> delete(Transaction<Trace> txn, Context<Trace> ctx, long record) {
    txn.delete(ctx, keys.apply(record));
    return ctx.with(ctx.state().deleted(record));
  }

  /** Asks to commit and ends the turn. */
  public static void commit(Transaction<Trace> txn, Context<Trace> ctx) {
    txn.commit(ctx.with(ctx.state().committing()));
  }

  TypedKey<Stamped<R>> key(long record) {
    return keys.apply(record);
  }

  static <R> Trace traced(Trace trace, long record, @Nullable Stamped<R> value) {
    return value == null
        ? trace.read(record, null, 0)
        : trace.read(record, value.stamp(), value.valueHash());
  }
}
