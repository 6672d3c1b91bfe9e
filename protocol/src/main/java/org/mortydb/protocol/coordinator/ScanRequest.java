package org.mortydb.protocol.coordinator;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.message.Message.PushRow;
import org.mortydb.protocol.model.Key;

/** One request for a part of a range: from where it was asked, and what came of it. */
final class ScanRequest implements Requested {
  final ScanSlot slot;
  final Key from;

  /** Whether this is the request whose answer was taken, and whose pushes count. */
  boolean accepted;

  /** Pushes that have overtaken the answer. */
  private final ArrayList<PushRow> early = new ArrayList<>(0);

  ScanRequest(ScanSlot slot, Key from) {
    this.slot = slot;
    this.from = from;
  }

  /** Keeps a push until the answer is here. */
  void keep(PushRow push) {
    early.add(push);
  }

  /** The pushes that came before the answer, which forgets them. */
  List<PushRow> takeEarly() {
    List<PushRow> taken = List.copyOf(early);
    early.clear();
    return taken;
  }
}
