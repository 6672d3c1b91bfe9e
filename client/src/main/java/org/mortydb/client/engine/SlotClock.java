package org.mortydb.client.engine;

/**
 * The clock that ids are taken from: the wall clock, or the slots of the engine's region while its
 * transactions contend with those of other regions (docs/protocol.md, section 12).
 */
final class SlotClock {
  /** Over so many attempts times are averaged. */
  private static final double WINDOW = 256;

  /** So many attempts are between two decisions. */
  private static final int DECISION = 64;

  /** Slots are used from this share of the time on that goes into contended attempts. */
  private static final double ON = 0.28;

  /** They are no longer used below this share. */
  private static final double OFF = 0.2;

  /**
   * Nor if attempts take less than this, in round trips to the farthest region. Slots make
   * transactions contend that would not otherwise: that these do not wait in chains gives them
   * away.
   */
  private static final double QUEUED = 1.5;

  /** From so many round trips on chains are long. */
  private static final double LONG_CHAINS = 6;

  /** The length of slots in delays. Then three quarters of the steps in long chains are local. */
  private static final int LONG_DELAYS = 8;

  /** With shorter chains, slots are shorter: they cost fewer commits. */
  private static final int SHORT_DELAYS = 2;

  private final RegionSlots slots;

  /** The length of the slots in use; 0 for none. */
  private long lengthMicros;

  /** The mean time of attempts, and the part of it that contended attempts have taken. */
  private double micros;

  private double contendedMicros;
  private int endings;

  SlotClock(RegionSlots slots) {
    this.slots = slots;
    this.lengthMicros = slots.regions() > 1 ? slots.lengthMicros() : 0;
  }

  /** The time of an id that is given out now. */
  long read(long nowMicros) {
    return lengthMicros == 0 ? nowMicros : slots.place(nowMicros, lengthMicros);
  }

  /** The length of the slots in use, in microseconds; 0 for none. */
  long lengthMicros() {
    return lengthMicros;
  }

  /**
   * An attempt has ended.
   *
   * @param contended whether it re-executed or lost a conflict
   * @param tookMicros how long it took, 0 or more
   * @param delayMicros the delay to the farthest other region; 0 if it is not known
   */
  void ended(boolean contended, long tookMicros, long delayMicros) {
    if (!slots.isAdaptive()) {
      return;
    }
    micros += (tookMicros - micros) / WINDOW;
    contendedMicros += ((contended ? tookMicros : 0) - contendedMicros) / WINDOW;
    if (++endings % DECISION == 0) {
      lengthMicros = choose(micros / Math.max(1, 2 * delayMicros), delayMicros);
    }
  }

  /**
   * @param roundTrips the mean time of an attempt in round trips to the farthest region
   */
  private long choose(double roundTrips, long delayMicros) {
    boolean contend = contendedMicros > (lengthMicros == 0 ? ON : OFF) * micros;
    if (!contend || roundTrips < QUEUED) {
      return 0;
    }
    return slots.lengthFor(delayMicros * (roundTrips > LONG_CHAINS ? LONG_DELAYS : SHORT_DELAYS));
  }
}
