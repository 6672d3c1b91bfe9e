package org.mortydb.bench.experiment;

import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.system.Backoff;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;

/**
 * The default deadlines and retries of transactions in measurements. The back-off depends on the
 * system and grows with the round trip between regions. The experiment {@code backoff} measures its
 * effect: systems with many aborts make no progress if they retry at once, and systems with cheap
 * aborts lose time by waiting.
 */
public final class RetryDefaults {
  /** The deadline. Before it, no transaction is given up. */
  private static final long DEADLINE_MICROS = 10_000_000;

  private RetryDefaults() {}

  /**
   * The retries of a system.
   *
   * @param roundTripMicros the longest round trip between two regions, 0 or more
   */
  public static RetryPolicy retries(TransactionSystem system, long roundTripMicros) {
    return retries(system.backoff(roundTripMicros));
  }

  /** Retries with a back-off, until the deadline. */
  public static RetryPolicy retries(Backoff backoff) {
    return new RetryPolicy(Integer.MAX_VALUE, backoff.baseMicros(), backoff.capMicros());
  }

  /** The retries for a cluster's system and delays, with a deadline of ten seconds. */
  public static TransactionOptions of(ClusterSettings cluster) {
    TransactionSystem system = TransactionSystems.named(cluster.system());
    return of(retries(system, 2 * cluster.longestDelayMicros()));
  }

  /** The default deadline with other retries. */
  public static TransactionOptions of(RetryPolicy retry) {
    return new TransactionOptions(DEADLINE_MICROS, retry);
  }
}
