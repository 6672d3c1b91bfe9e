package org.mortydb.protocol.past;

import org.mortydb.protocol.message.Message.PastLevel;
import org.mortydb.protocol.model.TxnId;

/**
 * What a transaction wants to read of the past.
 *
 * @param level which place
 * @param place the place for {@link PastLevel#AT}, the lowest one that will do for {@link
 *     PastLevel#NEWEST}; {@link TxnId#INITIAL} if any will do, and for {@link PastLevel#LOCAL}
 */
public record PastGoal(PastLevel level, TxnId place) {
  /** The newest committed version of each key at the closest replica. */
  public static final PastGoal LOCAL = new PastGoal(PastLevel.LOCAL, TxnId.INITIAL);

  /** Whether not every place that a replica has will do. */
  public boolean hasBound() {
    return level == PastLevel.NEWEST && !place.equals(TxnId.INITIAL);
  }

  /** The state at one place. */
  public static PastGoal at(TxnId place) {
    return new PastGoal(PastLevel.AT, place);
  }

  /** The newest state that the closest replica has, if it is at or above {@code lowest}. */
  public static PastGoal newestFrom(TxnId lowest) {
    return new PastGoal(PastLevel.NEWEST, lowest);
  }
}
