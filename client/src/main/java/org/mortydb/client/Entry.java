package org.mortydb.client;

/**
 * A key that holds something, as a scan shows it.
 *
 * @param key the key within its key space
 * @param value what it holds
 */
public record Entry<K, V>(K key, V value) {}
