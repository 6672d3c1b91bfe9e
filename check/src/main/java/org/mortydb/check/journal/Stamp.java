package org.mortydb.check.journal;

/**
 * Who wrote a value: carried by every value, so that a checker which trusts nothing of the store
 * can tell from a value alone which transaction it came from.
 *
 * @param session the session, 0 or more
 * @param sequence the session's attempt, from 1; a retry after an abort has a stamp of its own
 */
public record Stamp(int session, int sequence) {

  @Override
  public String toString() {
    return "session " + session + ", attempt " + sequence;
  }
}
