package org.mortydb.workloads.rows;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Stamp;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.TypedKey;

/**
 * Reads rows in a transaction in the direct style, and traces the reads. Created for each run of
 * the transaction's body, and used by the thread that runs it.
 */
public final class RowReader {
  private final DirectTransaction txn;
  private Trace trace;

  /** A reader with an empty trace. */
  public RowReader(DirectTransaction txn, Stamp stamp) {
    this.txn = txn;
    this.trace = Trace.of(stamp);
  }

  /** Reads a row; null when it does not exist. */
  public <R> @Nullable R get(Rows<R> rows, long record) {
    return getAll(rows, new long[] {record}).getFirst();
  }

  /** Reads rows in parallel; null for each row that does not exist. */
  public <R> List<@Nullable R> getAll(Rows<R> rows, long[] records) {
    List<@Nullable R> found = new ArrayList<>(records.length);
    if (records.length > 0) {
      List<TypedKey<Stamped<R>>> keys = new ArrayList<>(records.length);
      for (long record : records) {
        keys.add(rows.key(record));
      }
      List<@Nullable Stamped<R>> values = txn.getAll(keys);
      for (int i = 0; i < records.length; i++) {
        @Nullable Stamped<R> value = values.get(i);
        trace = Rows.traced(trace, records[i], value);
        found.add(value == null ? null : value.row());
      }
    }
    return found;
  }

  /** Reads values into which transactions merge; null for each that does not exist. */
  public <V> List<@Nullable V> getAll(MergedRows<V> rows, long[] records) {
    List<TypedKey<V>> keys = new ArrayList<>(records.length);
    for (long record : records) {
      keys.add(rows.key(record));
    }
    List<@Nullable V> values = records.length == 0 ? List.of() : txn.getAll(keys);
    for (int i = 0; i < records.length; i++) {
      trace = MergedRows.traced(trace, records[i], keys.get(i), values.get(i));
    }
    return values;
  }

  /** The trace of all reads so far. */
  public Trace trace() {
    return trace;
  }
}
