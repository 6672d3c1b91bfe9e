package org.mortydb.peers.occ;

import org.mortydb.protocol.model.Value;

/**
 * The value and version of a key.
 *
 * @param value the value; {@link Value#ABSENT} for an absent key
 * @param version the version, which every write of the key changes and never reuses; 0 for an
 *     absent key
 */
public record Versioned(Value value, long version) {
  /** An absent key. */
  public static final Versioned NOTHING = new Versioned(Value.ABSENT, 0);
}
