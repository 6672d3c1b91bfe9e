package org.mortydb.storage;

/**
 * Statistics of a log since it was opened.
 *
 * @param records the number of written records
 * @param batches the number of writes with records
 * @param bytes the bytes written, with headers and marks
 * @param forces the number of forces
 * @param forceMicros the total time of all forces
 * @param slowestForceMicros the time of the slowest force
 */
public record LogStatistics(
    long records,
    long batches,
    long bytes,
    long forces,
    long forceMicros,
    long slowestForceMicros) {}
