package org.mortydb.sim.host;

import org.mortydb.sim.kernel.Kernel;

/** A host's clock, with an offset, a drift, and jumps. */
public final class HostClock {
  /** The time of a correct clock at the start of virtual time, in microseconds. */
  public static final long EPOCH_MICROS = 1_700_000_000_000_000L;

  private static final double MILLION = 1_000_000.0;

  private final Kernel kernel;
  private final double driftPpm;
  private long offsetMicros;
  private long leapMicros;
  private boolean correct;
  private long lowestMicros;

  /** Since when the clock is correct, in virtual time. */
  private long correctedMicros;

  /**
   * @param offsetMicros its offset at the start, above {@code -EPOCH_MICROS}
   * @param driftPpm its drift in millionths; above 0 is too fast
   */
  public HostClock(Kernel kernel, long offsetMicros, double driftPpm) {
    this.kernel = kernel;
    this.offsetMicros = offsetMicros;
    this.driftPpm = driftPpm;
  }

  /** The time that it shows, in microseconds. */
  public long nowMicros() {
    long now = kernel.nowMicros();
    if (correct) {
      return Math.max(lowestMicros, EPOCH_MICROS + now);
    }
    return EPOCH_MICROS + offsetMicros + leapMicros + now + driftMicros(now);
  }

  private long driftMicros(long now) {
    return driftPpm == 0 ? 0 : (long) (now / MILLION * driftPpm);
  }

  /**
   * The time that has passed since the start, in microseconds, as the machine measures it: that
   * drifts as the clock does, but does not jump, and goes on evenly when the clock is corrected.
   */
  public long elapsedMicros() {
    long now = kernel.nowMicros();
    return now + driftMicros(correct ? correctedMicros : now);
  }

  /** Sets the clock forward, or back if negative. */
  public void jump(long micros) {
    offsetMicros += micros;
  }

  /** Sets the clock far forward, or far back if negative; to be set right by the opposite. */
  public void leap(long micros) {
    leapMicros += micros;
  }

  /**
   * Makes the clock correct for good.
   *
   * @param standsStill whether a clock that is ahead stands still until then, instead of jumping
   *     back
   */
  public void correct(boolean standsStill) {
    leapMicros = 0;
    correctedMicros = correct ? correctedMicros : kernel.nowMicros();
    lowestMicros = standsStill ? nowMicros() : 0;
    correct = true;
  }

  /** The virtual time, rounded up, in which this clock advances by a delay. */
  public long virtualDelayMicros(long delayMicros) {
    return driftPpm == 0 || correct
        ? delayMicros
        : (long) Math.ceil(delayMicros / (1 + driftPpm / MILLION));
  }
}
