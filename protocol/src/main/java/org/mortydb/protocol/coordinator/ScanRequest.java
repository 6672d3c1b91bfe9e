package org.mortydb.protocol.coordinator;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.message.Message.PushRow;
import org.mortydb.protocol.model.Key;

/** One request for a part of a range, and its answer. */
final class ScanRequest implements Requested {
  final ScanSlot slot;
  final Key from;

  /** Whether the answer to this request was taken; then its pushes count too. */
  boolean accepted;

  /** Pushes that have overtaken the answer. */
  private final ArrayList<PushRow> early = new ArrayList<>(0);

  ScanRequest(ScanSlot slot, Key from) {
    this.slot = slot;
    this.from = from;
  }

  /** Keeps a push until the answer arrives. */
  void keep(PushRow push) {
    early.add(push);
  }

  /** Removes and returns the pushes that arrived before the answer. */
  List<PushRow> takeEarly() {
    List<PushRow> taken = List.copyOf(early);
    early.clear();
    return taken;
  }
}
