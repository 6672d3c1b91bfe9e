package org.mortydb.protocol.coordinator;

import java.util.List;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.quorum.VoteTally;

/**
 * An execution for which Prepares were sent, as it was then. Kept until the outcome, which may be
 * the commit of an older execution.
 */
record PreparedExecution(
    int number,
    List<Integer> participants,
    List<VersionedValue> reads,
    List<KeyRange> ranges,
    List<Write> writes,
    VoteTally votes) {

  Outcome commit() {
    return Outcome.commit(number, participants);
  }
}
