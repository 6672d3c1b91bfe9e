package org.mortydb.protocol.change;

/**
 * The safety rules of docs/protocol.md, section 15, that a change of the map follows. Production
 * uses {@link #SOUND}. Tests switch one rule off at a time, and require that a checker finds a
 * violation.
 */
public class ChangeRules {

  /** All rules hold. */
  public static final ChangeRules SOUND = new ChangeRules();

  /** The acknowledged seals of each partition that loses buckets, before the change is decided. */
  public int sealQuorum(int f) {
    return f + 1;
  }

  /** The replicas of a new partition that hold their keys, before others may drop them. */
  public int holdersQuorum(int f) {
    return f + 1;
  }
}
