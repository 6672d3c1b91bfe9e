package org.mortydb.baselines.twophase;

import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.message.LeaderMessage.KeepAlive;
import org.mortydb.baselines.message.LeaderMessage.PrepareCommit;
import org.mortydb.baselines.message.LeaderMessage.Rollback;
import org.mortydb.baselines.message.LeaderMessage.SnapshotRead;
import org.mortydb.baselines.message.LeaderMessage.TransactionRead;
import org.mortydb.baselines.message.LeaderMessage.Update;
import org.mortydb.baselines.message.LeaderMessage.Verdict;
import org.mortydb.baselines.message.LeaderMessage.VersionReply;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.system.TransactionBuffer;
import org.mortydb.protocol.system.TransactionBuffer.ReadSlot;

/**
 * The client's side of a transaction in a system with leaders. It reads, buffers the writes, and
 * drives the commit: it asks all participants to prepare at once, and one of them, the coordinator
 * group, to decide (docs/reference/baselines.md).
 *
 * <p>A pure machine; see {@link StateMachine} for its thread rule.
 */
public final class TwoPhaseClient implements CoordinatorMachine {

  /** The replicas that answer the reads of a transaction. */
  public enum ReadPolicy {
    /** Leaders, under locks; a transaction that is declared read-only uses a snapshot. */
    LOCKED,
    /**
     * The closest replica at first, whose answer may be stale; leaders once an attempt has failed.
     */
    OPTIMISTIC,
    /** The closest replica, at one timestamp. Only what is written takes part in the commit. */
    SNAPSHOT,
    /** The closest replica, at one timestamp. What was read takes part in the commit as well. */
    CHECKED_SNAPSHOT
  }

  private enum State {
    /** The application runs, or waits for a read. */
    EXECUTING,
    /** The participants were asked to prepare. */
    COMMITTING,
    /** The application has the result, and leaders are still being informed. */
    RELEASING,
    /** Nothing is left to do. */
    OVER
  }

  private final AttemptSpec attempt;
  private final Topology topology;
  private final CoordinatorOptions options;
  private final ReadPolicy policy;
  private final boolean tellsUpdates;
  private final BaselineRules rules;
  private final TransactionBuffer buffer;

  /** The leaders that may hold state of the transaction. */
  private final BitSet touched = new BitSet();

  private final BitSet released = new BitSet();

  /** Written keys that leaders have not been told of. */
  private final LinkedHashSet<Key> untold = new LinkedHashSet<>();

  private final HashSet<Key> told = new HashSet<>();

  private TxnId txn;
  private State state = State.EXECUTING;
  private boolean begun;
  private long snapshotMicros;
  private int coordinator;
  private List<Integer> participants = List.of();
  private int expirations;

  /** The reason for which the coordinator group was asked to abort during the commit. */
  private @Nullable AbortReason refusal;

  private boolean completed;
  private long nowMicros;

  /**
   * @param policy the policy of the system whose leaders the topology names
   */
  public TwoPhaseClient(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options, ReadPolicy policy) {
    this(attempt, topology, options, policy, false, BaselineRules.SOUND);
  }

  /**
   * A client of a system in which updates may conflict before the commit.
   *
   * @param policy the policy of the system whose leaders the topology names
   * @param tellsUpdates whether leaders learn of writes before the transaction asks to commit
   * @param rules the rules; only tests break them
   */
  public TwoPhaseClient(
      AttemptSpec attempt,
      Topology topology,
      CoordinatorOptions options,
      ReadPolicy policy,
      boolean tellsUpdates,
      BaselineRules rules) {
    this.attempt = attempt;
    this.topology = topology;
    this.options = options;
    this.policy = policy;
    this.tellsUpdates = tellsUpdates;
    this.rules = rules;
    this.buffer = new TransactionBuffer(topology);
    this.txn = new TxnId(attempt.timeMicros(), attempt.clientId(), 0);
  }

  @Override
  public TxnId txn() {
    return txn;
  }

  /** The timestamp at which the transaction reads; 0 while it has no snapshot. */
  public long snapshotMicros() {
    return snapshotMicros;
  }

  @Override
  public void step(long now, Event event, CoordinatorEffects out) {
    nowMicros = now;
    switch (event) {
      case Event.Received(Endpoint from, Message message) -> onMessage(from, message, out);
      case Event.TimerFired(Timer timer) -> onTimer(timer, out);
      case Event.BatchEnded ignored -> {}
      case Event.Forwarded ignored -> {}
      case Event.Renumber ignored -> {}
      case Event.Unreachable ignored -> {}
      case Event.Call call -> onCall(call, out);
    }
  }

  private void onCall(Event.Call call, CoordinatorEffects out) {
    if (!begun) {
      begun = true;
      out.armTimer(Timer.DEADLINE, options.deadlineMicros());
      out.armTimer(Timer.RESEND, options.resendMicros());
    }
    if (call.execution() != 0 || state != State.EXECUTING) {
      return;
    }
    switch (call) {
      case Event.CallGet(int ignored, List<Key> keys) -> get(keys, out);
      // Locks and validation are by key, so they would miss phantoms.
      case Event.CallScan ignored -> abort(AbortReason.REFUSED, out);
      case Event.CallPut(int ignored, Key key, Value value) -> put(key, value, out);
      case Event.CallYield ignored -> tellUpdates(out);
      case Event.CallCommit ignored -> commit(out);
      case Event.CallCommitReads ignored when buffer.forgoWrites() -> commit(out);
      case Event.CallCommitReads ignored -> abort(AbortReason.APPLICATION, out);
      case Event.CallAbort ignored -> abort(AbortReason.APPLICATION, out);
    }
  }

  private void onMessage(Endpoint from, Message message, CoordinatorEffects out) {
    switch (message) {
      case VersionReply reply -> onVersion(reply, out);
      case Verdict verdict when from instanceof ReplicaId replica ->
          onVerdict(replica, verdict, out);
      case Refused refused -> onRefused(from, refused, out);
      default -> {}
    }
  }

  private void onTimer(Timer timer, CoordinatorEffects out) {
    switch (timer) {
      case RESEND -> resend(out);
      case DEADLINE -> onDeadline(out);
      case TICK, SLOW_PATH, REVOTE, COMMIT_WAIT, FLUSH -> {}
    }
  }

  // ---- execution ----------------------------------------------------------------------------

  private void begin(Key first) {
    if (buffer.isEmpty()) {
      txn = new TxnId(txn.timeMicros(), txn.clientId(), topology.partitionOf(first));
    }
  }

  private boolean isSnapshot() {
    return switch (policy) {
      case LOCKED -> attempt.readOnly();
      case OPTIMISTIC -> false;
      case SNAPSHOT, CHECKED_SNAPSHOT -> true;
    };
  }

  private void get(List<Key> keys, CoordinatorEffects out) {
    begin(keys.getFirst());
    if (!buffer.takes(keys.size())) {
      abort(AbortReason.REFUSED, out);
      return;
    }
    for (ReadSlot slot : buffer.get(keys)) {
      boolean isAnywhere = isSnapshot() || (policy == ReadPolicy.OPTIMISTIC && !attempt.isRetry());
      slot.replica =
          isAnywhere ? topology.closest(slot.partition) : topology.leader(slot.partition);
      ask(slot, out);
    }
    buffer.resumeIfAnswered(out);
  }

  private void ask(ReadSlot slot, CoordinatorEffects out) {
    slot.attempts++;
    ReplicaId replica = new ReplicaId(slot.partition, slot.replica);
    if (isSnapshot()) {
      if (snapshotMicros == 0 || !rules.keepsSnapshot()) {
        // Every commit that was revealed before is below this timestamp. It is odd, while commit
        // timestamps are even.
        snapshotMicros = (nowMicros + options.clockUncertaintyMicros()) | 1;
      }
      out.send(replica, new SnapshotRead(txn, slot.request, slot.key, snapshotMicros));
    } else {
      if (policy == ReadPolicy.LOCKED) {
        touched.set(slot.partition);
      }
      out.send(replica, new TransactionRead(txn, attempt.ageMicros(), slot.request, slot.key));
    }
  }

  private void onVersion(VersionReply reply, CoordinatorEffects out) {
    if (state == State.EXECUTING) {
      buffer.answered(reply.request(), reply.version(), reply.value());
      buffer.resumeIfAnswered(out);
    }
  }

  private void put(Key key, Value value, CoordinatorEffects out) {
    begin(key);
    if (!buffer.takes(1)) {
      abort(AbortReason.REFUSED, out);
      return;
    }
    if (!buffer.put(key, value)) {
      abort(AbortReason.MERGE_FAILED, out);
      return;
    }
    if (tellsUpdates && !told.contains(key)) {
      untold.add(key);
    }
  }

  /** Asks leaders for the right to write keys, while the application does something else. */
  private void tellUpdates(CoordinatorEffects out) {
    for (Key key : untold) {
      int partition = topology.partitionOf(key);
      touched.set(partition);
      told.add(key);
      out.send(leaderOf(partition), new Update(txn, attempt.ageMicros(), key, snapshotMicros));
    }
    untold.clear();
  }

  // ---- commit -------------------------------------------------------------------------------

  private void commit(CoordinatorEffects out) {
    if (buffer.isWaiting()) {
      throw new IllegalStateException("commit while a read is outstanding");
    }
    boolean isChecked = policy == ReadPolicy.CHECKED_SNAPSHOT;
    boolean isLocal = isSnapshot() && !isChecked && buffer.isReadOnly() && touched.isEmpty();
    if (buffer.isEmpty() || isLocal) {
      commitSnapshot(out);
      return;
    }
    BitSet involved =
        policy == ReadPolicy.SNAPSHOT ? buffer.writtenPartitions() : buffer.participants();
    if (tellsUpdates) {
      involved.or(touched); // it may have given up a write that a leader knows
    }
    participants = involved.stream().boxed().toList();
    coordinator = chooseCoordinator();
    touched.or(involved);
    state = State.COMMITTING;
    if (out.probing()) {
      out.probe(new Probe.Prepared(new org.mortydb.protocol.model.ExecutionId(txn, 0)));
    }
    sendPrepares(out);
  }

  /** A participant with a nearby leader if there is one, preferably one that is written. */
  private int chooseCoordinator() {
    int best = participants.getFirst();
    int bestRank = -1;
    BitSet written = buffer.writtenPartitions();
    for (int partition : participants) {
      boolean isNear = topology.leader(partition) == topology.closest(partition);
      int rank = (written.get(partition) ? 1 : 0) + (isNear ? 2 : 0);
      if (rank > bestRank) {
        best = partition;
        bestRank = rank;
      }
    }
    return best;
  }

  private void sendPrepares(CoordinatorEffects out) {
    for (int partition : participants) {
      out.send(
          leaderOf(partition),
          new PrepareCommit(
              txn,
              attempt.ageMicros(),
              coordinator,
              buffer.isReadOnly(),
              buffer.readsAt(partition),
              buffer.writesAt(partition),
              participants,
              snapshotMicros));
    }
  }

  private void commitSnapshot(CoordinatorEffects out) {
    TxnId position = snapshotMicros == 0 ? txn : txn.at(snapshotMicros);
    end(new Completion.Committed(txn, position, 0, Path.FAST, buffer.allReads(), List.of()), out);
    retire(out);
  }

  private void onVerdict(ReplicaId from, Verdict verdict, CoordinatorEffects out) {
    if (topology.leader(from.partition()) != from.index()) {
      return;
    }
    if (verdict.isCommit()) {
      if (state == State.COMMITTING) {
        TxnId position = txn.at(verdict.commitMicros());
        Path path = participants.size() == 1 ? Path.FAST : Path.SLOW;
        end(
            new Completion.Committed(txn, position, 0, path, buffer.allReads(), buffer.allWrites()),
            out);
        retire(out);
      } else if (state != State.OVER) {
        throw new IllegalStateException(txn + " has committed, which it was given up as aborted");
      }
      return;
    }
    released.set(from.partition());
    // A participant that has aborted never votes to commit, so this is the outcome.
    if (state == State.COMMITTING && refusal == null && expirations == 0) {
      leaveToCoordinator(out);
    } else if (state == State.EXECUTING || state == State.COMMITTING) {
      abort(refusal == null ? AbortReason.CONFLICT : refusal, out);
    } else {
      retireIfReleased(out);
    }
  }

  // ---- abort --------------------------------------------------------------------------------

  /** Ends with a certain abort, and makes all leaders release their state. */
  private void abort(AbortReason reason, CoordinatorEffects out) {
    end(new Completion.Aborted(txn, reason), out);
    state = State.RELEASING;
    tellRollback(out);
    retireIfReleased(out);
  }

  /**
   * Ends with the abort of a participant, of which the coordinator group tells all others. Once the
   * coordinator group has answered, too, nothing is left to do.
   */
  private void leaveToCoordinator(CoordinatorEffects out) {
    end(new Completion.Aborted(txn, AbortReason.CONFLICT), out);
    state = State.RELEASING;
    participants.forEach(touched::clear);
    touched.set(coordinator);
    retireIfReleased(out);
  }

  private void tellRollback(CoordinatorEffects out) {
    for (int p = touched.nextSetBit(0); p >= 0; p = touched.nextSetBit(p + 1)) {
      if (!released.get(p)) {
        out.send(leaderOf(p), new Rollback(txn));
      }
    }
  }

  private void retireIfReleased(CoordinatorEffects out) {
    if (state == State.RELEASING) {
      BitSet waiting = (BitSet) touched.clone();
      waiting.andNot(released);
      if (waiting.isEmpty()) {
        retire(out);
      }
    }
  }

  private void onRefused(Endpoint from, Refused refused, CoordinatorEffects out) {
    switch (state) {
      case EXECUTING -> abort(AbortReason.of(refused.reason()), out); // nothing can commit yet
      case COMMITTING -> onRefusedCommit(from, refused, out);
      case RELEASING -> {
        if (refused.reason() == Refusal.TRUNCATED && from instanceof ReplicaId leader) {
          released.set(leader.partition());
          retireIfReleased(out);
        }
      }
      case OVER -> {}
    }
  }

  /**
   * A refusal may be outdated: it may answer a read that another replica has answered, or one of
   * several copies of a Prepare. So it causes no abort on its own, unless every copy would be
   * refused. For the same reason the coordinator group is asked before it counts as forgetful.
   */
  private void onRefusedCommit(Endpoint from, Refused refused, CoordinatorEffects out) {
    switch (refused.reason()) {
      case WRONG_PARTITION, OVERSIZED, INVALID, NOT_AUTHORIZED, SEALED, MOVED ->
          abort(AbortReason.of(refused.reason()), out);
      case NOT_SERVING -> {} // asked again after the resend time
      case CLOCK_AHEAD, TRUNCATED -> {
        boolean asked = refusal != null || expirations > 0;
        boolean ofCoordinator = from.equals(leaderOf(coordinator));
        if (asked && ofCoordinator && refused.reason() == Refusal.TRUNCATED) {
          // The coordinator group has forgotten the outcome or never knew it, so the outcome is
          // unknown.
          end(new Completion.Unknown(txn, buffer.allWrites()), out);
          tellRollback(out);
          retire(out);
        } else if (refusal == null) {
          refusal = AbortReason.of(refused.reason());
          out.send(leaderOf(coordinator), new Rollback(txn));
        }
      }
    }
  }

  // ---- the end ------------------------------------------------------------------------------

  private void end(Completion completion, CoordinatorEffects out) {
    if (completed) {
      return;
    }
    completed = true;
    if (out.probing()) {
      switch (completion) {
        case Completion.Committed committed ->
            out.probe(new Probe.Decided(txn, Outcome.commit(0, participants), committed.path()));
        case Completion.Aborted ignored ->
            out.probe(new Probe.Decided(txn, Outcome.ABORT, Path.SLOW));
        case Completion.Unknown ignored -> {} // nobody knows of a decision
      }
    }
    out.complete(completion);
  }

  private void retire(CoordinatorEffects out) {
    state = State.OVER;
    out.cancelTimer(Timer.RESEND);
    out.cancelTimer(Timer.DEADLINE);
    out.retire();
  }

  private void resend(CoordinatorEffects out) {
    if (state == State.OVER) {
      return;
    }
    out.armTimer(Timer.RESEND, options.resendMicros());
    switch (state) {
      case EXECUTING -> resendReads(out);
      case COMMITTING -> {
        if (expirations > 0 || refusal != null) {
          out.send(leaderOf(coordinator), new Rollback(txn));
        } else {
          sendPrepares(out);
        }
      }
      case RELEASING -> tellRollback(out);
      case OVER -> {}
    }
  }

  private void resendReads(CoordinatorEffects out) {
    for (int p = touched.nextSetBit(0); p >= 0; p = touched.nextSetBit(p + 1)) {
      out.send(leaderOf(p), new KeepAlive(txn));
    }
    for (ReadSlot slot : buffer.reads()) {
      if (!slot.known) {
        boolean isAnywhere = isSnapshot() || policy == ReadPolicy.OPTIMISTIC;
        slot.replica =
            isAnywhere ? (slot.replica + 1) % topology.replicas() : topology.leader(slot.partition);
        ask(slot, out);
      }
    }
  }

  private void onDeadline(CoordinatorEffects out) {
    expirations++;
    switch (state) {
      case EXECUTING -> {
        out.armTimer(Timer.DEADLINE, options.deadlineMicros());
        abort(AbortReason.DEADLINE, out);
      }
      case COMMITTING -> {
        switch (expirations) {
          case 1 -> {
            // If it is not decided yet, it need not commit any more.
            out.armTimer(Timer.DEADLINE, options.graceMicros());
            out.send(leaderOf(coordinator), new Rollback(txn));
          }
          case 2 -> {
            out.armTimer(Timer.DEADLINE, options.deadlineMicros());
            end(new Completion.Unknown(txn, buffer.allWrites()), out);
          }
          default -> retire(out);
        }
      }
      case RELEASING -> retire(out); // leaders release by themselves what nobody asks for
      case OVER -> {}
    }
  }

  private ReplicaId leaderOf(int partition) {
    return new ReplicaId(partition, topology.leader(partition));
  }

  @Override
  public String toString() {
    return Objects.toString(txn) + " " + state;
  }
}
