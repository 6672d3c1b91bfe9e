package org.mortydb.protocol.recovery;

import java.util.List;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;

/**
 * The recoveries of one replica (docs/protocol.md, section 5). Part of its machine.
 *
 * <p>At most {@link #MOST_ATTEMPTS} attempts run at once, whatever clients leave undecided. The
 * lowest transactions go first: a promise can wait for lower transactions, never for higher ones.
 *
 * <p>Waits are measured by {@code elapsedMicros}, the time that has passed at the replica in
 * microseconds. A clock that is set does not change them.
 */
public final class Recoveries {
  /** The most attempts that run at once. */
  static final int MOST_ATTEMPTS = 1_024;

  private final ReplicaId self;
  private long proposer;

  /** The failures that each partition tolerates. */
  private final IntUnaryOperator f;

  private final long timeoutMicros;
  private final boolean asksOthers;
  private final BiPredicate<TxnId, List<Integer>> mayCommit;

  private final TreeMap<TxnId, RecoveryCoordinator> open = new TreeMap<>();

  /** How many attempts run; too high after some have ended, until the next tick. */
  private int running;

  private long decided;

  /**
   * No recoveries yet.
   *
   * @param self the replica that recovers
   * @param f the failures that each partition tolerates
   * @param timeoutMicros how long a first attempt may take
   * @param asksOthers whether the other participants have to promise as well; false in tests only
   * @param mayCommit whether a transaction with these participants may have committed; false only
   *     if f+1 replicas of one of them never vote for it
   */
  public Recoveries(
      ReplicaId self,
      IntUnaryOperator f,
      long timeoutMicros,
      boolean asksOthers,
      BiPredicate<TxnId, List<Integer>> mayCommit) {
    this.self = self;
    this.proposer = 1 + ((long) self.partition() << 8 | self.index());
    this.f = f;
    this.timeoutMicros = timeoutMicros;
    this.asksOthers = asksOthers;
    this.mayCommit = mayCommit;
  }

  /**
   * This process may have forgotten earlier proposals, so it proposes under a number of its own.
   */
  public void liveAs(long incarnation) {
    proposer = (proposer & 0x3F_FFFF) | ((incarnation & 0xFF_FFFF_FFFFL) << 22);
  }

  /**
   * Begins to recover a transaction, unless a recovery of it is open. Its first attempt begins at
   * once if there is room, and otherwise at a later tick.
   *
   * @param promised the highest view that this replica has promised, or has used in a proposal
   */
  public void begin(TxnId txn, View promised, long elapsedMicros, Effects out) {
    if (!open.containsKey(txn)) {
      RecoveryCoordinator recovery = open(txn, promised);
      if (running < MOST_ATTEMPTS) {
        running++;
        recovery.onTick(elapsedMicros, out);
      }
    }
  }

  private RecoveryCoordinator open(TxnId txn, View after) {
    RecoveryCoordinator recovery =
        new RecoveryCoordinator(
            txn, after, self, proposer, f, timeoutMicros, asksOthers, mayCommit);
    open.put(txn, recovery);
    return recovery;
  }

  /** Ends the attempts that take too long, and begins those that are due and have room. */
  public void onTick(long elapsedMicros, Effects out) {
    running = 0;
    for (RecoveryCoordinator recovery : open.values()) {
      if (recovery.isRunning()) {
        recovery.onTick(elapsedMicros, out);
        running += recovery.isRunning() ? 1 : 0;
      }
    }
    for (RecoveryCoordinator recovery : open.values()) {
      if (running < MOST_ATTEMPTS && recovery.isDue(elapsedMicros)) {
        running++;
        recovery.onTick(elapsedMicros, out);
      }
    }
  }

  /** Copies the views in which this replica has proposed, or may have, for a checkpoint. */
  public void copy(Consumer<LogRecord> to) {
    open.values().forEach(recovery -> recovery.copy(to));
  }

  /** A replica has answered a Recover of this replica. */
  public void onRecoverReply(long elapsedMicros, ReplicaId from, RecoverReply reply, Effects out) {
    RecoveryCoordinator recovery = open.get(reply.txn());
    if (recovery != null) {
      recovery.onRecoverReply(elapsedMicros, from, reply, out);
      forgetIfDone(recovery);
    }
  }

  /** A replica has answered a Finalize of this replica. */
  public void onFinalizeReply(
      long elapsedMicros, ReplicaId from, FinalizeReply reply, Effects out) {
    RecoveryCoordinator recovery = open.get(reply.txn());
    if (recovery != null) {
      recovery.onFinalizeReply(elapsedMicros, from, reply, out);
      forgetIfDone(recovery);
    }
  }

  /**
   * This replica has promised a view. If it is another replica's, this one leaves that recovery
   * alone for a while. Its own next attempt begins above the view.
   *
   * @param hinders whether the transaction hinders others here: this replica then recovers it after
   *     that time, if the other recovery has not ended
   */
  public void promised(TxnId txn, View view, boolean hinders, long elapsedMicros, Effects out) {
    RecoveryCoordinator recovery = open.get(txn);
    if (recovery == null && hinders && view.isAbove(View.CLIENT)) {
      recovery = open(txn, View.CLIENT);
    }
    if (recovery != null) {
      recovery.onPromised(elapsedMicros, view, out);
    }
  }

  /** The replica has learnt the outcome. */
  public void decided(TxnId txn) {
    @Nullable RecoveryCoordinator recovery = open.remove(txn);
    if (recovery != null) {
      recovery.abandon();
    }
  }

  /** How many recoveries are open. */
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
