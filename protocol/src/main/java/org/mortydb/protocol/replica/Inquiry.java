package org.mortydb.protocol.replica;

/**
 * How a replica inquires about one undecided transaction (docs/protocol.md, section 5): it asks the
 * coordinator and the home partition, and recovers the transaction if it learns nothing. Each
 * assurance of the coordinator doubles the time until the next inquiry, up to a limit.
 */
final class Inquiry {
  private static final int MAX_DOUBLINGS = 2;

  /** What to do when the transaction is due. */
  enum Step {
    /** The coordinator has given an assurance: wait once more. */
    WAIT,
    ASK,
    RECOVER
  }

  private boolean asked;
  private int assurances;

  /** How many more times to wait when the transaction is due. */
  private int respites;

  /**
   * The next step; called each time the transaction is due.
   *
   * @param fenced whether the coordinator's view has ended, so that its assurances count no more
   */
  Step next(boolean fenced) {
    if (respites > 0 && !fenced) {
      respites--;
      return Step.WAIT;
    }
    if (!asked) {
      asked = true;
      return Step.ASK;
    }
    return Step.RECOVER;
  }

  /** The coordinator has said that it still works on the transaction; counts once per question. */
  void assured() {
    if (asked) {
      asked = false;
      assurances = Math.min(assurances + 1, MAX_DOUBLINGS);
      respites = (1 << assurances) - 1;
    }
  }
}
