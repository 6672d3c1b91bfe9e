package org.mortydb.protocol.coordinator;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;

/** What a coordinator is and knows. All of its parts work on it. */
final class CoordinatorState {
  final AttemptSpec attempt;
  final Topology topology;
  final CoordinatorOptions options;
  final CoordinatorRules rules;
  final ExecutionLog log;

  /** The transaction; its home partition is right from the first operation on. */
  TxnId txn;

  Phase phase = Phase.EXECUTING;

  /** The number of the current execution. */
  int execution;

  int reexecutions;

  /** How often the same operations were prepared again under the next execution number. */
  int revotes;

  /**
   * The earliest read that is known to be stale and is re-executed when the batch ends. Null unless
   * the transaction executes or settles.
   */
  @Nullable ReadSlot stale;

  /** Partitions that know of the transaction and have to learn its outcome. */
  final BitSet touched = new BitSet();

  /** How many executions replicas were asked to prepare, without those that only register reads. */
  int executionsPrepared;

  /** Every execution that replicas were asked to vote on, in order. */
  final ArrayList<PreparedExecution> prepared = new ArrayList<>(1);

  /** The replicas that the host cannot reach, as far as it knows. */
  Set<ReplicaId> unreachable = Collections.emptySet();

  /** The vote on the current execution; null as long as that is not prepared. */
  @Nullable Ballot ballot;

  /** The clock of the current step, in microseconds: to be compared with the timestamp alone. */
  long nowMicros;

  /** How much time has passed, in microseconds: to measure waits. It never falls. */
  long elapsedMicros;

  CoordinatorState(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options, CoordinatorRules rules) {
    this.attempt = attempt;
    this.topology = topology;
    this.options = options;
    this.rules = rules;
    this.log = new ExecutionLog(topology);
    this.txn = new TxnId(attempt.timeMicros(), attempt.clientId(), 0);
  }

  /** Notes the first key of an operation: the first operation of all sets the home partition. */
  void operate(Key first) {
    if (touched.isEmpty() && log.size() == 0) {
      txn = new TxnId(attempt.timeMicros(), attempt.clientId(), topology.partitionOf(first));
    }
  }

  /** Takes the clock of a step. */
  void clock(long clockMicros) {
    // Between two steps the resend timer fires at the latest: more is a clock that was set.
    elapsedMicros += Math.clamp(clockMicros - nowMicros, 0L, options.resendMicros());
    nowMicros = clockMicros;
  }

  ExecutionId executionId() {
    return new ExecutionId(txn, execution);
  }

  /** Whether what began then is old enough to be sent again; the resend timer runs at any phase. */
  boolean isOverdue(long sinceMicros) {
    return isOverdue(sinceMicros, options.resendMicros());
  }

  /**
   * Whether half of an interval has passed: its timer may have been armed before what it awaits.
   */
  boolean isOverdue(long sinceMicros, long intervalMicros) {
    return elapsedMicros - sinceMicros >= intervalMicros / 2;
  }

  /** Whether the host may be able to reach a replica. */
  boolean reaches(int partition, int index) {
    return unreachable.isEmpty() || !unreachable.contains(new ReplicaId(partition, index));
  }

  /** The replica that pushes the versions of a key. Those of a scan come from the closest one. */
  int pusherOf(ReadSlot slot) {
    return slot.attempts == 0 ? topology.closest(slot.partition) : slot.replica;
  }

  /** Gives up the re-execution and the votes that the transaction waits for. */
  void stopWaiting(CoordinatorEffects out) {
    stale = null;
    if (ballot != null) {
      ballot.stopWaiting(out);
    }
  }

  void mark(Branch branch, CoordinatorEffects out) {
    if (out.probing()) {
      out.probe(new Probe.Mark(txn, branch));
    }
  }
}
