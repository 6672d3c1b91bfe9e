package org.mortydb.baselines.message;

/**
 * The anti-dependencies of a transaction under serializable snapshot isolation: some transaction
 * reads a version, and a concurrent one writes the next version of the same key.
 *
 * @param in whether a concurrent transaction has read a version that this one replaces
 * @param out whether this one has read a version that a concurrent transaction replaces
 */
public record Conflicts(boolean in, boolean out) {

  /** No anti-dependency. */
  public static final Conflicts NONE = new Conflicts(false, false);

  /** These conflicts and others of the same transaction. */
  public Conflicts and(Conflicts others) {
    return new Conflicts(in || others.in, out || others.out);
  }

  /**
   * Whether the transaction is in the middle of two consecutive anti-dependencies. Every cycle that
   * snapshot isolation permits has such a transaction.
   */
  public boolean isPivot() {
    return in && out;
  }
}
