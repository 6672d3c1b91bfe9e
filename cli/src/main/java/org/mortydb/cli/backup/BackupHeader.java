package org.mortydb.cli.backup;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * The first line of a backup.
 *
 * @param format {@link #FORMAT}
 * @param cluster the name of the cluster
 * @param cutMicros the place in the serial order, in microseconds since 1970 by the clients'
 *     clocks; the backup has the transactions that committed at or below this time, and no others
 * @param cut the same as text
 * @param from the first key in hexadecimal digits; empty for the lowest
 * @param to the end of the keys, exclusive, in hexadecimal digits; empty for no end
 */
public record BackupHeader(
    String format, String cluster, long cutMicros, String cut, String from, String to) {

  /** The name and version of the format. */
  public static final String FORMAT = "morty-backup-1";

  /** Returns the header of a backup at a cut. */
  static BackupHeader of(String cluster, long cutMicros, String from, String to) {
    Instant cut = Instant.EPOCH.plusNanos(TimeUnit.MICROSECONDS.toNanos(cutMicros));
    return new BackupHeader(FORMAT, cluster, cutMicros, cut.toString(), from, to);
  }
}
