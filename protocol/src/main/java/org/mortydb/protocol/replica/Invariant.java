package org.mortydb.protocol.replica;

/** The check of what must always hold. A broken invariant stops the partition. */
final class Invariant {
  private Invariant() {}

  /**
   * Checks one invariant.
   *
   * @param subject what the invariant is about; shown before {@code broken}
   * @param broken what is wrong if the invariant does not hold
   * @throws IllegalStateException if it does not hold
   */
  static void require(boolean holds, Object subject, String broken) {
    if (!holds) {
      throw new IllegalStateException("broken invariant: " + subject + " " + broken);
    }
  }
}
