package org.mortydb.baselines.twophase;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.message.LeaderMessage.KeepAlive;
import org.mortydb.baselines.message.LeaderMessage.PrepareCommit;
import org.mortydb.baselines.message.LeaderMessage.Rollback;
import org.mortydb.baselines.message.LeaderMessage.SnapshotRead;
import org.mortydb.baselines.message.LeaderMessage.TransactionRead;
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
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * The client's half of a transaction in a system with leaders: reads, buffers the writes, and
 * drives the commit: it asks all participants to prepare at once, and one of them, the coordinator
 * group, to decide (docs/baselines.md).
 *
 * <p>A pure machine: see {@link StateMachine} for its thread rule.
 */
public final class TwoPhaseClient implements CoordinatorMachine {

  /** Who answers the reads of a transaction. */
  public enum ReadPolicy {
    /**
     * Leaders, under locks; all that a transaction declared to be read-only reads is a snapshot.
     */
    LOCKED,
    /**
     * The closest replica at first, whose answer may be stale; leaders once an attempt has failed.
     */
    OPTIMISTIC
  }

  private enum State {
    /** The application runs, or waits for a read. */
    EXECUTING,
    /** The participants were asked to prepare. */
    COMMITTING,
    /** The end is known to the application; leaders are still to be told. */
    TELLING,
    /** Nothing is left to do. */
    OVER
  }

  private static final int VALUE_ID = 1;

  private static final class Slot {
    final Key key;
    final int partition;
    int replica;
    boolean isKnown;
    WriteId version = WriteId.INITIAL;
    Value value = Value.ABSENT;

    Slot(Key key, int partition) {
      this.key = key;
      this.partition = partition;
    }
  }

  private final AttemptSpec attempt;
  private final Topology topology;
  private final CoordinatorOptions options;
  private final ReadPolicy policy;
  private final HashMap<Key, Slot> slots = new HashMap<>();
  private final ArrayList<Slot> reads = new ArrayList<>(8);
  private final LinkedHashMap<Key, Value> writes = new LinkedHashMap<>();

  /** Leaders that may hold something for the transaction, and those that are rid of it. */
  private final BitSet touched = new BitSet();

  private final BitSet released = new BitSet();

  private TxnId txn;
  private State state = State.EXECUTING;
  private boolean begun;
  private int operations;
  private int waitingOperation;
  private @Nullable List<Key> waitingKeys;
  private long snapshotMicros;
  private int coordinator;
  private List<Integer> participants = List.of();
  private int expirations;
  private boolean completed;
  private long nowMicros;

  /**
   * @param policy that of the system whose leaders the topology names
   */
  public TwoPhaseClient(
      AttemptSpec attempt, Topology topology, CoordinatorOptions options, ReadPolicy policy) {
    this.attempt = attempt;
    this.topology = topology;
    this.options = options;
    this.policy = policy;
    this.txn = new TxnId(attempt.timeMicros(), attempt.clientId(), 0);
  }

  @Override
  public TxnId txn() {
    return txn;
  }

  @Override
  public int reexecutions() {
    return 0;
  }

  @Override
  public void step(long now, Event event, CoordinatorEffects out) {
    nowMicros = now;
    switch (event) {
      case Event.Received(Endpoint from, Message message) -> onMessage(from, message, out);
      case Event.TimerFired(Timer timer) -> onTimer(timer, out);
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
      case Event.CallPut(int ignored, Key key, Value value) -> put(key, value, out);
      case Event.CallYield ignored -> {}
      case Event.CallCommit ignored -> commit(out);
      case Event.CallAbort ignored -> abort(AbortReason.APPLICATION, out);
    }
  }

  private void onMessage(Endpoint from, Message message, CoordinatorEffects out) {
    switch (message) {
      case VersionReply reply -> onVersion(reply, out);
      case Verdict verdict when from instanceof ReplicaId replica ->
          onVerdict(replica, verdict, out);
      case Refused refused -> onRefused(refused, out);
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
    if (operations == 0) {
      txn = new TxnId(txn.timeMicros(), txn.clientId(), topology.partitionOf(first));
    }
  }

  private boolean isSnapshot() {
    return policy == ReadPolicy.LOCKED && attempt.readOnly();
  }

  private void get(List<Key> keys, CoordinatorEffects out) {
    begin(keys.getFirst());
    if (operations + keys.size() > Limits.MAX_OPERATIONS) {
      abort(AbortReason.REFUSED, out);
      return;
    }
    waitingOperation = operations++;
    waitingKeys = keys;
    for (Key key : keys) {
      if (!writes.containsKey(key) && !slots.containsKey(key)) {
        Slot slot = new Slot(key, topology.partitionOf(key));
        boolean anywhere = isSnapshot() || (policy == ReadPolicy.OPTIMISTIC && !attempt.isRetry());
        slot.replica =
            anywhere ? topology.closest(slot.partition) : topology.leader(slot.partition);
        slots.put(key, slot);
        reads.add(slot);
        ask(slot, reads.size() - 1, out);
      }
    }
    resumeIfAnswered(out);
  }

  private void ask(Slot slot, int request, CoordinatorEffects out) {
    ReplicaId replica = new ReplicaId(slot.partition, slot.replica);
    if (isSnapshot()) {
      if (snapshotMicros == 0) {
        // No commit that was told to anybody before now can be above it; odd, as no commit's is.
        snapshotMicros = (nowMicros + options.clockUncertaintyMicros()) | 1;
      }
      out.send(replica, new SnapshotRead(txn, request, slot.key, snapshotMicros));
    } else {
      if (policy == ReadPolicy.LOCKED) {
        touched.set(slot.partition);
      }
      out.send(replica, new TransactionRead(txn, attempt.ageMicros(), request, slot.key));
    }
  }

  private void onVersion(VersionReply reply, CoordinatorEffects out) {
    if (state != State.EXECUTING || reply.request() < 0 || reply.request() >= reads.size()) {
      return;
    }
    Slot slot = reads.get(reply.request());
    if (!slot.isKnown) {
      slot.isKnown = true;
      slot.version = reply.version();
      slot.value = reply.value();
      resumeIfAnswered(out);
    }
  }

  private void resumeIfAnswered(CoordinatorEffects out) {
    List<Key> keys = waitingKeys;
    if (keys == null) {
      return;
    }
    ArrayList<Value> values = new ArrayList<>(keys.size());
    for (Key key : keys) {
      Value own = writes.get(key);
      Slot slot = slots.get(key);
      if (own != null) {
        values.add(own);
      } else if (slot != null && slot.isKnown) {
        values.add(slot.value);
      } else {
        return;
      }
    }
    waitingKeys = null;
    out.resume(0, waitingOperation, values);
  }

  private void put(Key key, Value value, CoordinatorEffects out) {
    begin(key);
    if (operations >= Limits.MAX_OPERATIONS) {
      abort(AbortReason.REFUSED, out);
      return;
    }
    operations++;
    writes.put(key, value);
  }

  // ---- commit -------------------------------------------------------------------------------

  private void commit(CoordinatorEffects out) {
    if (waitingKeys != null) {
      throw new IllegalStateException("commit while a read is outstanding");
    }
    if (operations == 0 || (isSnapshot() && writes.isEmpty())) {
      commitSnapshot(out);
      return;
    }
    BitSet involved = new BitSet();
    reads.forEach(slot -> involved.set(slot.partition));
    writes.keySet().forEach(key -> involved.set(topology.partitionOf(key)));
    participants = involved.stream().boxed().toList();
    coordinator = chooseCoordinator();
    touched.or(involved);
    state = State.COMMITTING;
    if (out.probing()) {
      out.probe(new Probe.Prepared(new org.mortydb.protocol.model.ExecutionId(txn, 0)));
    }
    sendPrepares(out);
  }

  /** One that writes and is led from nearby, if there is one; else one that writes. */
  private int chooseCoordinator() {
    int best = participants.getFirst();
    int bestRank = -1;
    for (int partition : participants) {
      boolean written = false;
      for (Key key : writes.keySet()) {
        written |= topology.partitionOf(key) == partition;
      }
      boolean near = topology.leader(partition) == topology.closest(partition);
      int rank = (written ? 1 : 0) + (near ? 2 : 0);
      if (rank > bestRank) {
        best = partition;
        bestRank = rank;
      }
    }
    return best;
  }

  private void sendPrepares(CoordinatorEffects out) {
    for (int partition : participants) {
      ArrayList<Read> readsHere = new ArrayList<>();
      ArrayList<Write> writesHere = new ArrayList<>();
      for (Slot slot : reads) {
        if (slot.partition == partition) {
          readsHere.add(new Read(slot.key, slot.version));
        }
      }
      writes.forEach(
          (key, value) -> {
            if (topology.partitionOf(key) == partition) {
              writesHere.add(new Write(key, VALUE_ID, value));
            }
          });
      out.send(
          leaderOf(partition),
          new PrepareCommit(
              txn,
              attempt.ageMicros(),
              coordinator,
              writes.isEmpty(),
              readsHere,
              writesHere,
              participants));
    }
  }

  private void commitSnapshot(CoordinatorEffects out) {
    TxnId position = snapshotMicros == 0 ? txn : positionAt(snapshotMicros);
    end(new Completion.Committed(txn, position, 0, Path.FAST, versionsRead(), List.of()), out);
    retire(out);
  }

  /**
   * A place in the serial order. Transactions that do not conflict may commit at the same time,
   * even those of one client; what sets their places apart is made of the whole id.
   */
  private TxnId positionAt(long micros) {
    long mixed = (txn.timeMicros() ^ Long.rotateLeft(txn.clientId(), 32)) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L;
    return new TxnId(micros, mixed ^ (mixed >>> 32), txn.home());
  }

  private List<VersionedValue> versionsRead() {
    ArrayList<VersionedValue> versions = new ArrayList<>(reads.size());
    for (Slot slot : reads) {
      versions.add(new VersionedValue(slot.key, slot.version, slot.value, true));
    }
    return versions;
  }

  private List<Write> allWrites() {
    ArrayList<Write> all = new ArrayList<>(writes.size());
    writes.forEach((key, value) -> all.add(new Write(key, VALUE_ID, value)));
    return all;
  }

  private void onVerdict(ReplicaId from, Verdict verdict, CoordinatorEffects out) {
    if (topology.leader(from.partition()) != from.index()) {
      return;
    }
    if (verdict.isCommit()) {
      if (state == State.COMMITTING) {
        TxnId position = positionAt(verdict.commitMicros());
        Path path = participants.size() == 1 ? Path.FAST : Path.SLOW;
        end(new Completion.Committed(txn, position, 0, path, versionsRead(), allWrites()), out);
        retire(out);
      } else if (state != State.OVER) {
        throw new IllegalStateException(txn + " has committed, which it was given up as aborted");
      }
      return;
    }
    released.set(from.partition());
    if (state == State.EXECUTING || state == State.COMMITTING) {
      // A participant that has aborted never votes to commit, so this is the outcome.
      abort(AbortReason.CONFLICT, out);
    } else {
      retireIfReleased(out);
    }
  }

  // ---- abort --------------------------------------------------------------------------------

  /** Ends with an abort that is certain, and has all leaders release what they hold. */
  private void abort(AbortReason reason, CoordinatorEffects out) {
    end(new Completion.Aborted(txn, reason), out);
    state = State.TELLING;
    tellRollback(out);
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
    if (state == State.TELLING && released.cardinality() >= touched.cardinality()) {
      retire(out);
    }
  }

  private void onRefused(Refused refused, CoordinatorEffects out) {
    AbortReason reason =
        switch (refused.reason()) {
          case CLOCK_AHEAD -> AbortReason.CLOCK_AHEAD;
          case TRUNCATED -> AbortReason.TRUNCATED;
          case WRONG_PARTITION, OVERSIZED -> AbortReason.REFUSED;
          case NOT_AUTHORIZED -> AbortReason.NOT_AUTHORIZED;
          case NOT_SERVING -> AbortReason.NOT_SERVING;
        };
    if (state == State.EXECUTING || (state == State.COMMITTING && !isAmbiguous(refused))) {
      abort(reason, out);
    }
  }

  /**
   * A leader that refuses to prepare has never heard of the transaction and never will, so that it
   * cannot commit. Only a refusal that was meant for an earlier read says nothing of that kind.
   */
  private boolean isAmbiguous(Refused refused) {
    return refused.reason() == Message.Refusal.NOT_SERVING;
  }

  // ---- the end ------------------------------------------------------------------------------

  private void end(Completion completion, CoordinatorEffects out) {
    waitingKeys = null;
    if (completed) {
      return;
    }
    completed = true;
    if (out.probing()) {
      boolean commits = completion instanceof Completion.Committed;
      Outcome outcome = commits ? Outcome.commit(0, participants) : Outcome.ABORT;
      out.probe(new Probe.Decided(txn, outcome, Path.SLOW));
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
        if (expirations > 0) {
          out.send(leaderOf(coordinator), new Rollback(txn));
        }
        sendPrepares(out);
      }
      case TELLING -> tellRollback(out);
      case OVER -> {}
    }
  }

  private void resendReads(CoordinatorEffects out) {
    for (int p = touched.nextSetBit(0); p >= 0; p = touched.nextSetBit(p + 1)) {
      out.send(leaderOf(p), new KeepAlive(txn));
    }
    for (int i = 0; i < reads.size(); i++) {
      Slot slot = reads.get(i);
      if (!slot.isKnown) {
        boolean anywhere = isSnapshot() || policy == ReadPolicy.OPTIMISTIC;
        slot.replica =
            anywhere ? (slot.replica + 1) % topology.replicas() : topology.leader(slot.partition);
        ask(slot, i, out);
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
            end(new Completion.Unknown(txn, allWrites()), out);
          }
          default -> retire(out);
        }
      }
      case TELLING -> retire(out); // leaders release by themselves what nobody asks for
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
