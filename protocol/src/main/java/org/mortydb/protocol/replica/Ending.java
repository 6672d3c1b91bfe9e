package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.TxnId;

/**
 * Whether the partition of this replica has ended, because nothing needs it any more
 * (docs/protocol.md, section 15). A replica whose partition has ended begins nothing: no round of
 * truncation, no recovery, no question, and no join. It goes on to answer, mostly with refusals.
 * What it has stored was forgotten before.
 */
final class Ending {
  private final ReplicaState state;
  private boolean ended;

  Ending(ReplicaState state) {
    this.state = state;
  }

  /** Whether the partition had ended at the last tick. */
  boolean hasEnded() {
    return ended;
  }

  void onTick(boolean joining, Effects out) {
    if (ended || !isOver(joining)) {
      return;
    }
    ended = true;
    mark(state.horizon.watermark(), Branch.PARTITION_ENDED, out);
  }

  private boolean isOver(boolean joining) {
    MapHistory history = state.maps.history();
    ClusterMap without = history.firstWithout(state.self.partition());
    return without != null
        && without.number() <= history.closed() // its keys are elsewhere, and durable
        && !state.horizon.everywhere().isBefore(without.cut()) // nobody needs its outcomes
        && (joining || isPastOver(without.cut()));
  }

  /**
   * Whether nobody reads the past here any more. A replica that joins answers no such reader. The
   * clock alone tells a replica that is behind, or whose peers have ended and stopped: its rounds
   * fail for good then.
   */
  private boolean isPastOver(TxnId cut) {
    return state.cuts.size() == 0
        && (!state.historyButForFloors().isBefore(cut)
            || state.nowMicros >= cut.timeMicros() + state.options.pruneMicros());
  }
}
