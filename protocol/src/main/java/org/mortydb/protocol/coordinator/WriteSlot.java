package org.mortydb.protocol.coordinator;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

/** One key that some execution has written, and what replicas know of the write. */
final class WriteSlot {
  final Key key;
  final int partition;

  /** The value that the current execution writes; null when it does not write the key. */
  @Nullable Value value;

  /** The value that replicas were shown last; null when none was, or when it was retracted. */
  private @Nullable Value shown;

  private int valueId;

  WriteSlot(Key key, int partition) {
    this.key = key;
    this.partition = partition;
  }

  /** Whether the current execution writes a value that replicas do not know yet. */
  boolean isDirty() {
    return value != null && (shown == null || !value.equals(shown));
  }

  /** Whether replicas know a value, which may be that of an earlier execution. */
  boolean isShown() {
    return shown != null;
  }

  /** Whether replicas know a value that the current execution has not written. */
  boolean isStale() {
    return value == null && shown != null;
  }

  /** Returns the current write, to be sent to replicas. The same value keeps its id. */
  Write show() {
    Value current = value;
    if (current == null) {
      throw new IllegalStateException("nothing is written to " + key);
    }
    if (isDirty()) {
      valueId++;
      shown = current;
    }
    return new Write(key, valueId, current);
  }

  void retracted() {
    shown = null;
  }
}
