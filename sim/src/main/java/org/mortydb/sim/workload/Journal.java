package org.mortydb.sim.workload;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Value;

/**
 * The operations of a transaction in program order, as its own code saw them. Immutable: it is part
 * of the context, so a re-execution continues with the right past.
 *
 * @param earlier the operations before; null at the start
 * @param entry the last operation; null only at the start
 */
public record Journal(@Nullable Journal earlier, @Nullable Entry entry) {

  /** A journal without operations. */
  public static final Journal EMPTY = new Journal(null, null);

  /** One operation. */
  public sealed interface Entry {
    /** The key. */
    String key();

    /** The value; null if absent. */
    @Nullable String value();

    /** A read of a key. */
    record Got(String key, @Nullable String value) implements Entry {}

    /** A key in a scanned range, present or absent. */
    record Scanned(String key, @Nullable String value) implements Entry {}

    /** A read that was begun, and whose value the code never saw. */
    record Begun(String key) implements Entry {
      @Override
      public @Nullable String value() {
        return null;
      }
    }

    /** A merge: how the value changes. */
    record Merged(String key, Value merge) implements Entry {
      @Override
      public @Nullable String value() {
        return null;
      }
    }

    /** A write or a deletion. */
    record Wrote(String key, @Nullable String value) implements Entry {}
  }

  /** This journal with one more operation. */
  public Journal with(Entry next) {
    return new Journal(this, next);
  }

  /** All operations, the first one first. */
  public List<Entry> entries() {
    List<Entry> entries = new ArrayList<>();
    for (Journal j = this; j != null; j = j.earlier) {
      if (j.entry != null) {
        entries.add(j.entry);
      }
    }
    Collections.reverse(entries);
    return entries;
  }
}
