package org.mortydb.storage;

/**
 * A complete checkpoint.
 *
 * @param position the position at which replay of the log begins
 * @param records the number of records
 * @param bytes the length of the file
 */
public record CheckpointInfo(long position, long records, long bytes) {}
