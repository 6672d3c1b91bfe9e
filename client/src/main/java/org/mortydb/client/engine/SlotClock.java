package org.mortydb.client.engine;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

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
   * Nor if attempts take less than this, in round trips to the farthest region. Slots make
   * transactions contend that would not otherwise: that these do not wait in chains gives them
   * away.
   */
  static final double QUEUED = 1.5;

  /** Chains are long if attempts take more than this, in {@link #waitMicros usual waits}. */
  private static final double LONG_CHAINS = 6;

  /**
   * The length of slots in delays. Longer ones make transactions wait longer for those with lower
   * ids that begin later, and cost more commits; with shorter ones, chains cross more often.
   */
  private static final int LONG_DELAYS = 4;

  /**
   * Nobody can want slots of more delays: no two regions are farther apart than twice as far as the
   * farthest from here, and the longest slots of earlier versions had eight delays.
   */
  private static final int MOST_DELAYS = 16;

  /** With shorter chains, slots are shorter: they cost fewer commits. */
  private static final int SHORT_DELAYS = 2;

  /** Long slots are given up if they cost more commits than this, as a share of the attempts. */
  private static final double MOST_LOST = 0.125;

  /** Over so many round trips is averaged, or over so much time if that is more. */
  private static final int WINDOW_ROUND_TRIPS = 4;

  private static final long LEAST_WINDOW_MICROS = 250_000;

  /** So many samples are in a window. */
  private static final int SAMPLES = 64;

  /**
   * What long slots cost shows after so many windows: when ids of both lengths meet, more attempts
   * lose a conflict.
   */
  private static final int PROVING_WINDOWS = 4;

  /** Long slots that had to be given up are tried again after so many windows. */
  private static final int GIVEN_UP_WINDOWS = 32;

  private final RegionSlots slots;
  private final Contention contention = new Contention();
  private final AtomicBoolean deciding = new AtomicBoolean();

  /** The length of the slots in use, in microseconds; 0 for none. */
  private volatile long lengthMicros;

  /** What this client would use if nobody used longer ones. */
  private volatile long wantedMicros;

  private volatile long waitMicros;
  private volatile long sampledMicros;
  private volatile long intervalMicros = LEAST_WINDOW_MICROS / SAMPLES;

  /** How often the slots have become longer. */
  private final AtomicInteger lengthenings = new AtomicInteger();

  /** The length of the slots in delays, if it is chosen. */
  private int delays;

  /** The samples since that has changed. */
  private int samples;

  /** How many there must be before slots may become longer. */
  private int pause = SAMPLES;

  SlotClock(RegionSlots slots) {
    this.slots = slots;
    this.lengthMicros = slots.regions() > 1 ? slots.lengthMicros() : 0;
    this.wantedMicros = lengthMicros;
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
   * @param longestMicros the longest slots that clients would use, as servers say; any number
   */
  long read(long nowMicros, long delayMicros, long longestMicros) {
    long passed = nowMicros - sampledMicros;
    if (slots.isAdaptive()
        && (passed < 0 || passed >= intervalMicros)
        && deciding.compareAndSet(false, true)) {
      try {
        sampledMicros = nowMicros;
        sample(nowMicros, delayMicros, longestMicros);
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

  /** The length that this client would use if nobody used longer slots; 0 for none. */
  long wantedMicros() {
    return wantedMicros;
  }

  /** How often the slots have become longer; a number that wraps around. */
  int lengthenings() {
    return lengthenings.get();
  }

  /**
   * The time that an attempt takes if it does not contend, in microseconds: a round trip to the
   * farthest region, or the harmonic mean of such attempts if that is more. Busy processors delay
   * all attempts, and longer slots do not help against that.
   */
  long waitMicros() {
    return waitMicros;
  }

  private void sample(long nowMicros, long delayMicros, long longestMicros) {
    long delay = slots.boundedDelay(delayMicros);
    long window = Math.max(LEAST_WINDOW_MICROS, 2 * WINDOW_ROUND_TRIPS * delay);
    intervalMicros = window / SAMPLES;
    contention.sample(nowMicros, intervalMicros, window);
    waitMicros = Math.max(2 * delay, (long) contention.calmMicros());
    int chosen = delay == 0 ? 0 : choose(2 * delay);
    samples = Math.min(samples + 1, GIVEN_UP_WINDOWS * SAMPLES);
    if (chosen < delays || (chosen > delays && samples >= pause)) {
      boolean gaveUp = chosen == SHORT_DELAYS && delays == LONG_DELAYS;
      pause = gaveUp ? GIVEN_UP_WINDOWS * SAMPLES : SAMPLES;
      samples = 0;
      delays = chosen;
    }
    wantedMicros = lengthFor(delays * delay);
    long before = lengthMicros;
    lengthMicros = wantedMicros == 0 ? 0 : Math.max(wantedMicros, others(longestMicros, delay));
    if (lengthMicros > before) {
      lengthenings.incrementAndGet();
    }
  }

  /** What others would use, as far as it can be right: no two regions are farther apart. */
  private long others(long longestMicros, long delay) {
    return slots.lengthFor(Math.min(longestMicros, MOST_DELAYS * delay));
  }

  /**
   * The length of slots in delays.
   *
   * @param roundTripMicros to the farthest region, positive
   */
  private int choose(long roundTripMicros) {
    boolean contend = contention.share() > (delays == 0 ? ON : OFF);
    double mean = contention.meanMicros();
    if (!contend || mean < QUEUED * roundTripMicros) {
      return 0;
    }
    if (delays == LONG_DELAYS) {
      boolean tooDear = samples >= PROVING_WINDOWS * SAMPLES && contention.lost() > MOST_LOST;
      return tooDear ? SHORT_DELAYS : LONG_DELAYS;
    }
    return mean > LONG_CHAINS * waitMicros ? LONG_DELAYS : SHORT_DELAYS;
  }

  /** The length for a wanted one; the one in use while that is about right. */
  private long lengthFor(long wanted) {
    long length = wantedMicros;
    boolean about = wanted > length / 2 && wanted < 2 * length;
    return about ? length : slots.lengthFor(wanted);
  }
}
