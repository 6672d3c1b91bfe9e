package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.recovery.Recoveries;

/**
 * The outcomes of the transactions of a round of truncation at its proposer (docs/protocol.md,
 * section 6): takes those that peers report, and recovers what is undecided.
 */
final class RoundOutcomes {
  private final ReplicaState state;
  private final Outcomes outcomes;
  private final Recoveries recoveries;
  private final boolean joining;

  /**
   * @param joining whether the replica joins, and copies the committed versions afterwards
   */
  RoundOutcomes(ReplicaState state, Outcomes outcomes, Recoveries recoveries, boolean joining) {
    this.state = state;
    this.outcomes = outcomes;
    this.recoveries = recoveries;
    this.joining = joining;
  }

  /** The proposer's own watermark, at which a round begins. */
  TxnId base() {
    return state.horizon.watermark();
  }

  /** Whether a watermark is above what the clock allows. */
  boolean isAhead(TxnId watermark) {
    return state.isAhead(watermark);
  }

  /** Takes the outcome that a peer reports, or begins to recover the transaction. */
  void take(Standing standing, Effects out) {
    Outcome outcome = standing.outcome();
    TxnRecord txn = state.record(standing.txn());
    if (outcome != null) {
      outcomes.onDecide(new Decide(standing.txn(), outcome), out);
    } else if (state.maps.cannotCommit(standing.txn())) {
      outcomes.onDecide(new Decide(standing.txn(), Outcome.ABORT), out); // nobody may be at home
    } else if (!txn.isDecided()) { // a recovery ends when the outcome is learnt, and not later
      mark(standing.txn(), Branch.TRUNCATION_RECOVERS, out);
      recoveries.begin(txn.id(), txn.promised(), state.elapsedMicros, out);
    }
  }

  /** Whether the transaction is decided here and, if it committed, installed. */
  boolean isKnown(TxnId id) {
    if (state.horizon.isTruncated(id)) {
      return true; // decided before the round began, or by another proposer
    }
    TxnRecord txn = state.records.get(id);
    return txn != null && txn.isDecided() && (txn.isInstalled() || joining);
  }

  /** The outcome of a transaction; null if it is not known. */
  @Nullable Outcome outcomeOf(TxnId id) {
    TxnRecord txn = state.records.get(id);
    return txn == null ? null : txn.outcome();
  }

  /** A place up to which one message can tell the outcomes that are known here above another. */
  TxnId upTo(TxnId from, TxnId to) {
    return state.records.upTo(from, to, 2L * state.options.namedBytes());
  }

  /**
   * The commits between two places, or null if this replica does not keep them that far back any
   * more. After a restart or a copy, it may have forgotten more outcomes than executions.
   *
   * @param knownFrom a replica that joins knows the commits above
   */
  @Nullable List<Standing> commits(TxnId from, TxnId to, TxnId knownFrom) {
    TxnId kept = joining ? knownFrom : state.horizon.executionsForgotten();
    if (from.isBefore(kept) || from.isBefore(state.horizon.forgotten())) {
      return null;
    }
    ArrayList<Standing> commits = new ArrayList<>();
    for (TxnRecord txn : state.records.between(from, to)) {
      if (txn.outcome() instanceof Outcome.Commit commit
          && commit.participants().contains(state.self.partition())) {
        commits.add(new Standing(txn.id(), commit));
      }
    }
    return commits;
  }
}
