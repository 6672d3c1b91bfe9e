package org.mortydb.workloads.rows;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.Stamp;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.TypedKey;

/**
 * Reads rows within a transaction in the direct style, and traces it. Made anew whenever the
 * transaction's body runs, and used by the thread that runs it.
 */
public final class RowReader {
  private final DirectTransaction txn;
  private Trace trace;

  /** A reader that has read nothing yet. */
  public RowReader(DirectTransaction txn, Stamp stamp) {
    this.txn = txn;
    this.trace = Trace.of(stamp);
  }

  /** Reads a row, null when it is not there. */
  public <R> @Nullable R get(Rows<R> rows, long record) {
    return getAll(rows, new long[] {record}).getFirst();
  }

  /** Reads rows in parallel; null for each that is not there. */
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

  /** What was read so far. */
  public Trace trace() {
    return trace;
  }
}
