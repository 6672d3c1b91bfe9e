package org.mortydb.sim.workload;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction has done so far, in program order, as its own code saw it. Immutable: it
 * travels in the context, so that after a re-execution it tells of the right past.
 *
 * @param earlier what came before, null at the start
 * @param entry the last thing that was done, null only at the start
 */
public record Journal(@Nullable Journal earlier, @Nullable Entry entry) {

  /** Nothing done yet. */
  public static final Journal EMPTY = new Journal(null, null);

  /** One operation. */
  public sealed interface Entry {
    /** The key. */
    String key();

    /** The value, null for absent. */
    @Nullable String value();

    /** Read a value. */
    record Got(String key, @Nullable String value) implements Entry {}

    /** Saw a value, or the lack of one, in a scan. */
    record Scanned(String key, @Nullable String value) implements Entry {}

    /** Wrote a value, or deleted. */
    record Wrote(String key, @Nullable String value) implements Entry {}
  }

  /** The same with one more operation. */
  public Journal with(Entry next) {
    return new Journal(this, next);
  }

  /** All operations from the first on. */
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
