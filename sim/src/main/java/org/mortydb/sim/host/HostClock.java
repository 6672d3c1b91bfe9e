package org.mortydb.sim.host;

import org.mortydb.sim.kernel.Kernel;

/** A host's clock: off by some time, fast or slow by some rate, and jumping when told to. */
public final class HostClock {
  /** What a right clock shows when virtual time begins; microseconds. */
  public static final long EPOCH_MICROS = 1_000_000_000L;

  private static final double MILLION = 1_000_000.0;

  private final Kernel kernel;
  private final double driftPpm;
  private long offsetMicros;

  /**
   * @param offsetMicros how much it is ahead at the start; less than {@link #EPOCH_MICROS} behind
   * @param driftPpm how much it runs too fast, in millionths
   */
  public HostClock(Kernel kernel, long offsetMicros, double driftPpm) {
    this.kernel = kernel;
    this.offsetMicros = offsetMicros;
    this.driftPpm = driftPpm;
  }

  /** What it shows, in microseconds. */
  public long nowMicros() {
    long now = kernel.nowMicros();
    long drift = driftPpm == 0 ? 0 : (long) (now / MILLION * driftPpm);
    return EPOCH_MICROS + offsetMicros + now + drift;
  }

  /** Sets it forward, or back if negative. */
  public void jump(long micros) {
    offsetMicros += micros;
  }

  /** How long a delay that is measured by this clock takes in virtual time, rounded up. */
  public long virtualDelayMicros(long delayMicros) {
    return driftPpm == 0 ? delayMicros : (long) Math.ceil(delayMicros / (1 + driftPpm / MILLION));
  }
}
