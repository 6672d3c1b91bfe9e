package org.mortydb.config;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where and how servers store.
 *
 * @param durability what a server's crash may cost
 * @param data the directory that holds each server's own, which has its name; null only with {@link
 *     Durability#MEMORY}
 * @param forceInterval with {@link Durability#ASYNC}: how long a record waits to be forced
 * @param segmentBytes the length of the log's files
 * @param bufferBytes the most bytes of records that wait to be written
 * @param checkpointLogBytes a checkpoint begins when the log since the last one is as long as this
 * @param checkpointBytesPerSecond the most that a checkpoint writes in a second
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
