package org.mortydb.bench.retwis;

/**
 * A record with the stamp of its writer: the content of one value.
 *
 * @param stamp who wrote it
 * @param content what it says
 */
record StampedRecord(Stamp stamp, StoredRecord content) {}
