package org.mortydb.client.engine;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The clock that ids are taken from: the wall clock, or the slots of a client's region while its
 * transactions wait in chains with those of other regions (docs/protocol.md, section 12).
 *
 * <p>The engines of a client share it: what each of them sees is too little to decide soon, and
 * engines that decide differently cost more than no slots. Safe to use on any thread.
 */
final class SlotClock {
  /** Slots are used from this share of the time on that goes into contended attempts. */
  private static final double ON = 0.28;

  /** They are no longer used below this share. */
  private static final double OFF = 0.2;

  /**
   * Slots get longer from so many cycles on that a contended attempt takes: the transactions of a
   * region then wait while the slots of others pass, and more of them could commit in each slot.
   */
  private static final double CROWDED = 3;

  /**
   * They get shorter below so many cycles: the slots then are not full, and the wait for nothing.
   */
  private static final double SPARSE = 0.8;

  /** The shortest and the longest slot, in delays. */
  private static final int LEAST_DELAYS = 2;

  private static final int MOST_DELAYS = 8;

  /** Over so many round trips is averaged, or over so much time if that is more. */
  private static final int WINDOW_ROUND_TRIPS = 4;

  private static final long LEAST_WINDOW_MICROS = 250_000;

  /** So many samples are in a window. */
  private static final int SAMPLES = 64;

  /** What a length brings shows only in attempts that have begun since: at most so many windows. */
  private static final int MOST_WINDOWS = 2;

  private final RegionSlots slots;
  private final Contention contention = new Contention();
  private final AtomicBoolean deciding = new AtomicBoolean();

  /** The length of the slots in use; 0 for none. */
  private volatile long lengthMicros;

  private volatile long sampledMicros;
  private volatile long intervalMicros = LEAST_WINDOW_MICROS / SAMPLES;

  /** The samples since the length has changed. */
  private int samples;

  SlotClock(RegionSlots slots) {
    this.slots = slots;
    this.lengthMicros = slots.regions() > 1 ? slots.lengthMicros() : 0;
  }

  /** The slots that it takes ids from. */
  RegionSlots slots() {
    return slots;
  }

  /** What it decides by. */
  Contention contention() {
    return contention;
  }

  /**
   * The time of an id that is given out now.
   *
   * @param delayMicros the delay to the farthest other region; 0 if it is not known
   */
  long read(long nowMicros, long delayMicros) {
    long passed = nowMicros - sampledMicros;
    if (slots.isAdaptive()
        && (passed < 0 || passed >= intervalMicros)
        && deciding.compareAndSet(false, true)) {
      try {
        sampledMicros = nowMicros;
        sample(nowMicros, delayMicros);
      } finally {
        deciding.set(false);
      }
    }
    long length = lengthMicros;
    return length == 0 ? nowMicros : slots.place(nowMicros, length);
  }

  /** The length of the slots in use, in microseconds; 0 for none. */
  long lengthMicros() {
    return lengthMicros;
  }

  private void sample(long nowMicros, long delayMicros) {
    long window =
        Math.max(LEAST_WINDOW_MICROS, 2 * WINDOW_ROUND_TRIPS * slots.boundedDelay(delayMicros));
    intervalMicros = window / SAMPLES;
    contention.sample(nowMicros, intervalMicros, window);
    long chosen = choose(delayMicros);
    boolean off = chosen == 0 && lengthMicros > 0;
    samples++;
    if (off || (chosen != lengthMicros && samples >= pause())) {
      lengthMicros = chosen;
      samples = 0;
    }
  }

  /** The samples between two changes: those of a contended attempt, within bounds. */
  private int pause() {
    double attempt = contention.meanMicros() / intervalMicros;
    return lengthMicros == 0 ? SAMPLES : (int) Math.clamp(attempt, SAMPLES, MOST_WINDOWS * SAMPLES);
  }

  private long choose(long delayMicros) {
    long least = slots.lengthFor(LEAST_DELAYS * slots.boundedDelay(delayMicros));
    long most = slots.lengthFor(MOST_DELAYS * slots.boundedDelay(delayMicros));
    double share = contention.share();
    long length = lengthMicros;
    if (length == 0) {
      return share > ON && cycles(least) > 1 ? least : 0;
    }
    if (share < OFF || least == 0) {
      return 0;
    }
    double cycles = cycles(length);
    if (cycles < SPARSE) {
      return length > least ? length / 2 : 0;
    }
    return Math.clamp(cycles > CROWDED ? 2 * length : length, least, most);
  }

  /** How long a contended attempt takes on average, in cycles of slots of a length. */
  private double cycles(long length) {
    return length == 0 ? 0 : contention.meanMicros() / ((double) slots.regions() * length);
  }
}
