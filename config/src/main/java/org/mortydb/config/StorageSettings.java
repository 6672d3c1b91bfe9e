package org.mortydb.config;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of storage.
 *
 * @param durability what a crash of a server may lose
 * @param data the parent of the servers' directories, each of which has its server's name. With
 *     {@link Durability#MEMORY}, a server marks its directory of an earlier use as doubtful; null
 *     if there is none
 * @param forceInterval with {@link Durability#ASYNC}: how long a record waits to be forced
 * @param segmentBytes the length of the log's files
 * @param bufferBytes the most bytes of records that wait to be written
 * @param checkpointLogBytes the length of the log since the last checkpoint at which one begins
 * @param checkpointBytesPerSecond the most bytes that a checkpoint writes per second
 */
public record StorageSettings(
    Durability durability,
    @Nullable Path data,
    Duration forceInterval,
    int segmentBytes,
    int bufferBytes,
    int checkpointLogBytes,
    int checkpointBytesPerSecond) {
  private static final int MEBIBYTE = 1024 * 1024;

  /** Nothing is stored. */
  public static final StorageSettings MEMORY =
      new StorageSettings(
          Durability.MEMORY,
          null,
          Duration.ofMillis(20),
          64 * MEBIBYTE,
          32 * MEBIBYTE,
          256 * MEBIBYTE,
          16 * MEBIBYTE);
}
