package org.mortydb.protocol.coordinator;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;

/**
 * What the coordinator knows of a range at one partition: everything below {@link #next}. Kept for
 * the transaction's whole life, like {@link ReadSlot}, where the versions are.
 */
final class ScanSlot {
  final KeyRange range;
  final int partition;

  /** The lowest key of the range of which nothing is known yet; null when all is known. */
  @Nullable Key next;

  /** Whether a request is outstanding, at which replica, and how many were asked before it. */
  boolean asked;

  int replica;
  int attempts;
  long askedMicros;

  ScanSlot(KeyRange range, int partition) {
    this.range = range;
    this.partition = partition;
    this.next = range.from();
  }
}
