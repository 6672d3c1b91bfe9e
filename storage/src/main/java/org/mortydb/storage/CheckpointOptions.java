package org.mortydb.storage;

/**
 * How checkpoints are written so that the log does not have to wait for them.
 *
 * @param bytesPerSecond the most that is written in a second, at least 64 KiB
 * @param stepBytes after how many bytes the file is forced, 4 KiB to 64 MiB; twice as much waits in
 *     memory at most, unless a single record is longer
 */
public record CheckpointOptions(long bytesPerSecond, int stepBytes) {
  /** 64 MiB in a second, in steps of 1 MiB. */
  public static final CheckpointOptions DEFAULTS =
      new CheckpointOptions(64 * 1024 * 1024, 1024 * 1024);

  public CheckpointOptions {
    if (bytesPerSecond < 64 * 1024) {
      throw new IllegalArgumentException("bytesPerSecond is " + bytesPerSecond);
    }
    if (stepBytes < 4096 || stepBytes > 64 * 1024 * 1024) {
      throw new IllegalArgumentException("stepBytes is " + stepBytes);
    }
  }
}
