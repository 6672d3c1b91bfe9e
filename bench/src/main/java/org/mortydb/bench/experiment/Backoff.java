package org.mortydb.bench.experiment;

import org.mortydb.baselines.TransactionSystem;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;

/**
 * How long transactions that lost a conflict wait in measurements, unless that is said: one policy,
 * with bounds that suit the system and grow with the round trip between regions. A system that
 * aborts much and is tried again at once makes no progress where transactions take long, and one
 * whose aborts cost little loses by waiting; measured by the experiment {@code backoff}.
 */
public final class Backoff {
  /** Nothing is given up before its deadline. */
  private static final long DEADLINE_MICROS = 10_000_000;

  private Backoff() {}

  /**
   * The usual policy.
   *
   * @param roundTripMicros the longest between two regions, 0 or more
   */
  public static RetryPolicy usual(TransactionSystem system, long roundTripMicros) {
    return switch (system) {
      // An abort is noticed early, and costs the leaders little.
      case OCC,
          MORTY,
          MORTY_NO_PUSH,
          MORTY_NO_EAGER_WRITES,
          MORTY_NO_FAST_PATH,
          MORTY_NO_CONDITIONAL_VOTES ->
          bounded(100 + roundTripMicros / 4, 5_000 + 25 * roundTripMicros / 2);
      case MVTSO, MORTY_ONE_REEXECUTION, TAPIR, SPANNER ->
          bounded(1_000 + roundTripMicros, 50_000 + 200 * roundTripMicros);
    };
  }

  /** What transactions bear on such a cluster: retries as usual, and a deadline of ten seconds. */
  public static TransactionOptions patience(ClusterSettings cluster) {
    TransactionSystem system = TransactionSystem.named(cluster.system());
    return patience(usual(system, 2 * cluster.longestDelayMicros()));
  }

  /** The same with another policy. */
  public static TransactionOptions patience(RetryPolicy retry) {
    return new TransactionOptions(DEADLINE_MICROS, retry);
  }

  private static RetryPolicy bounded(long baseMicros, long capMicros) {
    return new RetryPolicy(Integer.MAX_VALUE, baseMicros, capMicros);
  }
}
