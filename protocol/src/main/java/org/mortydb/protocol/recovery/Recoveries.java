package org.mortydb.protocol.recovery;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;

/** The recoveries that one replica runs (docs/protocol.md, section 5). Part of its machine. */
public final class Recoveries {
  private final ReplicaId self;
  private long proposer;
  private final Topology topology;
  private final long timeoutMicros;
  private final boolean asksOthers;

  // In the order in which they began: the effects of a tick are never in hash order.
  private final LinkedHashMap<TxnId, RecoveryCoordinator> open = new LinkedHashMap<>();

  private long decided;

  /**
   * No recoveries yet.
   *
   * @param self the replica that recovers
   * @param timeoutMicros how long a first attempt may take
   * @param asksOthers whether the other participants have to promise as well; false in tests only
   */
  public Recoveries(ReplicaId self, Topology topology, long timeoutMicros, boolean asksOthers) {
    this.self = self;
    this.proposer = 1 + ((long) self.partition() << 8 | self.index());
    this.topology = topology;
    this.timeoutMicros = timeoutMicros;
    this.asksOthers = asksOthers;
  }

  /**
   * This process may have forgotten earlier proposals, so it proposes under a number of its own.
   */
  public void liveAs(long incarnation) {
    proposer = (proposer & 0x3F_FFFF) | ((incarnation & 0xFF_FFFF_FFFFL) << 22);
  }

  /**
   * Begins to recover a transaction, unless a recovery of it runs already.
   *
   * @param promised the highest view that this replica has promised, or has used in a proposal
   */
  public void begin(TxnId txn, View promised, long nowMicros, Effects out) {
    if (!open.containsKey(txn)) {
      RecoveryCoordinator recovery =
          new RecoveryCoordinator(
              txn, promised, self, proposer, topology, timeoutMicros, asksOthers);
      open.put(txn, recovery);
      recovery.onTick(nowMicros, out);
    }
  }

  /** Begins the attempts that are due. */
  public void onTick(long nowMicros, Effects out) {
    if (open.isEmpty()) {
      return;
    }
    for (RecoveryCoordinator recovery : new ArrayList<>(open.values())) {
      recovery.onTick(nowMicros, out);
      forgetIfDone(recovery);
    }
  }

  /** A replica has answered a Recover of this replica. */
  public void onRecoverReply(long nowMicros, ReplicaId from, RecoverReply reply, Effects out) {
    RecoveryCoordinator recovery = open.get(reply.txn());
    if (recovery != null) {
      recovery.onRecoverReply(nowMicros, from, reply, out);
      forgetIfDone(recovery);
    }
  }

  /** A replica has answered a Finalize of this replica. */
  public void onFinalizeReply(long nowMicros, ReplicaId from, FinalizeReply reply, Effects out) {
    RecoveryCoordinator recovery = open.get(reply.txn());
    if (recovery != null) {
      recovery.onFinalizeReply(nowMicros, from, reply, out);
      forgetIfDone(recovery);
    }
  }

  /** The replica has learnt the outcome. */
  public void decided(TxnId txn) {
    @Nullable RecoveryCoordinator recovery = open.remove(txn);
    if (recovery != null) {
      recovery.abandon();
    }
  }

  /** How many recoveries run. */
  public int size() {
    return open.size();
  }

  /** How many recoveries have decided: f+1 home replicas have accepted their proposal. */
  public long decided() {
    return decided;
  }

  private void forgetIfDone(RecoveryCoordinator recovery) {
    if (recovery.isDone()) {
      decided += recovery.hasChosen() ? 1 : 0;
      open.remove(recovery.txn());
    }
  }
}
