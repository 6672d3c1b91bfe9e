package org.mortydb.check.journal;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;

/**
 * A transaction that has ended, as its session saw it.
 *
 * @param id its id, which is its serial position
 * @param certain true if it committed; false if its outcome is unknown
 * @param session the session in the stamp of its values
 * @param sequence the sequence in the stamp of its values
 * @param lastRead its last read; reads of own writes are not included
 * @param lastWrite its last write; if it is not certain, its possible deletions
 * @param ageMicros how old the state was that it has read when it began, in microseconds; 0 if it
 *     has not read the past
 */
public record ObservedTransaction(
    TxnId id,
    boolean certain,
    int session,
    int sequence,
    @Nullable ObservedRead lastRead,
    @Nullable ObservedWrite lastWrite,
    long ageMicros) {

  /** A transaction that has not read the past. */
  public ObservedTransaction(
      TxnId id,
      boolean certain,
      int session,
      int sequence,
      @Nullable ObservedRead lastRead,
      @Nullable ObservedWrite lastWrite) {
    this(id, certain, session, sequence, lastRead, lastWrite, 0);
  }

  @Override
  public String toString() {
    return id + " (session " + session + ", attempt " + sequence + ")";
  }
}
