package org.mortydb.storage;

/**
 * A complete checkpoint.
 *
 * @param position where replay of the log begins after it
 * @param records how many it holds
 * @param bytes its length
 */
public record CheckpointInfo(long position, long records, long bytes) {}
