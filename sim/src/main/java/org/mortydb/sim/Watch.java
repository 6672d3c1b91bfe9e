package org.mortydb.sim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.MapRecord;
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
import org.mortydb.protocol.replica.Rollback;
import org.mortydb.protocol.system.Evidence;
import org.mortydb.protocol.system.Inspectable;
import org.mortydb.protocol.system.MalformedMessageException;
import org.mortydb.protocol.system.MessageCodec;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.sim.Violation.Rule;
import org.mortydb.sim.host.HostClock;
import org.mortydb.sim.host.Observer;
import org.mortydb.sim.host.ReplicaHost;

/**
 * Checks invariants during a run, and counts events. It sees systems other than Morty only through
 * their probes and {@link Inspectable}.
 */
final class Watch implements Observer {
  /** The most violations kept for each rule. */
  private static final int KEPT = 3;

  /** The number of messages of each kind that are encoded and decoded. */
  private static final int ENCODED = 50;

  /**
   * The client that is hostile, if there is one. It lies about its transactions, so that I1 to I4
   * do not hold for them; they write nothing. All other ids are small or random.
   */
  static final ClientId HOSTILE = new ClientId(Long.MAX_VALUE - 64);

  private final TransactionSystem system;
  private final int f;
  private final int stepsPerCheck;
  private final Marks marks;
  private final Observer stepLog;
  private final LongSupplier nowMicros;
  private final RestCheck rest;
  private final MemoryCheck memory;
  private final ProposalCheck proposals;
  private final UnknownOutcomes unknown = new UnknownOutcomes();
  private final AsyncCommits asyncCommits;

  /** Replicas that are down for good. */
  private final Set<ReplicaId> gone = new LinkedHashSet<>();

  /** The running replicas. */
  private final Map<ReplicaId, Replica> replicas = new LinkedHashMap<>();

  private final Map<ReplicaId, ReplicaHost> servers = new LinkedHashMap<>();

  /** The replicas of other systems. */
  private final Map<ReplicaId, Inspectable> others = new LinkedHashMap<>();

  private final List<Violation> violations = new ArrayList<>();
  private final Map<TxnId, KnownOutcome> outcomes = new LinkedHashMap<>();

  /** The serial positions of transactions, where these differ from their ids. */
  private final Map<TxnId, TxnId> positions = new HashMap<>();

  private final Set<TxnId> ended = new HashSet<>();
  private final PreparedSets prepared = new PreparedSets();

  /** Transactions that have committed without an outcome: no replica holds them. */
  private final Set<TxnId> readOnly = new HashSet<>();

  /** The replicas that have voted without condition to commit an execution. */
  private final Map<ExecutionId, Set<ReplicaId>> voters = new HashMap<>();

  /** The executions that replicas have abandoned for good, and the first one that has. */
  private final Map<ExecutionId, ReplicaId> abandoned = new HashMap<>();

  private final FinalAbandons finalAbandons;

  private final Map<VersionOfKey, Value> values = new HashMap<>();

  /** Commits that became known in the current step. */
  private final List<NewCommit> newCommits = new ArrayList<>();

  /** The number of encoded messages of each kind. */
  private final Map<Integer, Integer> encoded = new HashMap<>();

  /** The ranges of the serial order that the operator has given up. */
  private final List<Lost> lost = new ArrayList<>();

  /** Replicas that have begun to serve in the current step. */
  private final Set<ReplicaId> joined = new HashSet<>();

  /** Replicas that have ended a copy in the current step, and served meanwhile. */
  private final Set<ReplicaId> caughtUp = new HashSet<>();

  /** The times up to which replicas may lack history since a join or a copy of a peer, in µs. */
  private final Map<ReplicaId, Long> copiedTo = new HashMap<>();

  /** The number of the last map for which each replica has sealed. */
  private final Map<ReplicaId, Integer> sealedFor = new HashMap<>();

  /** Hears of each replica that has started. */
  private Consumer<ReplicaId> started = _ -> {};

  /** Replicas that have taken no step since they started again. */
  private final Set<ReplicaId> restarted = new HashSet<>();

  /** Those whose copy of a peer ends within this step. */
  private final Set<ReplicaId> copyEnds = new HashSet<>();

  private long steps;

  /** All maps that any replica has known. */
  private MapHistory maps;

  /**
   * All transactions above the cut, up to the fence.
   *
   * @param last the last map at the cut
   */
  private record Lost(TxnId cut, TxnId fence, ClusterMap last) {
    boolean contains(TxnId txn) {
      return txn.isAfter(cut) && !txn.isAfter(fence);
    }
  }

  /** An outcome, and its first source. */
  private record KnownOutcome(Outcome outcome, String by) {}

  private record NewCommit(TxnId txn, Outcome.Commit commit) {}

  private record VersionOfKey(Key key, WriteId version) {}

  /**
   * @param system the system under test
   * @param stepsPerCheck the number of steps between two checks of a replica's whole state
   * @param first the map of the cluster before any change
   * @param stepLog observes what machines send, append and probe as well
   * @param nowMicros the virtual time
   */
  Watch(
      TransactionSystem system,
      int f,
      int stepsPerCheck,
      ClusterMap first,
      Marks marks,
      Observer stepLog,
      LongSupplier nowMicros) {
    this.system = system;
    this.f = f;
    this.finalAbandons = new FinalAbandons(this::f);
    this.stepsPerCheck = stepsPerCheck;
    this.marks = marks;
    this.stepLog = stepLog;
    this.nowMicros = nowMicros;
    this.maps = new MapHistory(first);
    this.rest = new RestCheck(system, this);
    this.memory = new MemoryCheck(this, this::f);
    this.asyncCommits = new AsyncCommits(this, f, marks);
    this.proposals = new ProposalCheck(this::f, text -> violated(Rule.CHOSEN, text));
  }

  /** The failures that a partition tolerates: the same in all maps that have it. */
  int f(int partition) {
    ClusterMap first = maps.firstWith(partition);
    first = first == null ? maps().firstWith(partition) : first;
    return first == null ? f : first.f();
  }

  /** Adds a replica of Morty that has started. */
  void add(ReplicaId id, ReplicaHost server, Replica replica) {
    servers.put(id, server);
    replicas.put(id, replica);
  }

  /** Adds a replica of another system that has started. */
  void add(ReplicaId id, Inspectable replica) {
    others.put(id, replica);
  }

  /** The replicas of other systems. */
  List<Inspectable> others() {
    return List.copyOf(others.values());
  }

  /** The newest committed version of a key at a replica of any system; null if it has none. */
  @Nullable VersionedValue newestCommitted(ReplicaId id, Key key) {
    @Nullable Replica replica = replicas.get(id);
    @Nullable Inspectable other = others.get(id);
    if (replica != null) {
      return replica.newestCommitted(key);
    }
    return other == null ? null : other.newestCommitted(key);
  }

  /** The serial position of a committed transaction. */
  TxnId positionOf(TxnId txn) {
    return positions.getOrDefault(txn, txn);
  }

  /** Whether the replicas are Morty's, the only ones that are durable and fully visible. */
  private boolean isMorty() {
    return system.isDurable();
  }

  /** All replicas of partitions that were decided, whether or not they are up. */
  List<ReplicaId> members() {
    MapHistory known = maps();
    return servers.keySet().stream()
        .filter(id -> known.knows(id.partition()) && !gone.contains(id))
        .toList();
  }

  /** A replica is down for good. */
  void gone(ReplicaId id) {
    gone.add(id);
  }

  /** The replicas that are down for good. */
  Set<ReplicaId> gone() {
    return Collections.unmodifiableSet(gone);
  }

  /** Whether a replica is down for good. */
  boolean isGone(ReplicaId id) {
    return gone.contains(id);
  }

  /** Whether a replica is on a server. */
  boolean has(ReplicaId id) {
    return servers.containsKey(id);
  }

  /** A replica of a partition that will never be is no more. */
  void removed(ReplicaId id) {
    servers.remove(id);
    replicas.remove(id);
  }

  /** All maps that any replica has known. */
  MapHistory maps() {
    for (Replica replica : replicas.values()) {
      MapHistory known = replica.maps();
      if (known.last().number() > maps.last().number() || known.closed() > maps.closed()) {
        maps = maps.merged(known.maps(), known.closed());
      }
    }
    return maps;
  }

  /** The number of the last map that a replica knows, or has sealed for; 0 while it is down. */
  int heardOf(ReplicaId id) {
    @Nullable Replica replica = replicas.get(id);
    return replica == null
        ? 0
        : Math.max(replica.maps().last().number(), sealedFor.getOrDefault(id, 0));
  }

  /** Whether a replica has passed a cut that takes keys from it, and has not heard of that. */
  boolean hasMissedChange(ReplicaId id) {
    @Nullable Replica replica = replicas.get(id);
    if (replica == null) {
      return false;
    }
    int heardOf = heardOf(id);
    long reached = replica.census().watermarkMicros();
    MapHistory all = maps();
    for (ClusterMap map : all.maps()) {
      ClusterMap before = all.before(map);
      if (map.number() > heardOf
          && map.cutMicros() < reached
          && before != null
          && map.sources(before).get(id.partition())) {
        return true;
      }
    }
    return false;
  }

  /** The partition that holds a key for transactions of a time. */
  int partitionOf(Key key, long timeMicros) {
    MapHistory known = maps();
    if (MapRecord.isRecord(key)) {
      ClusterMap map = known.numbered(MapRecord.mapOf(key));
      return map == null ? -1 : map.partitionOf(key);
    }
    return known.at(timeMicros).partitionOf(key);
  }

  /** A replica; null while it is down. */
  @Nullable Replica replica(ReplicaId id) {
    return replicas.get(id);
  }

  /** The time up to which a replica has no history of its own, but at most what a peer has kept. */
  long copiedToMicros(ReplicaId id) {
    return copiedTo.getOrDefault(id, 0L);
  }

  /** Calls a listener with each replica that starts from now on, before its first step. */
  void whenStarted(Consumer<ReplicaId> listener) {
    started = listener;
  }

  Marks marks() {
    return marks;
  }

  /** The running replicas. */
  List<Replica> replicas() {
    return List.copyOf(replicas.values());
  }

  RestCheck rest() {
    return rest;
  }

  AsyncCommits asyncCommits() {
    return asyncCommits;
  }

  PreparedSets prepared() {
    return prepared;
  }

  UnknownOutcomes unknownOutcomes() {
    return unknown;
  }

  /** All known outcomes, in the order in which they became known. */
  Map<TxnId, Outcome> outcomes() {
    Map<TxnId, Outcome> all = new LinkedHashMap<>();
    outcomes.forEach((txn, known) -> all.put(txn, known.outcome));
    return all;
  }

  /** Whether a transaction has ended for its client, even without a known outcome. */
  boolean hasEnded(TxnId txn) {
    return ended.contains(txn);
  }

  /** The value of a written version. */
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

  /** The known outcome of a transaction. */
  Optional<Outcome> outcomeOf(TxnId txn) {
    return Optional.ofNullable(outcomes.get(txn)).map(KnownOutcome::outcome);
  }

  // ---- rollbacks ------------------------------------------------------------------------------

  /** The operator has taken the cluster back: what committed above the cut counts no more. */
  void rolledBack(Rollback rollback) {
    Lost range = new Lost(rollback.cut(), rollback.fence(), rollback.maps().last());
    lost.add(range);
    outcomes.keySet().removeIf(range::contains);
    newCommits.removeIf(added -> range.contains(added.txn));
    memory.rolledBack();
    proposals.rolledBack();
  }

  /** Whether a rollback has undone a transaction, if it had committed. */
  boolean isLost(TxnId txn) {
    return lost.stream().anyMatch(range -> range.contains(txn));
  }

  /**
   * The value that replicas hold of a committed write. If it is the record of the last map, and
   * proposed a change when the operator took the cluster back, the change is given up: the record
   * is open again (docs/protocol.md, section 9).
   */
  Value remaining(Key key, TxnId writer, Value written) {
    if (!MapRecord.isRecord(key)
        || lost.stream()
            .noneMatch(
                range ->
                    MapRecord.mapOf(key) == range.last.number() && !writer.isAfter(range.cut))) {
      return written;
    }
    MapRecord record = MapRecord.of(written);
    boolean isProposed = record.change() != null && !record.decided();
    return isProposed ? record.opened().toValue() : written;
  }

  /**
   * Whether a key is the record of an earlier map, in a partition that had no buckets any more when
   * the operator took the cluster back: nothing of it remains (docs/protocol.md, section 9).
   */
  boolean isLeftBehind(Key key) {
    if (lost.isEmpty() || !MapRecord.isRecord(key)) {
      return false;
    }
    int map = MapRecord.mapOf(key);
    int partition = partitionOf(key, 0);
    return lost.stream().anyMatch(range -> map < range.last.number() && !range.last.has(partition));
  }

  /** The highest fence of all rollbacks. */
  long fenceMicros() {
    return lost.stream().mapToLong(range -> range.fence.timeMicros()).max().orElse(0);
  }

  // ---- I1: one outcome ------------------------------------------------------------------------

  void onCompletion(Endpoint client, Completion completion) {
    marks.add(completion);
    ended.add(completion.txn());
    switch (completion) {
      case Completion.Committed c when c.path() == Completion.Path.ASYNC ->
          asyncCommits.acknowledged(c);
      case Completion.Committed c -> {
        learn(c.txn(), commit(c.txn(), c.execution()), "client " + client);
        place(c.txn(), c.position(), client);
        rest.acknowledged(c);
      }
      case Completion.Aborted a -> learn(a.txn(), Outcome.ABORT, "client " + client);
      case Completion.Unknown u ->
          unknown.reported(u.txn(), prepared.writersRead(u.txn()), nowMicros.getAsLong());
    }
  }

  /** The commit of an execution, with the participants of its Prepares; none if it only reads. */
  private Outcome commit(TxnId txn, int execution) {
    ExecutionId id = new ExecutionId(txn, execution);
    return Outcome.commit(
        execution, readOnly.contains(txn) ? List.of() : prepared.participants(id));
  }

  private void learn(TxnId txn, Outcome reported, String by) {
    if (txn.clientId() == HOSTILE.id()) {
      return;
    }
    Outcome outcome = isMorty() ? reported : withoutParticipants(reported);
    if (isLost(txn)) {
      // Its client may still learn what it was before; no replica may.
      if (outcome instanceof Outcome.Commit && by.startsWith("replica")) {
        violated(Rule.ONE_OUTCOME, txn + " was undone by a rollback, and has committed at " + by);
      }
      return;
    }
    KnownOutcome known = outcomes.putIfAbsent(txn, new KnownOutcome(outcome, by));
    if (known == null) {
      asyncCommits.decided(txn);
      unknown.decided(txn, nowMicros.getAsLong());
      if (isMorty() && outcome instanceof Outcome.Commit(int execution, List<Integer> _)) {
        checkNotAbandoned(new ExecutionId(txn, execution));
      }
      if (isMorty() && !readOnly.contains(txn) && outcome instanceof Outcome.Commit commit) {
        newCommits.add(new NewCommit(txn, commit));
        memory.committed(txn, commit);
      }
    } else if (!known.outcome.equals(outcome)) {
      violated(
          Rule.ONE_OUTCOME,
          txn + " is " + known.outcome + " at " + known.by + ", and " + outcome + " at " + by);
    }
  }

  /** A final abandon says that f+1 replicas can never hold a vote to commit the execution. */
  private void checkNotAbandoned(ExecutionId execution) {
    ReplicaId by = abandoned.get(execution);
    if (by != null) {
      violated(Rule.FINAL, "%s committed, but %s has abandoned it".formatted(execution, by));
    }
  }

  private void abandon(ReplicaId by, ExecutionId execution) {
    abandoned.putIfAbsent(execution, by);
    if (outcomeOf(execution.txn()).orElse(null)
            instanceof Outcome.Commit(int number, List<Integer> _)
        && number == execution.number()) {
      checkNotAbandoned(execution);
    }
  }

  private void place(TxnId txn, TxnId position, Endpoint by) {
    TxnId known = position.equals(txn) ? null : positions.putIfAbsent(txn, position);
    if (known != null && !known.equals(position)) {
      violated(
          Rule.ONE_OUTCOME,
          txn + " committed at position " + known + ", but " + by + " reports " + position);
    }
  }

  /** Replicas of other systems need not know the other participants. */
  private static Outcome withoutParticipants(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Commit(int execution, _) -> Outcome.commit(execution, List.of());
      case Outcome.Abort abort -> abort;
    };
  }

  @Override
  public void onProbe(Endpoint self, Probe probe) {
    stepLog.onProbe(self, probe);
    marks.add(probe);
    switch (probe) {
      case Probe.Installed(TxnId txn, Outcome outcome) -> learn(txn, outcome, "replica " + self);
      case Probe.Decided(TxnId txn, Outcome outcome, Completion.Path path) -> {
        if (path == Completion.Path.READ_ONLY
            && outcome instanceof Outcome.Commit(int execution, _)) {
          readOnly.add(txn);
          checkRegistered(new ExecutionId(txn, execution));
        }
        learn(txn, outcome, "coordinator " + self);
        if (path == Completion.Path.SLOW && isMorty()) {
          checkAccepted(txn, outcome);
        }
      }
      case Probe.RecoveryStarted(TxnId txn, View view) -> {
        unknown.recovers(txn);
        asyncCommits.recovers(txn, view, nowMicros.getAsLong());
      }
      case Probe.Joined _ -> joined.add((ReplicaId) self);
      case Probe.Mark(_, Branch branch) when branch == Branch.CAUGHT_UP ->
          caughtUp.add((ReplicaId) self);
      case Probe.Mark(_, Branch branch) when branch == Branch.COPY_ENDS ->
          copyEnds.add((ReplicaId) self);
      default -> {} // only counted
    }
  }

  // ---- I2: held by f+1 --------------------------------------------------------------------------

  private void checkHeld(TxnId txn, Outcome.Commit commit) {
    ExecutionId execution = new ExecutionId(txn, commit.execution());
    for (int partition : commit.participants()) {
      int holders = 0;
      for (int i = 0; i < 2 * f(partition) + 1; i++) {
        if (holdsDurably(new ReplicaId(partition, i), execution)) {
          holders++;
        }
      }
      if (holders < f(partition) + 1) {
        violated(
            Rule.HELD,
            "%s committed, but only %d replicas of partition %d hold it durably"
                .formatted(execution, holders, partition));
      }
    }
  }

  /** The reads of a read-only execution are registered by f+1 replicas of each participant. */
  private void checkRegistered(ExecutionId execution) {
    for (int partition : prepared.participants(execution)) {
      long registered =
          voters.getOrDefault(execution, Collections.emptySet()).stream()
              .filter(voter -> voter.partition() == partition)
              .count();
      if (registered < f(partition) + 1) {
        violated(
            Rule.HELD,
            "%s committed, but only %d replicas of partition %d have registered its reads"
                .formatted(execution, registered, partition));
      }
    }
  }

  /**
   * A replica that is down holds what its log restores. A replica that lost its disk counts with
   * what it held before, because it serves again only after that is settled.
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
   * Whether a replica's state includes every commit up to a transaction. It may have been copied
   * without the executions.
   */
  static boolean isComplete(Replica replica, TxnId txn) {
    return replica.census().watermarkMicros() >= txn.timeMicros();
  }

  private void checkAccepted(TxnId txn, Outcome outcome) {
    int count = proposals.acceptancesOfClient(txn);
    if (count < f(txn.home()) + 1) {
      violated(
          Rule.ACCEPTED,
          txn
              + " was decided as "
              + outcome
              + " after "
              + count
              + " acceptances in its home partition");
    }
  }

  // ---- one value per write id -------------------------------------------------------------------

  @Override
  public void onOutput(ReplicaId from, Message message) {
    memory.onOutput(from, message);
    stepLog.onOutput(from, message);
  }

  @Override
  public void onAppend(ReplicaId replica, LogRecord logged) {
    memory.onAppend(replica, logged);
    stepLog.onAppend(replica, logged);
    if (logged instanceof LogRecord.Sealed(ClusterMap map, boolean _)) {
      sealedFor.put(replica, map.number());
    }
  }

  @Override
  public void onSend(Endpoint from, Endpoint to, Message message) {
    if (from.equals(HOSTILE)) {
      return;
    }
    if (from instanceof ReplicaId replica) {
      memory.onSend(replica, message);
    }
    stepLog.onSend(from, to, message);
    switch (message) {
      case Message.Put put -> check(from, put.txn(), put.write());
      case Message.Prepare prepare -> {
        prepared.add(prepare);
        asyncCommits.prepared(prepare);
        for (Write write : prepare.writes()) {
          check(from, prepare.txn(), write);
        }
      }
      case Message.Register register -> {
        if (to instanceof ReplicaId(int partition, int _)) {
          prepared.add(register, partition);
        }
      }
      case Message.PrepareReply(
              ExecutionId execution,
              PrepareAnswer.Voted(Vote.Commit(boolean onCondition))) -> {
        if (from instanceof ReplicaId voter && !onCondition) {
          voters.computeIfAbsent(execution, _ -> new HashSet<>()).add(voter);
        }
      }
      case Message.FetchReply reply -> {
        for (Write write : reply.writes()) {
          check(from, reply.txn(), write);
        }
      }
      case Message.PrepareReply(ExecutionId execution, PrepareAnswer.Voted(Vote.Abandon vote)) -> {
        checkRows(from, vote.fresh());
        if (from instanceof ReplicaId replica
            && !to.equals(HOSTILE)
            && finalAbandons.isFinal(replica, execution, vote)) {
          abandon(replica, execution);
        }
      }
      case Message.ScanReply reply -> checkRows(from, reply.rows());
      case Message.CutReply reply -> checkRows(from, reply.rows());
      case Message.PastReply reply -> checkRows(from, reply.rows());
      case Message.PushRow push -> checkRows(from, List.of(push.row()));
      case Message.Finalize(TxnId txn, View view, Outcome value) -> {
        if (txn.clientId() != HOSTILE.id()) {
          proposals.proposed(txn, view, value);
        }
      }
      case Message.FinalizeReply(TxnId txn, View view, FinalizeAnswer.Accepted _) -> {
        if (from instanceof ReplicaId replica) {
          proposals.accepted(txn, view, replica);
        }
      }
      case Message.TruncateReply(TxnId watermark, _, _, _, _, _, _, _) -> {
        if (from instanceof ReplicaId answering && to instanceof ReplicaId proposing) {
          memory.onRoundAnswered(answering, proposing, watermark);
        }
      }
      case Message.CopyReply reply -> {
        if (to instanceof ReplicaId replica) {
          memory.onCopy(replica, reply);
        }
        for (Message.CopiedVersion copied : reply.versions()) {
          check(from, copied.key(), copied.version(), copied.value());
        }
      }
      case Message.OfSystem m -> {
        checkCodec(m);
        onEvidence(from, system.evidence(m));
      }
      default -> {} // no versions and no acceptances
    }
  }

  /** Checks that the codec preserves a message; only the first messages of each kind. */
  private void checkCodec(Message.OfSystem message) {
    MessageCodec codec = system.codec();
    if (codec == null) {
      violated(Rule.CODEC, system.name() + " sends " + message + ", but has no codec");
      return;
    }
    try {
      int kind = codec.kind(message);
      if (encoded.merge(kind, 1, Integer::sum) <= ENCODED
          && !codec.decode(kind, codec.encode(message)).equals(message)) {
        violated(Rule.CODEC, "decoding the encoded message does not yield " + message);
      }
    } catch (MalformedMessageException | RuntimeException e) {
      violated(Rule.CODEC, message + ": " + e);
    }
  }

  /** Notes what a message of another system proves: reads and writes, or a serial position. */
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

  private void checkRows(Endpoint from, List<VersionedValue> rows) {
    rows.forEach(row -> check(from, row.key(), row.version(), row.value()));
  }

  private void check(Endpoint from, TxnId txn, Write write) {
    check(from, write.key(), new WriteId(txn, write.valueId()), write.value());
  }

  private void check(Endpoint from, Key key, WriteId version, Value value) {
    if (version.isInitial()) {
      return;
    }
    VersionOfKey written = new VersionOfKey(key, version);
    Value known = values.get(written);
    if (known == null || (value.isMerge() && !known.isMerge())) {
      values.put(written, value);
      return;
    }
    boolean folded = known.isMerge() && !value.isMerge(); // what it makes depends on those below
    boolean named = value.equals(known) || value.equals(remaining(key, version.writer(), known));
    if (!folded && !named) {
      violated(
          Rule.WRITE_ID,
          "%s sent %s = %s as version %s, whose value is %s"
              .formatted(from, key, value, version, known));
    }
  }

  // ---- machines ---------------------------------------------------------------------------------

  @Override
  public void onStep(Endpoint self) {
    if (!newCommits.isEmpty()) {
      // Within the step the installing replica counts neither as prepared nor as committed.
      newCommits.forEach(added -> checkHeld(added.txn, added.commit));
      newCommits.clear();
    }
    if (self instanceof ReplicaId id) {
      @Nullable Replica replica = replicas.get(id);
      if (!joined.isEmpty() && joined.remove(id) && replica != null) {
        memory.joined(id, replica);
        copied(id, replica);
      }
      if (!caughtUp.isEmpty() && caughtUp.remove(id) && replica != null) {
        memory.caughtUp(id, replica);
        copied(id, replica);
      }
      copyEnds.remove(id);
      boolean first = !restarted.isEmpty() && restarted.remove(id);
      if (++steps % stepsPerCheck == 0 || first) {
        checkReplica(id);
      }
    }
  }

  /** A peer may have discarded deletions up to now, and then the copy lacks them. */
  private void copied(ReplicaId id, Replica replica) {
    copiedTo.put(
        id,
        Math.max(
            replica.census().watermarkMicros(), HostClock.EPOCH_MICROS + nowMicros.getAsLong()));
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
        if (replica.isServing()) {
          memory.checkCovered(id, replica);
        }
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
    started.accept(id);
    @Nullable Replica replica = replicas.get(id);
    if (replica != null) {
      memory.restarted(id, replica);
    }
    if (!fromCheckpoint && records == 0) {
      return;
    }
    restarted.add(id);
    marks.add("restart");
    if (fromCheckpoint) {
      marks.add("restart/from a checkpoint");
    }
    if (replica != null && !replica.undecided().isEmpty()) {
      marks.add("restart/with undecided votes");
    }
    checkReplica(id);
  }

  @Override
  public void onCrash(ReplicaId id) {
    asyncCommits.crashed(id);
    @Nullable Replica replica = replicas.remove(id);
    if (replica != null) {
      memory.crashed(id, replica);
      if (copyEnds.remove(id)) {
        copied(id, replica); // the log may have a part of what that brings
      }
    }
    joined.remove(id);
    caughtUp.remove(id);
    restarted.remove(id);
  }

  @Override
  public void onServerCrash(boolean withinStep, int lost) {
    marks.add("crash");
    if (withinStep) {
      marks.add("crash/within a step");
    }
    if (lost > 0) {
      marks.add("crash/of unforced records");
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
