package org.mortydb.protocol.model;

/**
 * A version of a key and its value, which a read has seen or should see now.
 *
 * @param key the key
 * @param version the version
 * @param value its value
 * @param settled whether the version is committed, or the replica has voted to commit it. Others
 *     may change before they commit, so a reader does not ask for votes before
 */
public record VersionedValue(Key key, WriteId version, Value value, boolean settled) {}
