package org.mortydb.cli.shell;

import java.time.Duration;
import org.mortydb.config.ClusterConfig;

/**
 * Options for the transactions of a shell.
 *
 * @param runMicros how long one run of a transaction may take, in microseconds
 * @param idle how long an open transaction waits for a statement before it is rolled back
 * @param asks whether a commit is postponed if reads have changed since they were shown
 */
public record ShellOptions(long runMicros, Duration idle, boolean asks) {
  private static final long MOST_RUN_MICROS = 10_000_000;

  /**
   * Returns options for a cluster. Replicas discard outcomes after {@code retention}, so a run must
   * be shorter.
   */
  public static ShellOptions of(ClusterConfig cluster, Duration idle, boolean asks) {
    long retentionMicros = cluster.replicaOptions().retentionMicros();
    return new ShellOptions(Math.min(MOST_RUN_MICROS, retentionMicros / 4 * 3), idle, asks);
  }
}
