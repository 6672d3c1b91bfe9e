package org.mortydb.check.journal;

/**
 * The writer of a value. Every value carries its stamp, so that a checker that does not trust the
 * store can identify the transaction that wrote the value.
 *
 * @param session the session, 0 or more
 * @param sequence the session's attempt, from 1; each retry has its own
 */
public record Stamp(int session, int sequence) {

  @Override
  public String toString() {
    return "session " + session + ", attempt " + sequence;
  }
}
