package org.mortydb.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.system.Evidence;
import org.mortydb.protocol.system.Inspectable;
import org.mortydb.protocol.system.MalformedMessageException;
import org.mortydb.protocol.system.MessageCodec;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.sim.Violation.Rule;
import org.mortydb.sim.host.Observer;
import org.mortydb.sim.host.ReplicaHost;

/**
 * Checks the invariants that can be seen while a run goes on, and counts what happens. Of systems
 * other than Morty it knows no more than what their machines tell by probes and {@link
 * Inspectable}.
 */
final class Watch implements Observer {
  /** Of each rule, more violations than this are not kept. */
  private static final int KEPT = 3;

  /** So many messages of each kind are encoded and decoded. */
  private static final int ENCODED = 50;

  private final TransactionSystem system;
  private final int f;
  private final int stepsPerCheck;
  private final Marks marks;
  private final RestCheck rest;

  /** The replicas that are up, as they are now. */
  private final Map<ReplicaId, Replica> replicas = new LinkedHashMap<>();

  private final Map<ReplicaId, ReplicaHost> servers = new LinkedHashMap<>();

  /** The replicas of other systems. */
  private final Map<ReplicaId, Inspectable> others = new LinkedHashMap<>();

  private final List<Violation> violations = new ArrayList<>();
  private final Map<TxnId, Told> outcomes = new LinkedHashMap<>();

  /** Where transactions stand in the serial order, as far as it is not where their ids say. */
  private final Map<TxnId, TxnId> positions = new HashMap<>();

  private final Set<TxnId> ended = new HashSet<>();
  private final PreparedSets prepared = new PreparedSets();
  private final Map<VersionOfKey, Value> values = new HashMap<>();

  /** The home replicas that accepted what the client proposed. */
  private final Map<TxnId, Set<ReplicaId>> acceptors = new HashMap<>();

  /** Commits that were first told of amid the step that goes on. */
  private final List<ToldCommit> toldCommits = new ArrayList<>();

  /** How many messages of each kind were encoded. */
  private final Map<Integer, Integer> encoded = new HashMap<>();

  private long steps;

  /** An outcome and who told it first. */
  private record Told(Outcome outcome, String by) {}

  private record ToldCommit(TxnId txn, Outcome.Commit commit) {}

  private record VersionOfKey(Key key, WriteId version) {}

  /**
   * @param system the system that is watched
   * @param stepsPerCheck how many steps pass between two checks of a replica's whole state
   * @param partitionOf where keys are
   */
  Watch(
      TransactionSystem system,
      int f,
      int stepsPerCheck,
      ToIntFunction<Key> partitionOf,
      Marks marks) {
    this.system = system;
    this.f = f;
    this.stepsPerCheck = stepsPerCheck;
    this.marks = marks;
    this.rest = new RestCheck(f, system, this, partitionOf);
  }

  /** A replica starts, for the first time or again. */
  void add(ReplicaId id, ReplicaHost server, Replica replica) {
    servers.put(id, server);
    replicas.put(id, replica);
  }

  /** A replica of another system starts. */
  void add(ReplicaId id, Inspectable replica) {
    others.put(id, replica);
  }

  /** The replicas of other systems. */
  List<Inspectable> others() {
    return List.copyOf(others.values());
  }

  /** What a replica of any system holds as the newest committed version, null for nothing. */
  @Nullable VersionedValue newestCommitted(ReplicaId id, Key key) {
    @Nullable Replica replica = replicas.get(id);
    @Nullable Inspectable other = others.get(id);
    if (replica != null) {
      return replica.newestCommitted(key);
    }
    return other == null ? null : other.newestCommitted(key);
  }

  /** Where a committed transaction stands in the serial order. */
  TxnId positionOf(TxnId txn) {
    return positions.getOrDefault(txn, txn);
  }

  /** Whether the replicas are Morty's: only these are durable, and more of them can be checked. */
  private boolean isMorty() {
    return system.isDurable();
  }

  /** All replicas, whether or not they are up. */
  List<ReplicaId> members() {
    return List.copyOf(servers.keySet());
  }

  /** A replica, null while it is down. */
  @Nullable Replica replica(ReplicaId id) {
    return replicas.get(id);
  }

  /** The replicas that are up. */
  List<Replica> replicas() {
    return List.copyOf(replicas.values());
  }

  RestCheck rest() {
    return rest;
  }

  PreparedSets prepared() {
    return prepared;
  }

  /** The outcomes that anybody has told of, in that order. */
  Map<TxnId, Outcome> outcomes() {
    Map<TxnId, Outcome> all = new LinkedHashMap<>();
    outcomes.forEach((txn, told) -> all.put(txn, told.outcome));
    return all;
  }

  /** Whether a client was told how a transaction ended, or that it is not known. */
  boolean hasEnded(TxnId txn) {
    return ended.contains(txn);
  }

  /** The value of a version that was written. */
  Value valueOf(Key key, WriteId version) {
    return version.isInitial()
        ? Value.ABSENT
        : Objects.requireNonNull(values.get(new VersionOfKey(key, version)), "never written");
  }

  void violated(Rule rule, String explanation) {
    if (violations.stream().filter(v -> v.rule() == rule).count() < KEPT) {
      violations.add(new Violation(rule, explanation));
    }
  }

  List<Violation> violations() {
    return violations;
  }

  /** The outcome that anybody has told of. */
  Optional<Outcome> outcomeOf(TxnId txn) {
    return Optional.ofNullable(outcomes.get(txn)).map(Told::outcome);
  }

  // ---- I1: one outcome ------------------------------------------------------------------------

  void onCompletion(Endpoint client, Completion completion) {
    marks.add(completion);
    ended.add(completion.txn());
    switch (completion) {
      case Completion.Committed c -> {
        tell(c.txn(), commit(c.txn(), c.execution()), "client " + client);
        place(c.txn(), c.position(), client);
        rest.acknowledged(c);
      }
      case Completion.Aborted a -> tell(a.txn(), Outcome.ABORT, "client " + client);
      case Completion.Unknown u -> {}
    }
  }

  /** The commit of an execution as it was prepared. */
  private Outcome commit(TxnId txn, int execution) {
    ExecutionId id = new ExecutionId(txn, execution);
    return Outcome.commit(execution, prepared.participants(id));
  }

  private void tell(TxnId txn, Outcome toldOutcome, String by) {
    Outcome outcome = isMorty() ? toldOutcome : withoutParticipants(toldOutcome);
    Told told = outcomes.putIfAbsent(txn, new Told(outcome, by));
    if (told == null) {
      if (isMorty() && outcome instanceof Outcome.Commit commit) {
        toldCommits.add(new ToldCommit(txn, commit));
      }
    } else if (!told.outcome.equals(outcome)) {
      violated(
          Rule.ONE_OUTCOME,
          txn + " is " + told.outcome + " at " + told.by + ", " + outcome + " at " + by);
    }
  }

  private void place(TxnId txn, TxnId position, Endpoint by) {
    TxnId known = position.equals(txn) ? null : positions.putIfAbsent(txn, position);
    if (known != null && !known.equals(position)) {
      violated(
          Rule.ONE_OUTCOME,
          txn + " has committed at " + known + ", and says " + by + " at " + position);
    }
  }

  /** Replicas of other systems need not know where else a transaction commits. */
  private static Outcome withoutParticipants(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Commit(int execution, _) -> Outcome.commit(execution, List.of());
      case Outcome.Abort abort -> abort;
    };
  }

  @Override
  public void onProbe(Endpoint self, Probe probe) {
    marks.add(probe);
    switch (probe) {
      case Probe.Installed(TxnId txn, Outcome outcome) -> tell(txn, outcome, "replica " + self);
      case Probe.Decided(TxnId txn, Outcome outcome, Completion.Path path) -> {
        tell(txn, outcome, "coordinator " + self);
        if (path == Completion.Path.SLOW && isMorty()) {
          checkAccepted(txn, outcome);
        }
      }
      case Probe.ReadServed p -> {}
      case Probe.Pushed p -> {}
      case Probe.Waiting p -> {}
      case Probe.Voted p -> {}
      case Probe.Reexecuted p -> {}
      case Probe.Revoted p -> {}
      case Probe.Prepared p -> {}
      case Probe.Proposed p -> {}
      case Probe.RecoveryStarted p -> {}
      case Probe.Truncated p -> {}
      case Probe.Joined p -> {}
      case Probe.Mark p -> {}
    }
  }

  // ---- I2: held by f+1 --------------------------------------------------------------------------

  private void checkHeld(TxnId txn, Outcome.Commit commit) {
    ExecutionId execution = new ExecutionId(txn, commit.execution());
    for (int partition : commit.participants()) {
      int holders = 0;
      for (int i = 0; i < 2 * f + 1; i++) {
        if (holdsDurably(new ReplicaId(partition, i), execution)) {
          holders++;
        }
      }
      if (holders < f + 1) {
        violated(
            Rule.HELD,
            execution
                + " was committed while "
                + holders
                + " replicas of partition "
                + partition
                + " held it durably");
      }
    }
  }

  /**
   * One that is down holds what it will know when it is back. One that has lost its memory held
   * what it voted for: it serves again only when that is settled.
   */
  private boolean holdsDurably(ReplicaId id, ExecutionId execution) {
    @Nullable Replica replica = replicas.get(id);
    @Nullable ReplicaHost server = servers.get(id);
    if (server != null
        && (replica == null || !replica.isServing())
        && server.hasLost(id, execution)) {
      return true;
    }
    return server != null
        && server.holdsDurably(id, execution)
        && (replica == null || replica.holds(execution) || isComplete(replica, execution.txn()));
  }

  /**
   * Whether everything that committed up to a transaction is in a replica's state; it may have been
   * copied without the executions it came of.
   */
  static boolean isComplete(Replica replica, TxnId txn) {
    return replica.census().watermarkMicros() >= txn.timeMicros();
  }

  private void checkAccepted(TxnId txn, Outcome outcome) {
    var accepted = acceptors.get(txn);
    int count = accepted == null ? 0 : accepted.size();
    if (count < f + 1) {
      violated(
          Rule.ACCEPTED,
          txn + " was decided to be " + outcome + " after " + count + " acceptances at home");
    }
  }

  // ---- one value per write id -------------------------------------------------------------------

  @Override
  public void onSend(Endpoint from, Endpoint to, Message message) {
    switch (message) {
      case Message.Put put -> check(from, put.txn(), put.write());
      case Message.Prepare prepare -> {
        prepared.add(prepare);
        for (Write write : prepare.writes()) {
          check(from, prepare.txn(), write);
        }
      }
      case Message.FetchReply reply -> {
        for (Write write : reply.writes()) {
          check(from, reply.txn(), write);
        }
      }
      case Message.PrepareReply(var execution, PrepareAnswer.Voted(Vote.Abandon abandon)) -> {
        for (VersionedValue fresh : abandon.fresh()) {
          check(from, fresh.key(), fresh.version(), fresh.value());
        }
      }
      case Message.ScanReply reply -> {
        for (VersionedValue row : reply.rows()) {
          check(from, row.key(), row.version(), row.value());
        }
      }
      case Message.CutReply reply -> {
        for (VersionedValue row : reply.rows()) {
          check(from, row.key(), row.version(), row.value());
        }
      }
      case Message.PushRow push -> {
        VersionedValue row = push.row();
        check(from, row.key(), row.version(), row.value());
      }
      case Message.FinalizeReply(TxnId txn, View view, FinalizeAnswer.Accepted accepted) -> {
        if (from instanceof ReplicaId replica && view.equals(View.CLIENT)) {
          acceptors.computeIfAbsent(txn, _ -> new HashSet<>()).add(replica);
        }
      }
      case Message.CopyReply reply -> {
        for (Message.CopiedVersion copied : reply.versions()) {
          check(from, copied.key(), copied.version(), copied.value());
        }
      }
      case Message.OfSystem m -> {
        checkCodec(m);
        onEvidence(from, system.evidence(m));
      }
      default -> {} // These tell neither of versions nor of acceptances.
    }
  }

  /** Encodes and decodes the first messages of each kind. */
  private void checkCodec(Message.OfSystem message) {
    MessageCodec codec = system.codec();
    if (codec == null) {
      violated(Rule.CODEC, system.name() + " has no codec, and sends " + message);
      return;
    }
    try {
      int kind = codec.kind(message);
      if (encoded.merge(kind, 1, Integer::sum) <= ENCODED
          && !codec.decode(kind, codec.encode(message)).equals(message)) {
        violated(Rule.CODEC, "another message is decoded than " + message);
      }
    } catch (MalformedMessageException | RuntimeException e) {
      violated(Rule.CODEC, message + ": " + e);
    }
  }

  /** What messages of other systems prove: reads and writes, and places in the serial order. */
  private void onEvidence(Endpoint from, @Nullable Evidence evidence) {
    switch (evidence) {
      case Evidence.Sets(TxnId txn, TxnId writer, List<Read> reads, List<Write> writes) -> {
        prepare(txn, reads, writes);
        writes.forEach(write -> check(from, writer, write));
      }
      case Evidence.Position(TxnId txn, TxnId position) -> place(txn, position, from);
      case null -> {}
    }
  }

  private void prepare(TxnId txn, List<Read> reads, List<Write> writes) {
    prepared.add(new Message.Prepare(new ExecutionId(txn, 0), reads, writes, List.of()));
  }

  private void check(Endpoint from, TxnId txn, Write write) {
    check(from, write.key(), new WriteId(txn, write.valueId()), write.value());
  }

  private void check(Endpoint from, Key key, WriteId version, Value value) {
    if (version.isInitial()) {
      return;
    }
    Value known = values.putIfAbsent(new VersionOfKey(key, version), value);
    if (known != null && !known.equals(value)) {
      violated(
          Rule.WRITE_ID,
          from + " sent " + key + " = " + value + " as version " + version + ", which is " + known);
    }
  }

  // ---- machines ---------------------------------------------------------------------------------

  @Override
  public void onStep(Endpoint self) {
    if (!toldCommits.isEmpty()) {
      // Amid the step the replica that told was neither prepared nor done with installing.
      toldCommits.forEach(told -> checkHeld(told.txn, told.commit));
      toldCommits.clear();
    }
    if (++steps % stepsPerCheck == 0 && self instanceof ReplicaId id) {
      checkReplica(id);
    }
  }

  /** Checks the whole state of every replica. */
  void checkReplicas() {
    replicas.keySet().forEach(this::checkReplica);
    others.keySet().forEach(this::checkReplica);
  }

  private void checkReplica(ReplicaId id) {
    @Nullable Replica replica = replicas.get(id);
    @Nullable Inspectable other = others.get(id);
    try {
      if (replica != null) {
        replica.checkInvariants();
      }
      if (other != null) {
        other.checkInvariants();
      }
    } catch (IllegalStateException e) {
      violated(Rule.REPLICA, id + ": " + e.getMessage());
    }
  }

  @Override
  public void onStart(ReplicaId id, boolean fromCheckpoint, int records) {
    if (!fromCheckpoint && records == 0) {
      return;
    }
    marks.add("restart");
    if (fromCheckpoint) {
      marks.add("restart/from a checkpoint");
    }
    @Nullable Replica replica = replicas.get(id);
    if (replica != null && !replica.undecided().isEmpty()) {
      marks.add("restart/with undecided votes");
    }
    checkReplica(id);
  }

  @Override
  public void onCrash(ReplicaId id) {
    replicas.remove(id);
  }

  @Override
  public void onServerCrash(boolean amidStep, int lost) {
    marks.add("crash");
    if (amidStep) {
      marks.add("crash/amid a step");
    }
    if (lost > 0) {
      marks.add("crash/of records not forced");
    }
  }

  @Override
  public void onWipe() {
    marks.add("wipe");
  }

  @Override
  public void onCoordinatorDeath(TxnId txn) {
    marks.add("death/coordinator");
  }

  @Override
  public void onCheckpoint(ReplicaId id) {
    marks.add("checkpoint");
  }

  @Override
  public void onFailure(Endpoint self, Throwable failure) {
    StackTraceElement[] stack = failure.getStackTrace();
    violated(Rule.MACHINE, self + ": " + failure + (stack.length == 0 ? "" : " at " + stack[0]));
  }
}
