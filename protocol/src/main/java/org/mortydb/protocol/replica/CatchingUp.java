package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/**
 * Copies a peer when this replica has missed rounds of truncation that no proposer keeps any more
 * (docs/protocol.md, section 6). The replica serves meanwhile.
 */
final class CatchingUp implements Copying.Purpose {
  private final ReplicaState state;
  private final Copies copies;
  private final TruncationRounds rounds;

  /** How many peers have failed in a row. */
  private int failed;

  CatchingUp(ReplicaState state, Copies copies, TruncationRounds rounds) {
    this.state = state;
    this.copies = copies;
    this.rounds = rounds;
  }

  /** The partition has reached a watermark above this replica's: copies a peer that is there. */
  void fellBehind(ReplicaId peer, TxnId reached, Effects out) {
    if (!copies.isUnderWay()
        && reached.isAfter(state.horizon.watermark())
        && !state.isAhead(reached)) {
      mark(reached, Branch.BEHIND, out);
      rounds.abandon();
      failed = 0;
      // The sender may be of another partition: any peer that has reached the watermark will do.
      int index =
          peer.partition() == state.self.partition() && peer.index() != state.self.index()
              ? peer.index()
              : (state.self.index() + 1) % state.maps.replicas();
      copies.begin(index, reached, this, out);
    }
  }

  /**
   * Asks the next peer. If all have failed, the one that had reached the watermark is down or cut
   * off, and this replica goes on as if it had not heard of it: it must not wait for more than f
   * others. It will be told again.
   */
  @Override
  public void failed(Copying copy, Effects out) {
    int replicas = state.maps.replicas();
    if (++failed >= replicas - 1) {
      rounds.advanced();
      return;
    }
    int next = (copy.peer().index() + 1) % replicas;
    copies.begin(
        next == state.self.index() ? (next + 1) % replicas : next, copy.needed(), this, out);
  }

  @Override
  public void completed(TxnId upTo, Effects out) {
    rounds.advanced();
    mark(upTo, Branch.CAUGHT_UP, out);
  }
}
