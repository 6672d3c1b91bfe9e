package org.mortydb.bench.soak;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.report.Check;

/**
 * What came of a soak.
 *
 * @param serializable whether one serial order explains all that clients saw, at the end included
 * @param lost records that at the end did not hold what the last acknowledged write left there
 * @param seconds how long faults were caused
 * @param transactions those that committed under load
 * @param commitRate by attempts; every retry is an attempt
 * @param unknownOutcomes transactions of which no client learnt the outcome
 * @param kills servers killed, those of {@code totalFailures} included
 * @param totalFailures how often all servers were killed at once
 * @param wipes killed servers that lost their data as well
 * @param rejoins servers that came back with nothing and served again
 * @param clientDeaths clients closed in the midst of their transactions
 * @param firstQuarter resources in use after a quarter of the time; null when not known
 * @param lastQuarter resources in use at the end of the time; null when not known
 * @param check the check in full
 * @param settings what was asked for
 */
public record SoakReport(
    boolean serializable,
    long lost,
    double seconds,
    long transactions,
    double commitRate,
    long unknownOutcomes,
    int kills,
    int totalFailures,
    int wipes,
    int rejoins,
    int clientDeaths,
    @Nullable Resources firstQuarter,
    @Nullable Resources lastQuarter,
    Check check,
    Map<String, @Nullable Object> settings) {

  /**
   * What is in use.
   *
   * @param atSecond when, from the beginning on
   * @param serverHeapBytes on the servers' heaps together, after a collection; null when not known
   * @param ownHeapBytes on the heap of this process, clients and history, after a collection
   * @param diskBytes in the servers' data directories together
   */
  public record Resources(
      double atSecond, @Nullable Long serverHeapBytes, long ownHeapBytes, long diskBytes) {}

  /** Whether nothing is wrong. */
  public boolean clean() {
    return serializable && lost == 0;
  }
}
