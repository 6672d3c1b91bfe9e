package org.mortydb.protocol.coordinator;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;

/**
 * What the coordinator knows of a range at one partition: everything below {@link #next}. Kept for
 * the transaction's whole life, like {@link ReadSlot}, which holds the versions.
 */
final class ScanSlot extends Question {
  final KeyRange range;

  /** The lowest key of the range that is not known yet; null when all is known. */
  @Nullable Key next;

  /** Whether a request is outstanding. */
  boolean asked;

  /** How many rows the scan that waits wants at most. */
  int limit;

  ScanSlot(KeyRange range, int partition) {
    super(partition);
    this.range = range;
    this.next = range.from();
  }

  @Override
  boolean isOpen() {
    return asked;
  }
}
