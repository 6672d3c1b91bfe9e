package org.mortydb.check.journal;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;

/**
 * A transaction as its session saw it end.
 *
 * @param id its id, hence its place in the serial order
 * @param certain true when it committed, false when it is unknown whether it did
 * @param session the session in the stamp of its values
 * @param sequence the sequence in the stamp of its values
 * @param lastRead the newest of its reads; own writes are not read back
 * @param lastWrite the newest of its writes; of one that is not certain, what it may have deleted
 */
public record ObservedTransaction(
    TxnId id,
    boolean certain,
    int session,
    int sequence,
    @Nullable ObservedRead lastRead,
    @Nullable ObservedWrite lastWrite) {

  @Override
  public String toString() {
    return id + " (session " + session + ", attempt " + sequence + ")";
  }
}
