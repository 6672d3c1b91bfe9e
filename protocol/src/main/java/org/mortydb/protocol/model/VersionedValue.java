package org.mortydb.protocol.model;

/**
 * A version of a key together with its value: what a read saw, or should see now.
 *
 * @param key the key
 * @param version the version
 * @param value its value
 * @param committed whether the version was known to be committed
 */
public record VersionedValue(Key key, WriteId version, Value value, boolean committed) {}
