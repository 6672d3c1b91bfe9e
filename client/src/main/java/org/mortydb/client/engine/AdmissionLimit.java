package org.mortydb.client.engine;

import java.util.Arrays;

/**
 * How many transactions an engine has in flight (docs/protocol.md, section 13). An adaptive limit
 * follows the gradient of commit latency: the latency of a commit without contention, divided by
 * the mean latency. The rule is that of TCP Vegas and of Netflix's {@code Gradient2Limit}:
 *
 * <pre>{@code
 * limit <- limit + SMOOTHING * (gradient * limit + sqrt(limit) - limit)
 * }</pre>
 *
 * <p>It differs in some points, so the classes of {@code concurrency-limits} do not fit. {@code
 * Gradient2Limit} takes the long-term mean for the latency without load. It learns the latency of
 * an overload that lasts, and then no longer limits it. {@code VegasLimit} takes the shortest
 * latency of any request, and draws random numbers of its own, which a simulation cannot repeat.
 * And neither knows contention: a processor that is busy, or a mixture of short and long
 * transactions, would be limited as a chain of transactions on a hot key is, and gain nothing.
 *
 * <ul>
 *   <li>The latency of a commit begins when the application asks for it, so the length of the
 *       application's own work does not count.
 *   <li>The latency without contention is a low quantile of those that have been seen, within
 *       bounds that follow from the delay to the farthest region.
 *   <li>The limit falls only while transactions that contend take most of the time.
 *   <li>More latency is tolerated if more transactions wait. So engines with the same demand have
 *       about the same limit, although each sees only a sample of the latencies of their chain.
 *   <li>It is given up when latency has not followed it down: then the chain is of others' making.
 * </ul>
 *
 * <p>Reads no clock, draws no random numbers, and costs a few additions for each attempt.
 */
final class AdmissionLimit {
  /** A decision comes after so many attempts, or half as many as are admitted if that is more. */
  static final int WINDOW = 32;

  /**
   * While transactions contend, a decision also waits for so many latencies without contention, or
   * so many attempts. An engine that commits much would otherwise decide by a few long waits.
   */
  private static final int LEAST_LATENCIES = 25;

  private static final int LONG_WINDOW = 256;

  /**
   * The first limit. It doubles after each round without contention, so a client that comes into a
   * crowd does not lengthen a chain before its first decision.
   */
  static final int FIRST = 16;

  /** From this share of the time on that contended attempts take, the limit falls. */
  private static final double CONTENDED = 0.5;

  /**
   * Mean latency that is tolerated, in latencies without contention, if nobody waits. Less would
   * leave the slots of a region empty (section 12): with slots of four delays, ids are up to 4
   * delays off the clock.
   */
  private static final double TOLERANCE = 12;

  /** So many transactions for each one in flight make a difference at most. */
  private static final double MOST_CROWD = 16;

  /** The share of the way to the new limit, or to a new mean, that one decision goes. */
  private static final double SMOOTHING = 0.25;

  /** By how much the limit grows at most in one decision. */
  private static final double GROWTH = 2;

  /** When the limit has fallen to this share, mean latency must have fallen to {@link #FOLLOWS}. */
  private static final double FALLEN = 0.125;

  private static final double FOLLOWS = 0.5;

  /** The share of what an unusual tolerance has above the usual one that a decision leaves. */
  private static final double DECAY = 0.98;

  /** How fast the latency without contention follows while transactions contend. */
  private static final double LEARNING = 0.05;

  /** The latencies that a quantile is taken of. */
  private static final int SAMPLES = 64;

  /** Commits without contention are at most, and at least, so many round trips long. */
  private static final double MOST_ROUND_TRIPS = 3;

  private static final double LEAST_ROUND_TRIPS = 0.5;

  private final boolean adaptive;
  private final int most;
  private double limit;

  /** The last latencies of commits; a ring. */
  private final long[] samples = new long[SAMPLES];

  private int sampled;

  private long decidedMicros;

  // The attempts since the last decision.
  private int endings;
  private int commits;
  private double micros;
  private double contendedMicros;
  private double committingMicros;
  private int peak;
  private int demand;

  /** The time of committing attempts for each commit, over some decisions; 0 at first. */
  private double meanMicros;

  /** The latency of a commit without contention, in microseconds; 0 if it is not known. */
  private double unloadedMicros;

  private double tolerance = TOLERANCE;

  // The limit before it began to fall, 0 if it does not, and the highest mean latency since then.
  private double limitBefore;
  private double meanBefore;

  /**
   * @param maxInFlight the highest limit
   */
  AdmissionLimit(Admission admission, int maxInFlight) {
    this.adaptive = admission.adaptive();
    this.most = Math.min(maxInFlight, admission.most());
    this.limit = adaptive ? Math.min(FIRST, most) : most;
  }

  /** How many transactions may be in flight, at least 1. */
  int inForce() {
    return (int) limit;
  }

  /**
   * An attempt has ended.
   *
   * @param contended whether it re-executed or lost a conflict
   * @param committed whether it committed, and had something to commit
   * @param tookMicros how long it took, 0 or more
   * @param committingMicros how much of that was after it asked to commit; 0 if it did not
   * @param inFlight the transactions in flight, this one among them
   * @param waiting the transactions that wait to be admitted
   * @param delayMicros the delay to the farthest other region; 0 if it is not known
   * @param nowMicros the engine's clock, which may jump
   */
  void ended(
      boolean contended,
      boolean committed,
      long tookMicros,
      long committingMicros,
      int inFlight,
      int waiting,
      long delayMicros,
      long nowMicros) {
    if (!adaptive) {
      return;
    }
    endings++;
    micros += tookMicros;
    contendedMicros += contended ? tookMicros : 0;
    this.committingMicros += committingMicros;
    peak = Math.max(peak, inFlight);
    demand = Math.max(demand, inFlight + waiting);
    if (committed) {
      commits++;
      samples[sampled++ % SAMPLES] = committingMicros;
    }
    boolean rounds = nowMicros - decidedMicros >= LEAST_LATENCIES * unloadedMicros;
    if (endings >= Math.max(WINDOW, Math.min(limit, peak) / 2)
        && (rounds || endings >= LONG_WINDOW || !contend())) {
      decide(2 * delayMicros);
      decidedMicros = nowMicros;
      endings = 0;
      commits = 0;
      micros = 0;
      contendedMicros = 0;
      this.committingMicros = 0;
      peak = 0;
      demand = 0;
    }
  }

  private boolean contend() {
    return contendedMicros > CONTENDED * micros;
  }

  private void decide(long roundTripMicros) {
    if (sampled < SAMPLES / 4) {
      return; // too little is known of commits
    }
    double mean = smoothed(committingMicros / Math.max(1, commits));
    boolean contend = contend();
    double low = low(roundTripMicros);
    if (unloadedMicros == 0 || low < unloadedMicros || !contend) {
      unloadedMicros = low;
    } else if (roundTripMicros > 0) {
      unloadedMicros += LEARNING * (low - unloadedMicros); // its bounds are known
    }
    tolerance = TOLERANCE + (tolerance - TOLERANCE) * DECAY;
    double crowd = Math.clamp(demand / limit, 1, MOST_CROWD);
    double tolerated = tolerance * Math.sqrt(crowd) * unloadedMicros;
    double gradient = Math.min(1, tolerated / Math.max(1, mean));
    double wanted = contend ? followed(gradient) : GROWTH * limit;
    if (wanted >= limit) {
      limitBefore = 0;
      if (peak >= (int) limit) { // a limit that is not reached is not known to be right
        limit = Math.min(most, wanted);
      }
      return;
    }
    if (limitBefore == 0) {
      limit = Math.min(limit, peak);
      limitBefore = limit;
      meanBefore = 0;
    }
    meanBefore = Math.max(meanBefore, mean);
    limit = Math.max(1, followed(gradient));
    if (limit <= Math.max(1, FALLEN * limitBefore) && mean > FOLLOWS * meanBefore) {
      unloadedMicros = low;
      tolerance = Math.max(TOLERANCE, GROWTH * mean / unloadedMicros);
      limit = limitBefore;
      limitBefore = 0;
    }
  }

  /** The limit after one decision by the gradient. */
  private double followed(double gradient) {
    return limit + SMOOTHING * (gradient * limit + Math.sqrt(limit) - limit);
  }

  /** Engines of one chain should have the same limit, so one decision's chance must not count. */
  private double smoothed(double newMean) {
    meanMicros = meanMicros == 0 ? newMean : meanMicros + SMOOTHING * (newMean - meanMicros);
    return meanMicros;
  }

  /** A low quantile of the last latencies, at least 1. */
  private double low(long roundTripMicros) {
    long[] sorted = Arrays.copyOf(samples, Math.min(sampled, SAMPLES));
    Arrays.sort(sorted);
    double low = Math.max(1, sorted[sorted.length / 4]);
    return roundTripMicros == 0
        ? low
        : Math.clamp(low, LEAST_ROUND_TRIPS * roundTripMicros, MOST_ROUND_TRIPS * roundTripMicros);
  }
}
