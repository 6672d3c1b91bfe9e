package org.mortydb.client.engine;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.Entry;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/** The application as it stood before a read: what is needed to call its continuation again. */
abstract class Checkpoint<S> {
  /** The read's place among the operations. */
  final int operation;

  /** Keys read and written, the read's own included. */
  final int keys;

  /** Bytes written before the read. */
  final int writtenBytes;

  final S state;

  Checkpoint(int operation, int keys, int writtenBytes, S state) {
    this.operation = operation;
    this.keys = keys;
    this.writtenBytes = writtenBytes;
    this.state = state;
  }

  /** Goes on after a read. */
  void resume(Context<S> ctx, List<Value> values) {
    throw new IllegalStateException("operation " + operation + " is a scan");
  }

  /** Goes on after a scan. */
  void resumeScan(Context<S> ctx, List<Row> rows) {
    throw new IllegalStateException("operation " + operation + " is no scan");
  }

  /** Before a read of one key. */
  static final class One<S, V> extends Checkpoint<S> {
    private final TypedKey<V> key;
    private final Continuation<S, @Nullable V> next;

    One(
        int operation,
        int keysSoFar,
        int writtenBytes,
        S state,
        TypedKey<V> key,
        Continuation<S, @Nullable V> next) {
      super(operation, keysSoFar, writtenBytes, state);
      this.key = key;
      this.next = next;
    }

    @Override
    void resume(Context<S> ctx, List<Value> values) {
      next.resume(ctx, key.decode(values.get(0)));
    }
  }

  /** Before a scan. */
  static final class Scan<S, K, V> extends Checkpoint<S> {
    private final TypedRange<K, V> range;
    private final Continuation<S, List<Entry<K, V>>> next;

    Scan(
        int operation,
        int keysSoFar,
        int writtenBytes,
        S state,
        TypedRange<K, V> range,
        Continuation<S, List<Entry<K, V>>> next) {
      super(operation, keysSoFar, writtenBytes, state);
      this.range = range;
      this.next = next;
    }

    @Override
    void resumeScan(Context<S> ctx, List<Row> rows) {
      next.resume(ctx, range.decode(rows));
    }
  }

  /** Before a parallel read. */
  static final class Many<S, V> extends Checkpoint<S> {
    private final List<? extends TypedKey<? extends V>> typedKeys;
    private final Continuation<S, List<@Nullable V>> next;

    Many(
        int operation,
        int keysSoFar,
        int writtenBytes,
        S state,
        List<? extends TypedKey<? extends V>> typedKeys,
        Continuation<S, List<@Nullable V>> next) {
      super(operation, keysSoFar, writtenBytes, state);
      this.typedKeys = typedKeys;
      this.next = next;
    }

    @Override
    void resume(Context<S> ctx, List<Value> values) {
      @SuppressWarnings("unchecked") // the array never leaves as an array
      @Nullable V[] decoded = (V[]) new Object[typedKeys.size()];
      for (int i = 0; i < decoded.length; i++) {
        decoded[i] = typedKeys.get(i).decode(values.get(i));
      }
      List<@Nullable V> list = Arrays.asList(decoded);
      next.resume(ctx, Collections.unmodifiableList(list));
    }
  }
}
