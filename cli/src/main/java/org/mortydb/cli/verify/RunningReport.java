package org.mortydb.cli.verify;

import java.util.Locale;
import org.mortydb.check.journal.Check;
import org.mortydb.config.ClusterConfig;

/**
 * What {@link RunningCheck} found, as written in JSON.
 *
 * @param cluster the cluster's name
 * @param system the name of the system that runs there
 * @param keySpace the key space of the records
 * @param clients how many transactions ran at a time
 * @param seconds how long the workload ran
 * @param committed how many transactions committed
 * @param committedPerSecond the same per second
 * @param commitRate committed transactions per attempt
 * @param reexecutionsPerCommit how often a part of a transaction ran again, per commit
 * @param unknownOutcome how many transactions have an unknown outcome
 * @param latencyMicros from the begin of a committed transaction to its end, with all attempts
 * @param recordsDeleted whether the records are deleted
 * @param serializable whether the check found no violation
 * @param check the findings
 */
public record RunningReport(
    String cluster,
    String system,
    String keySpace,
    int clients,
    double seconds,
    long committed,
    double committedPerSecond,
    double commitRate,
    double reexecutionsPerCommit,
    long unknownOutcome,
    Latency latencyMicros,
    boolean recordsDeleted,
    boolean serializable,
    Check check) {

  /** Latencies in microseconds. */
  public record Latency(long mean, long max) {}

  static RunningReport of(
      ClusterConfig config,
      String keySpace,
      int clients,
      double seconds,
      Tally tally,
      boolean deleted,
      Check check) {
    long committed = tally.committed.sum();
    long attempts = committed + tally.aborted.sum() + tally.unknown.sum();
    return new RunningReport(
        config.name(),
        config.system().toString(),
        keySpace,
        clients,
        seconds,
        committed,
        Math.round(10 * committed / seconds) / 10.0,
        ratio(committed, attempts),
        ratio(tally.reexecutions.sum(), committed),
        tally.unknown.sum(),
        new Latency(tally.latencyMicros.sum() / Math.max(1, committed), tally.longestMicros.get()),
        deleted,
        check.violations() == 0,
        check);
  }

  private static double ratio(long part, long whole) {
    return Math.round(1e4 * part / Math.max(1, whole)) / 1e4;
  }

  /** Returns the report as lines of text, with a line break at the end. */
  public String text() {
    return String.format(
            Locale.ROOT,
            """
            committed     %,d transactions, %,.0f per second, %.4f per attempt
            re-executed   %.4f times per commit
            latency       mean %,.1f ms, longest %,.1f ms
            """,
            committed,
            committedPerSecond,
            commitRate,
            reexecutionsPerCommit,
            latencyMicros.mean() / 1e3,
            latencyMicros.max() / 1e3)
        + check.text();
  }
}
