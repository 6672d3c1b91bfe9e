package org.mortydb.protocol.coordinator;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

/** What the coordinator knows of one key that some execution has written. */
final class WriteSlot {
  final Key key;
  final int partition;

  /** What the current execution writes; null when it does not write the key. */
  @Nullable Value value;

  /** The value that replicas were told last, and its id; null when none, or when retracted. */
  @Nullable Value told;

  private int valueId;

  WriteSlot(Key key, int partition) {
    this.key = key;
    this.partition = partition;
  }

  /** The current execution writes a value that replicas do not know yet. */
  boolean isDirty() {
    return value != null && (told == null || !value.equals(told));
  }

  /** Replicas know a value that the current execution has not written. */
  boolean isStale() {
    return value == null && told != null;
  }

  /** The current write, for telling replicas of it. The same value keeps its id. */
  Write tell() {
    Value current = value;
    if (current == null) {
      throw new IllegalStateException("nothing is written to " + key);
    }
    if (isDirty()) {
      valueId++;
      told = current;
    }
    return new Write(key, valueId, current);
  }

  void retracted() {
    told = null;
  }
}
