package org.mortydb.protocol.coordinator;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message.Drop;
import org.mortydb.protocol.message.Message.FromClient;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;

/**
 * Asks replicas to vote on the current execution once what it has read is settled, and tells them
 * when it gives an execution up (docs/protocol.md, section 3).
 */
final class Preparation {
  /** How long replicas that do not serve are left alone at least. */
  static final long LEAST_PAUSE_MICROS = 20_000;

  private final CoordinatorState state;
  private final Decision decision;
  private final Writes writes;
  private final Registration registration;

  /** How long to wait for versions to settle: a writer that nothing holds up takes a round trip. */
  private final long settleMicros;

  private long settlingSinceMicros;

  /** Whether replicas may hold votes for the last prepared execution, which was given up. */
  private boolean votesAbandoned;

  Preparation(CoordinatorState state, Decision decision, Writes writes, Registration registration) {
    this.state = state;
    this.decision = decision;
    this.writes = writes;
    this.registration = registration;
    long roundTripMicros = state.attempt.roundTripMicros();
    long resendMicros = state.options.resendMicros();
    this.settleMicros =
        roundTripMicros == 0
            ? resendMicros
            : Math.min(resendMicros, state.options.slowPathMicros() + roundTripMicros);
  }

  // ---- when to ask --------------------------------------------------------------------------

  /**
   * Asks for votes, or waits until what was read is settled. A version that has not settled will
   * probably change; here a change costs no messages. The replicas would vote no sooner, because
   * the version has to settle there first.
   */
  void prepareWhenSettled(CoordinatorEffects out) {
    boolean waits =
        state.stale != null || (state.options.reexecution().awaitsSettledReads() && !isSettled());
    if (!waits) {
      prepare(out);
      return;
    }
    state.phase = Phase.SETTLING;
    settlingSinceMicros = state.elapsedMicros;
    if (settleMicros < state.options.resendMicros()) {
      out.armTimer(Timer.RESEND, settleMicros);
    }
    state.mark(Branch.SETTLING, out);
    writes.showAll(out);
    writes.retractStale(out);
    dropAbandonedVotes(out);
  }

  /** Asks for votes if settling is what the transaction waits for, and it has. */
  void prepareIfSettled(CoordinatorEffects out) {
    if (state.phase == Phase.SETTLING && state.stale == null && isSettled()) {
      prepare(out);
    }
  }

  private boolean isSettled() {
    List<ReadSlot> reads = state.log.reads();
    for (int i = 0; i < reads.size(); i++) {
      if (reads.get(i).isAwaited()) {
        return false;
      }
    }
    return true;
  }

  /** Asks for votes on the same operations once more, under the next execution number. */
  void prepareAgain(CoordinatorEffects out) {
    if (!state.options.reexecution().allows(state.reexecutions + state.revotes)) {
      decision.abort(AbortReason.REEXECUTION_LIMIT, out);
      return;
    }
    state.revotes++;
    giveUpExecution(out);
    if (out.probing()) {
      out.probe(new Probe.Revoted(state.executionId()));
    }
    prepareWhenSettled(out);
  }

  // ---- Prepare ------------------------------------------------------------------------------

  private void prepare(CoordinatorEffects out) {
    PreparedExecution next = snapshot();
    if (next.reads().size() > Limits.MAX_OPERATIONS) {
      decision.abort(AbortReason.REFUSED, out); // rows of scans count as reads only here
      return;
    }
    if (!next.fits()) {
      decision.abort(next.readsMerges() ? AbortReason.MERGE_LIMIT : AbortReason.REFUSED, out);
      return;
    }
    state.phase = Phase.PREPARING;
    dropWhereNotPrepared(next.participants(), out);
    writes.retractStaleBesides(next.participants(), out);
    state.prepared.add(next);
    state.ballot = new Ballot(next, state.topology.replicas(), state.elapsedMicros);
    if (next.registers()) {
      registration.ask(state.ballot, out);
    } else {
      state.executionsPrepared++;
      for (int partition : next.participants()) {
        state.touched.set(partition);
        out.broadcast(partition, next.requestFor(partition, state.topology));
      }
      out.shown(next.writes(), true);
    }
    if (out.probing()) {
      out.probe(new Probe.Prepared(next.id()));
    }
  }

  private PreparedExecution snapshot() {
    ExecutionLog log = state.log;
    ArrayList<VersionedValue> reads = new ArrayList<>(log.reads().size());
    for (ReadSlot slot : log.reads()) {
      if (slot.isLive()) {
        reads.add(slot.versionedValue());
      }
    }
    ArrayList<KeyRange> ranges = new ArrayList<>(0);
    for (ScanOperation scan : log.scans()) {
      if (!ranges.contains(scan.covered())) {
        ranges.add(scan.covered());
      }
    }
    List<Write> written = writes.forPrepare();
    boolean registers = state.options.registersReads() && !writes.wereSent();
    return new PreparedExecution(
        state.executionId(),
        participants(ranges, registers),
        reads,
        ranges,
        written,
        registers,
        state.attempt.async());
  }

  /**
   * The partitions read, scanned or written, and the home partition unless there will be no
   * outcome. In order.
   */
  private List<Integer> participants(List<KeyRange> ranges, boolean registers) {
    BitSet partitions = new BitSet();
    if (!registers) {
      partitions.set(state.txn.home());
    }
    for (KeyRange range : ranges) {
      for (int rank = 0; rank < state.topology.partitions(); rank++) {
        int partition = state.topology.partition(rank);
        if (state.topology.mayHold(partition, range)) {
          partitions.set(partition);
        }
      }
    }
    for (ReadSlot slot : state.log.reads()) {
      if (slot.isLive()) {
        partitions.set(slot.partition);
      }
    }
    for (WriteSlot slot : state.log.writes()) {
      if (slot.value != null) {
        partitions.set(slot.partition);
      }
    }
    if (partitions.isEmpty()) {
      partitions.set(state.txn.home());
    }
    ArrayList<Integer> participants = new ArrayList<>(2);
    for (int p = partitions.nextSetBit(0); p >= 0; p = partitions.nextSetBit(p + 1)) {
      participants.add(p);
    }
    return participants;
  }

  // ---- executions given up ------------------------------------------------------------------

  /** Moves on to the next execution number. Votes for the current one do not count any more. */
  void giveUpExecution(CoordinatorEffects out) {
    registration.takeBack(out);
    state.stopWaiting(out);
    state.execution++;
    state.ballot = null;
    votesAbandoned |= state.phase == Phase.PREPARING && !state.prepared.getLast().registers();
  }

  /** Frees other transactions from abandoned votes ahead of the next Prepare. */
  void dropAbandonedVotes(CoordinatorEffects out) {
    if (votesAbandoned) {
      votesAbandoned = false;
      PreparedExecution last = state.prepared.getLast();
      for (int partition : last.participants()) {
        out.broadcast(partition, new Drop(last.id()));
      }
    }
  }

  /** Drops abandoned votes where no Prepare of the next execution replaces them. */
  private void dropWhereNotPrepared(List<Integer> participants, CoordinatorEffects out) {
    if (votesAbandoned) {
      votesAbandoned = false;
      PreparedExecution last = state.prepared.getLast();
      for (int partition : last.participants()) {
        if (!participants.contains(partition)) {
          state.mark(Branch.PARTICIPANT_LEFT, out);
          out.broadcast(partition, new Drop(last.id()));
        }
      }
    }
  }

  // ---- loss ---------------------------------------------------------------------------------

  /**
   * Asks for votes although something has not settled: its writer is slow or dead, or the push was
   * lost. The replicas' votes wait for the version, and have its writer recovered.
   */
  void settleNoLonger(CoordinatorEffects out) {
    if (state.stale == null && state.isOverdue(settlingSinceMicros, settleMicros)) {
      prepare(out);
    }
  }

  /**
   * A replica does not serve yet, so it cannot vote. It and all others that have not voted are
   * asked again once the vote has taken twice as long: the replicas of a new partition begin to
   * serve one after the other (docs/protocol.md, section 15).
   */
  void onNotServing(Endpoint from, CoordinatorEffects out) {
    Ballot ballot = state.ballot;
    if (ballot != null
        && state.phase == Phase.PREPARING
        && from instanceof ReplicaId replica
        && ballot.execution.participants().contains(replica.partition())
        && !ballot.votes.hasVoted(replica.partition(), replica.index())
        && ballot.noteNotServing()) {
      long taken = Math.max(LEAST_PAUSE_MICROS, state.elapsedMicros - ballot.openedMicros);
      out.armTimer(Timer.RESEND, Math.min(taken, state.options.resendMicros()));
    }
  }

  /** Sends the requests again that were not answered. */
  void resend(CoordinatorEffects out) {
    Ballot ballot = state.ballot;
    if (ballot == null || !(ballot.takeNotServing() || state.isOverdue(ballot.openedMicros))) {
      return;
    }
    ballot.widen();
    for (int partition : ballot.execution.participants()) {
      FromClient request = null;
      for (int i = 0; i < state.topology.replicas(); i++) {
        if (!ballot.votes.hasVoted(partition, i)) {
          if (request == null) {
            request = ballot.execution.requestFor(partition, state.topology);
          }
          out.send(new ReplicaId(partition, i), request);
        }
      }
    }
  }
}
