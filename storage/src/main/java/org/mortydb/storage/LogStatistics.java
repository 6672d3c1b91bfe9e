package org.mortydb.storage;

/**
 * What a log did since it was opened.
 *
 * @param records appended and written
 * @param batches writes that had records
 * @param bytes written, headers and marks included
 * @param forces how often the medium was waited for
 * @param forceMicros how long that took in all
 * @param slowestForceMicros and at most
 */
public record LogStatistics(
    long records,
    long batches,
    long bytes,
    long forces,
    long forceMicros,
    long slowestForceMicros) {}
