package org.mortydb.client.engine;

import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/**
 * How much the attempts of a client's engines contend: the share of their time that contended
 * attempts take, how long an attempt takes, and how many lose a conflict. An attempt is contended
 * if it has re-executed or lost a conflict.
 *
 * <p>Attempts count while they are open, by samples of how many there are. If only ended ones
 * counted, a long chain would remain unseen for as long as its transactions wait, and the fewer of
 * them end, the longer. Mean times follow from Little's law: attempts under way, divided by
 * attempts that end.
 *
 * <p>Engines call {@link #began}, {@link #contends}, {@link #ended} and {@link #committedCalmly} on
 * any thread; {@link #sample} and what follows from it is for one thread at a time.
 */
final class Contention {
  /** A sample stands for at most so many intervals: a clock that leaps must not count. */
  private static final int MOST_INTERVALS = 4;

  private final LongAdder open = new LongAdder();
  private final LongAdder contending = new LongAdder();

  /** Attempts that have ended, and those of them that have lost a conflict. */
  private final LongAdder ends = new LongAdder();

  private final LongAdder losses = new LongAdder();

  /** The time of contended attempts before it was known that they contend. */
  private final LongAdder lateMicros = new LongAdder();

  /** Attempts that have committed without contention, and the sum of their rates, per us. */
  private final LongAdder calm = new LongAdder();

  private final DoubleAdder calmRates = new DoubleAdder();

  private long sampledMicros;
  private long lastEnds;
  private long lastLosses;
  private long lastLateMicros;
  private long lastCalm;
  private double lastCalmRates;

  // Decaying sums.
  private double micros;
  private double contendedMicros;
  private double ended;
  private double lost;
  private double calmEnded;
  private double calmRate;

  /** An attempt has begun. */
  void began() {
    open.increment();
  }

  /**
   * An open attempt has re-executed for the first time.
   *
   * @param ageMicros the time since it began
   */
  void contends(long ageMicros) {
    contending.increment();
    lateMicros.add(Math.max(0, ageMicros));
  }

  /**
   * An attempt has ended.
   *
   * @param known whether {@link #contends} was called for it
   * @param reexecuted whether it has re-executed
   * @param lost whether it has lost a conflict
   * @param tookMicros the time since it began
   */
  void ended(boolean known, boolean reexecuted, boolean lost, long tookMicros) {
    open.decrement();
    ends.increment();
    if (lost) {
      losses.increment();
    }
    if (known) {
      contending.decrement();
    } else if (reexecuted || lost) {
      lateMicros.add(Math.max(0, tookMicros));
    }
  }

  /**
   * An attempt has committed without contention.
   *
   * @param tookMicros the time since it began
   */
  void committedCalmly(long tookMicros) {
    calm.increment();
    calmRates.add(1.0 / Math.max(1, tookMicros));
  }

  /**
   * Takes a sample.
   *
   * @param intervalMicros the usual time between samples, positive
   * @param windowMicros the time over which is averaged, at least the interval
   */
  void sample(long nowMicros, long intervalMicros, long windowMicros) {
    long most = MOST_INTERVALS * intervalMicros;
    long passed = nowMicros - sampledMicros;
    passed = passed < 0 || passed > most ? intervalMicros : passed;
    sampledMicros = nowMicros;
    double kept = Math.exp(-(double) passed / windowMicros);
    long late = lateMicros.sum();
    long endings = ends.sum();
    long lossesNow = losses.sum();
    micros = micros * kept + (double) passed * Math.max(0, open.sum());
    contendedMicros =
        contendedMicros * kept
            + (double) passed * Math.max(0, contending.sum())
            + (late - lastLateMicros);
    ended = ended * kept + (endings - lastEnds);
    lost = lost * kept + (lossesNow - lastLosses);
    long calmNow = calm.sum();
    double calmRatesNow = calmRates.sum();
    calmEnded = calmEnded * kept + (calmNow - lastCalm);
    calmRate = calmRate * kept + (calmRatesNow - lastCalmRates);
    lastCalm = calmNow;
    lastCalmRates = calmRatesNow;
    lastLateMicros = late;
    lastEnds = endings;
    lastLosses = lossesNow;
  }

  /** The share of the time of all attempts that contended ones have taken, from 0 to 1. */
  double share() {
    return micros <= 0 ? 0 : Math.min(1, contendedMicros / micros);
  }

  /** The mean time of an attempt, in microseconds; at most the time that is looked at. */
  double meanMicros() {
    return micros / Math.max(1, ended);
  }

  /**
   * The time of attempts that commit without contention, in microseconds; 0 if there are none. It
   * is the harmonic mean: some of them have waited in chains for outcomes, which it does not show.
   */
  double calmMicros() {
    return calmRate <= 0 ? 0 : calmEnded / calmRate;
  }

  /** The share of the attempts that have lost a conflict, from 0 to 1. */
  double lost() {
    return lost / Math.max(1, ended);
  }
}
