package org.mortydb.protocol.model;

/**
 * The ballot of a transaction's outcome. View 0 belongs to the coordinator at the client. Higher
 * views belong to recoveries; they are unique because they carry their proposer.
 *
 * @param round 0 for the client, at least 1 for a recovery
 * @param proposer the proposing process, 0 for the client
 */
public record View(int round, long proposer) implements Comparable<View> {

  /**
   * Checks the bounds.
   *
   * @throws IllegalArgumentException if the round is not in 0..{@link Limits#MAX_NUMBER}
   */
  public View {
    Limits.checkNumber("round", round);
  }

  /** The view of the coordinator at the client. */
  public static final View CLIENT = new View(0, 0);

  @Override
  public int compareTo(View other) {
    int byRound = Integer.compare(round, other.round);
    return byRound != 0 ? byRound : Long.compare(proposer, other.proposer);
  }

  /** Whether this view outranks {@code other}. */
  public boolean isAbove(View other) {
    return compareTo(other) > 0;
  }
}
