package org.mortydb.cli.backup;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * What the first line of a backup says of it.
 *
 * @param format {@link #FORMAT}
 * @param cluster the name of the cluster that it is of
 * @param cutMicros the place in the serial order: every transaction that committed at or below this
 *     time is in it, and no other; microseconds since 1970 by the clients' clocks
 * @param cut the same as text
 * @param from where the keys begin, as hexadecimal digits; empty for the lowest
 * @param to where they end, exclusive; empty for no end
 */
public record BackupHeader(
    String format, String cluster, long cutMicros, String cut, String from, String to) {

  /** The name and version of the format. */
  public static final String FORMAT = "morty-backup-1";

  /** Of a cut. */
  static BackupHeader of(String cluster, long cutMicros, String from, String to) {
    Instant cut = Instant.EPOCH.plusNanos(TimeUnit.MICROSECONDS.toNanos(cutMicros));
    return new BackupHeader(FORMAT, cluster, cutMicros, cut.toString(), from, to);
  }
}
