package org.mortydb.client.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What several engines of one client have in common: the versions that their transactions forward
 * to each other, and the newest commit that any of them has heard of. Each engine begins
 * transactions above it, so that an application sees its own commits whichever engine runs its next
 * transaction (docs/protocol.md, section 12, Sessions). Safe to use on any thread.
 */
public final class Session {
  private final AtomicLong newestMicros = new AtomicLong();
  private final Forwarding forwarding = new Forwarding();
  private final List<SlotClock> clocks = new ArrayList<>(1);

  /** A session that has heard of no commit. */
  public Session() {}

  /** An engine has heard of a commit, and is about to tell the application. */
  void committed(long timeMicros) {
    newestMicros.accumulateAndGet(timeMicros, Math::max);
  }

  /** What the transactions of the engines tell each other. */
  Forwarding forwarding() {
    return forwarding;
  }

  /** The clock that engines with these slots share. */
  synchronized SlotClock clock(RegionSlots slots) {
    for (SlotClock clock : clocks) {
      if (clock.slots().equals(slots)) {
        return clock;
      }
    }
    SlotClock clock = new SlotClock(slots);
    clocks.add(clock);
    return clock;
  }

  /** The time of the newest commit, in microseconds; 0 if there was none. */
  long newestMicros() {
    return newestMicros.get();
  }
}
