package org.mortydb.protocol.model;

/**
 * An entry of a read set.
 *
 * @param key the key that was read
 * @param version the version that was read; it carries the home partition of its writer
 */
public record Read(Key key, WriteId version) {}
