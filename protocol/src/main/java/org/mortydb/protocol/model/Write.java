package org.mortydb.protocol.model;

/**
 * An entry of a write set.
 *
 * @param key the key that is written
 * @param valueId the number of the value within transaction and key, positive, see {@link WriteId}
 * @param value the value, {@link Value#ABSENT} to delete
 */
public record Write(Key key, int valueId, Value value) {}
