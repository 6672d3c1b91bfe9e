package org.mortydb.protocol.coordinator;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Scan;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;

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

  /** The number of the map by which the partition was chosen. */
  private final int map;

  ScanSlot(KeyRange range, int partition, int map) {
    super(partition);
    this.map = map;
    this.range = range;
    this.next = range.from();
  }

  @Override
  boolean isOpen() {
    return asked;
  }

  @Override
  Message request(TxnId txn, List<Requested> requests) {
    Key from = next;
    if (from == null) {
      throw new IllegalStateException("all of " + range + " is known");
    }
    asked = true;
    int request = requests.size();
    requests.add(new ScanRequest(this, from));
    return new Scan(txn, request, new KeyRange(from, range.to()), limit, map);
  }
}
