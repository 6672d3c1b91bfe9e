package org.mortydb.protocol.replica;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;

/** What a replica holds at the moment, for checks in tests and simulation. It changes nothing. */
public final class Inspection {
  private final ReplicaState state;

  Inspection(ReplicaState state) {
    this.state = state;
  }

  /**
   * What a replica knows of a transaction.
   *
   * @param execution the highest execution that it has heard of, or -1
   * @param commits whether its vote to commit that execution stands, conditional or not
   * @param onCondition whether that vote is conditional, and its condition is open here
   * @param promised the view that it has promised; {@link View#CLIENT} if none
   * @param accepted the view in which it has accepted an outcome; null if none, and once decided
   * @param outcome null while it does not know the outcome
   * @param installed whether all that follows from the outcome here is done
   */
  public record Knowledge(
      int execution,
      boolean commits,
      boolean onCondition,
      View promised,
      @Nullable View accepted,
      @Nullable Outcome outcome,
      boolean installed) {}

  /** At or below it, the replica gives no votes. */
  public TxnId fence() {
    return state.horizon.fence();
  }

  /** At or below it, the replica votes on no writer: it may have forgotten registered reads. */
  public TxnId registrationsForgotten() {
    return state.registrations.forgotten();
  }

  /** At or below it, everything is decided and known here. */
  public TxnId watermark() {
    return state.horizon.watermark();
  }

  /** At or below it, outcomes are forgotten. */
  public TxnId forgotten() {
    return state.horizon.forgotten();
  }

  /**
   * At or below it, deletions may be missing here, and what they deleted. No past is read there.
   */
  public TxnId erased() {
    return state.erasedTo();
  }

  /** The newest committed version of a key at or below a transaction; null if there is none. */
  public @Nullable VersionedValue committed(Key name, TxnId upTo) {
    KeyState key = state.keys.get(name);
    return key == null ? null : key.committedUpTo(upTo);
  }

  /** Whether a version of a key is here, committed or not. */
  public boolean has(Key name, TxnId writer) {
    KeyState key = state.keys.get(name);
    return key != null && key.versions().find(writer) != null;
  }

  /** Readers of a key below this transaction are refused. */
  public TxnId floor(Key name) {
    KeyState key = state.keys.get(name);
    return key == null ? TxnId.INITIAL : key.floor();
  }

  /** What the replica knows of a transaction; null if it has no record of it. */
  public @Nullable Knowledge of(TxnId id) {
    TxnRecord txn = state.records.get(id);
    if (txn == null) {
      return null;
    }
    RecoverAnswer.Accepted accepted = txn.accepted();
    return new Knowledge(
        txn.execution(),
        txn.isPrepared() && txn.isLatest(txn.execution()),
        txn.isOnCondition(),
        txn.promised(),
        accepted == null ? null : accepted.view(),
        txn.outcome(),
        txn.isInstalled());
  }
}
