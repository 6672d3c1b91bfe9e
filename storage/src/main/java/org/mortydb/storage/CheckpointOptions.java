package org.mortydb.storage;

/**
 * Limits for the writing of checkpoints, so that the log does not wait for it.
 *
 * @param bytesPerSecond the most bytes written per second, at least 64 KiB
 * @param stepBytes the number of bytes between two forces, 4 KiB to 64 MiB; at most twice as much
 *     waits in memory, unless a single record is longer
 */
public record CheckpointOptions(long bytesPerSecond, int stepBytes) {
  /** 64 MiB per second, in steps of 1 MiB. */
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
