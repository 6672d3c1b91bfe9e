package org.mortydb.protocol.model;

/**
 * A version of a key together with its value: what a read saw, or should see now.
 *
 * @param key the key
 * @param version the version
 * @param value its value
 * @param settled whether the version is committed, or the replica has voted to commit it; one that
 *     is not may well change before it commits, so whoever reads it waits with asking for votes
 */
public record VersionedValue(Key key, WriteId version, Value value, boolean settled) {}
