package org.mortydb.protocol.model;

/**
 * An entry of a read set.
 *
 * @param key what was read
 * @param version the version that was seen; its writer's home partition travels in it
 */
public record Read(Key key, WriteId version) {}
