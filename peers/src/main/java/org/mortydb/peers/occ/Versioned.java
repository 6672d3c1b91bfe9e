package org.mortydb.peers.occ;

import org.mortydb.protocol.model.Value;

/**
 * What a key holds.
 *
 * @param value {@link Value#ABSENT} when it holds nothing
 * @param version changes with every write of the key, and is never used again; 0 when it holds
 *     nothing
 */
public record Versioned(Value value, long version) {
  /** Of a key that holds nothing. */
  public static final Versioned NOTHING = new Versioned(Value.ABSENT, 0);
}
