package org.mortydb.protocol.machine;

import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.WriteId;

/**
 * A report of a machine to observers: metrics, traces, coverage of the simulation, checking of
 * traces. Probes influence nothing.
 */
public sealed interface Probe {

  /** The transaction concerned. */
  TxnId txn();

  /** A replica answered a read. */
  record ReadServed(TxnId txn, Key key, WriteId version, boolean settled) implements Probe {}

  /** A replica pushed a newer version to a reader. */
  record Pushed(TxnId txn, Key key, WriteId version) implements Probe {}

  /** A replica waits for a dependency before it votes. */
  record Waiting(ExecutionId execution, TxnId dependency) implements Probe {
    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  /** A replica voted. */
  record Voted(ExecutionId execution, Vote vote) implements Probe {
    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  /** A replica learnt the outcome. */
  record Installed(TxnId txn, Outcome outcome) implements Probe {}

  /** A coordinator began a new execution, because its read of this key was stale (section 2). */
  record Reexecuted(ExecutionId execution, Key key, WriteId version) implements Probe {
    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  /** A coordinator took a version that another transaction of its client forwards (section 14). */
  record Forwarded(TxnId txn, Key key, WriteId version) implements Probe {}

  /** A coordinator requests votes on the same operations again. */
  record Revoted(ExecutionId execution) implements Probe {
    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  /** A coordinator requested votes on an execution. */
  record Prepared(ExecutionId execution) implements Probe {
    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  /** A coordinator proposed an outcome on the slow path. */
  record Proposed(TxnId txn, Outcome outcome) implements Probe {}

  /** A coordinator is certain of the outcome. */
  record Decided(TxnId txn, Outcome outcome, Completion.Path path) implements Probe {}

  /** A replica began an attempt to recover a transaction. */
  record RecoveryStarted(TxnId txn, View view) implements Probe {}

  /** A replica has reached a watermark (section 6); {@code txn} is the watermark. */
  record Truncated(TxnId txn) implements Probe {}

  /** A replica that remembered nothing serves; {@code txn} is its fence. */
  record Joined(TxnId txn) implements Probe {}

  /** A rare branch was taken; simulation campaigns require each to be reached. */
  record Mark(TxnId txn, Branch branch) implements Probe {}

  /** The branches that testing must reach. */
  enum Branch {
    FAST_ABORT,
    ACKNOWLEDGED_WHEN_WRITTEN,
    PROMISE_VAGUE,
    VAGUE_PROMISE_SET_ASIDE,
    SLOW_COMMIT,
    SLOW_ABORT,
    SUPERSEDED_PREPARE,
    DROPPED_BEFORE_PREPARE,
    STALE_PREPARE_AFTER_DECISION,
    EXECUTION_FETCHED,
    OUTCOME_INQUIRED,
    RETRACTED,
    VALUE_UNCHANGED,
    READ_REUSED,
    READ_ELSEWHERE,
    SCAN_CONTINUED,
    PHANTOM_PUSHED,
    PHANTOM_VOTED,
    FENCED,
    FENCE_REFUSED,
    TRUNCATED_REFUSED,
    CLOCK_REFUSED,
    PARTICIPANT_LEFT,
    SETTLING,
    FORWARD_WITHDRAWN,
    VOTED_ON_CONDITION,
    REGISTERED,
    REGISTERS_WIDELY,
    READS_TAKEN_BACK,
    CONDITION_HELD,
    CONDITION_FAILED,
    PROMISE_AWAITS_CONDITION,
    RECOVERY_REPEATED,
    RECOVERY_OUTRANKED,
    RECOVERY_ADOPTED,
    RECOVERY_CHOSE,
    RECOVERY_OF_UNKNOWN,
    RECOVERY_COMMITTED,
    RECOVERY_ABORTED,
    OLDER_EXECUTION_COMMITTED,
    TRUNCATION_RECOVERS,
    TRUNCATION_FETCHES,
    TRUNCATION_DROPS,
    TRUNCATION_TAKEN_OVER,
    ROUND_DIVIDED,
    FORGOTTEN_ABORT_TOLD,
    BEHIND,
    CAUGHT_UP,
    CUT_GONE,
    CUT_READ,
    DELETION_DROPPED,
    COPIED_AGAIN,
    /** All of a peer is here, and is about to be installed. */
    COPY_ENDS,
    FOUNDED,
    REJOINED,
    SEALED,
    SEAL_REFUSED,
    SEAL_ADOPTED,
    SEAL_ENDED,
    SEALED_REFUSED,
    MOVED_REFUSED,
    MAP_LEARNT,
    COPIED_AHEAD,
    ARRIVED,
    ARRIVED_BY_PEER,
    /** A partition has dropped keys that have moved away. */
    MOVED_FORGOTTEN,
    /** Nothing needs a partition without buckets any more. */
    PARTITION_ENDED
  }
}
