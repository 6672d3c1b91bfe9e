package org.mortydb.client;

/**
 * A key and its value, as a scan finds them.
 *
 * @param key the key within its key space
 * @param value the value that the key holds
 */
public record Entry<K, V>(K key, V value) {}
