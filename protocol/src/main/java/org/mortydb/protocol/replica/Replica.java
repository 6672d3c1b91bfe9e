package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.AskMaps;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.BetweenReplicas;
import org.mortydb.protocol.message.Message.CheckPartition;
import org.mortydb.protocol.message.Message.Copy;
import org.mortydb.protocol.message.Message.CopyOutcomes;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Drop;
import org.mortydb.protocol.message.Message.Fetch;
import org.mortydb.protocol.message.Message.FetchReply;
import org.mortydb.protocol.message.Message.Finalize;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.Found;
import org.mortydb.protocol.message.Message.FromClient;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.InquireReply;
import org.mortydb.protocol.message.Message.Maps;
import org.mortydb.protocol.message.Message.NotHeld;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.Put;
import org.mortydb.protocol.message.Message.ReadCut;
import org.mortydb.protocol.message.Message.ReadPast;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.Message.Register;
import org.mortydb.protocol.message.Message.RegistrationLogged;
import org.mortydb.protocol.message.Message.Retract;
import org.mortydb.protocol.message.Message.Scan;
import org.mortydb.protocol.message.Message.ScanPast;
import org.mortydb.protocol.message.Message.Seal;
import org.mortydb.protocol.message.Message.ToReplica;
import org.mortydb.protocol.message.Message.TruncateAck;
import org.mortydb.protocol.message.Message.TruncateCommit;
import org.mortydb.protocol.message.Message.TruncatePrepare;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.message.Message.Watermark;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.recovery.Recoveries;

/**
 * One replica of one partition: serves reads, shows uncommitted writes, pushes newer versions to
 * their readers, votes on executions, accepts outcomes for transactions homed here, and installs
 * them (docs/protocol.md, sections 2 to 4; in the paper: the execution and commit protocols).
 *
 * <p>Its state is bounded: it keeps decided transactions, replaced versions and committed reads for
 * the retention time, and at most a fixed number of versions of each key. Transactions at or below
 * the fence get neither answers nor votes, so it is safe to forget them.
 *
 * <p>A pure machine: see {@link StateMachine} for its thread rule. The first event must be the
 * {@link Timer#TICK}, which arms itself from then on.
 */
public final class Replica implements StateMachine<Effects> {
  /** The mark of a checkpoint that has all transactions. */
  public static final int NO_LOG = Integer.MAX_VALUE;

  // In the order of their dependencies: each part uses only parts above it.
  private final ReplicaState state;
  private final Recoveries recoveries;
  private final Refusals refusals;
  private final Votes votes;
  private final Operations operations;
  private final Outcomes outcomes;
  private final Preparation preparation;
  private final Acceptor acceptor;
  private final Inquiries inquiries;
  private final TruncationRounds rounds;
  private final CopySource copySource;
  private final CutSource cutSource;
  private final PastSource pastSource;
  private final Copies copies;
  private final CatchingUp catchingUp;
  private final Arriving arriving;
  private final Sealing sealing;
  private final MovedAway movedAway;
  private final Ending ending;
  private final Joining joining;
  private final Restart restart;

  /**
   * A replica that has no state yet.
   *
   * @param self which replica this is
   * @param topology the only map of the cluster; the closest replicas do not matter here
   */
  public Replica(ReplicaId self, Topology topology, ReplicaOptions options, ReplicaRules rules) {
    this(self, new MapHistory(topology.map()), null, options, rules);
  }

  /**
   * A replica that has no state yet.
   *
   * @param self which replica this is
   * @param maps the maps of the cluster
   * @param proposed the map that has the replica's partition, if no decided map has it
   */
  public Replica(
      ReplicaId self,
      MapHistory maps,
      @Nullable ClusterMap proposed,
      ReplicaOptions options,
      ReplicaRules rules) {
    state = new ReplicaState(self, maps, proposed, options, rules);
    recoveries =
        new Recoveries(
            self,
            state.maps::f,
            options.inquireMicros(),
            rules.promisesAtOtherParticipants(),
            state.maps::areOfMap);
    refusals = new Refusals(state);
    Visibility visibility = new Visibility(state);
    votes = new Votes(state, visibility);
    operations = new Operations(state, refusals, visibility, votes);
    outcomes = new Outcomes(state, refusals, visibility, votes, recoveries);
    preparation = new Preparation(state, refusals, votes, outcomes);
    acceptor = new Acceptor(state, refusals, recoveries);
    inquiries = new Inquiries(state, refusals, recoveries, outcomes);
    DeferredVersions deferred = new DeferredVersions(state, visibility);
    Forgetting forgetting = new Forgetting(state, visibility, votes, recoveries, deferred);
    rounds = new TruncationRounds(state, outcomes, forgetting, recoveries);
    copySource = new CopySource(state, deferred);
    cutSource = new CutSource(state, refusals);
    pastSource = new PastSource(state, refusals);
    copies = new Copies(state, visibility, outcomes, forgetting, deferred);
    catchingUp = new CatchingUp(state, copies, rounds);
    arriving = new Arriving(state, visibility, forgetting, deferred);
    sealing = new Sealing(state);
    movedAway = new MovedAway(state, copies);
    ending = new Ending(state);
    joining = new Joining(state, copies, rounds, outcomes, recoveries, arriving, sealing);
    restart =
        new Restart(state, visibility, votes, recoveries, outcomes, forgetting, joining, deferred);
  }

  @Override
  public void step(long nowMicros, Event event, Effects out) {
    state.clock(nowMicros);
    if (state.restoring) { // the first event after restore()
      state.restoring = false;
      if (!joining.isUnderWay()) {
        state.keys.order();
        votes.resume(out);
      }
    }
    switch (event) {
      case Event.Received(Endpoint from, Message message) -> {
        if (message instanceof ToReplica concerned) {
          onMessage(from, concerned, out);
        }
      }
      case Event.TimerFired(Timer timer) -> {
        if (timer == Timer.TICK) {
          onTick(out);
        }
      }
      case Event.BatchEnded ignored -> {}
      case Event.Forwarded ignored -> {}
      case Event.Renumber ignored -> {}
      case Event.Unreachable ignored -> {}
      case Event.Call call -> throw new IllegalArgumentException("a replica takes no " + call);
    }
    if (state.housekeeping.isPruningDue(state.elapsedMicros)) {
      prune(Housekeeping.PRUNED_AT_ONCE, out);
    }
    // Only here: within a step the parts hold keys and records that would rest otherwise.
    state.records.rest();
    state.keys.restSome();
  }

  private void onMessage(Endpoint from, ToReplica message, Effects out) {
    if (joining.isUnderWay() && !Joining.concerns(message)) {
      if (message instanceof Copy copy && from instanceof ReplicaId peer) {
        copySource.onCopyWhileJoining(peer, copy, out);
      } else {
        refusals.refuseWhileJoining(from, message, out);
      }
      return;
    }
    switch (message) {
      case FromClient request -> onRequest(from, request, out);
      case BetweenReplicas told -> {
        if (from instanceof ReplicaId peer) {
          onPeerMessage(peer, told, out);
        }
      }
    }
  }

  private void onRequest(Endpoint from, FromClient message, Effects out) {
    if (refusals.refusesForm(from, message, out)) {
      return;
    }
    switch (message) {
      case Get get -> operations.onGet(from, get, out);
      case Scan scan -> operations.onScan(from, scan, out);
      case Put put -> operations.onPut(from, put, out);
      case Retract retract -> operations.onRetract(retract, out);
      case Prepare prepare -> preparation.onPrepare(from, prepare, out);
      case Register register -> preparation.onRegister(from, register, out);
      case Drop drop -> preparation.onDrop(drop, out);
      case Finalize finalize -> acceptor.onFinalize(from, finalize, out);
      case Decide decide -> {
        if (from instanceof ClientId) {
          outcomes.onClaim(decide, out);
        } else {
          outcomes.onDecide(decide, out);
        }
      }
      case Inquire inquire -> inquiries.onInquire(from, inquire, out);
      case InquireReply reply -> inquiries.onInquireReply(from, reply);
      case Seal seal -> sealing.onSeal(from, seal, out);
      case CheckPartition check -> joining.onCheck(from, check, out);
      case AskMaps ask -> sealing.onAskMaps(from, ask, out);
      case ReadCut read -> cutSource.onReadCut(from, read, !copies.isUnderWay(), out);
      case ReadPast read -> pastSource.onRead(from, read, !copies.isUnderWay(), out);
      case ScanPast scan -> pastSource.onScan(from, scan, !copies.isUnderWay(), out);
    }
  }

  private void onPeerMessage(ReplicaId from, BetweenReplicas message, Effects out) {
    switch (message) {
      case Fetch fetch -> outcomes.onFetch(from, fetch, out);
      case FetchReply reply -> outcomes.onFetchReply(reply, out);
      case NotHeld reply -> outcomes.onNotHeld(from, reply, out);
      case Recover recover -> acceptor.onRecover(from, recover, out);
      case RecoverReply reply -> recoveries.onRecoverReply(state.elapsedMicros, from, reply, out);
      case FinalizeReply reply -> recoveries.onFinalizeReply(state.elapsedMicros, from, reply, out);
      case TruncatePrepare prepare -> rounds.onPrepare(from, prepare, out);
      case TruncateReply reply -> onTruncateReply(from, reply, out);
      case TruncateCommit commit -> rounds.onCommit(from, commit, out);
      case TruncateAck ack -> onTruncateAck(from, ack, out);
      case RegistrationLogged logged -> {
        if (from.equals(state.self)) {
          if (logged.written()) {
            state.writtenVotes.onLogged(logged);
          } else {
            state.registrations.onLogged(logged);
          }
        }
      }
      case Watermark reached -> {
        if (!state.isAhead(reached.watermark())) {
          state.horizon.onWatermark(reached);
          joining.onWatermark(from, reached, out);
        }
      }
      case Behind behind -> {
        if (from.partition() == state.self.partition()) {
          rounds.onBehind(from, behind, out);
        }
        catchingUp.fellBehind(from, behind.txn(), out);
      }
      case Copy copy -> copySource.onCopy(from, copy, out);
      case CopyReply reply -> {
        if (from.partition() == state.self.partition()) {
          copies.onCopyReply(from, reply, out);
        } else if (joining.isUnderWay()) {
          joining.onCopyReply(from, reply, out);
        }
      }
      case Maps maps -> sealing.onMaps(from, maps, out);
      case CopyOutcomes copy -> copySource.onCopyOutcomes(from, copy, out);
      case CopyOutcomesReply reply -> copies.onCopyOutcomesReply(from, reply, out);
      case Found found -> joining.onFound(from, found, out);
    }
  }

  private void onTruncateReply(ReplicaId from, TruncateReply reply, Effects out) {
    if (joining.isUnderWay()) {
      joining.onTruncateReply(from, reply, out);
    } else if (rounds.onReply(from, reply, out)) {
      catchingUp.fellBehind(from, reply.applied(), out);
    }
  }

  private void onTruncateAck(ReplicaId from, TruncateAck ack, Effects out) {
    if (joining.isUnderWay()) {
      joining.onTruncateAck(from, ack, out);
    } else {
      rounds.onAck(from, ack, out);
    }
  }

  private void onTick(Effects out) {
    out.armTimer(Timer.TICK, state.options.tickMicros());
    ending.onTick(joining.isUnderWay(), out);
    boolean goesOn = !ending.hasEnded();
    if (joining.isUnderWay()) {
      if (goesOn) {
        joining.onTick(out);
      }
    } else {
      if (goesOn) {
        rounds.onTick(!copies.isUnderWay(), out);
      }
      movedAway.onTick(out);
    }
    if (goesOn) {
      copies.onTick(out);
      sealing.onTick(out);
    }
    state.cuts.expire(state.elapsedMicros);
    prune(Housekeeping.MOST_PRUNED, out);
    state.rangeReads.prune(state.horizon.fence());
    if (goesOn) {
      inquiries.onTick(out);
      recoveries.onTick(state.elapsedMicros, out);
      outcomes.onTick(out);
    }
    state.registrations.onTick(out); // these last: they may hold what is sent after them
    state.writtenVotes.onTick(out);
    state.keys.rest();
  }

  private void prune(int most, Effects out) {
    TxnId deletions = copySource.mayDrop(state.horizon.executionsForgotten());
    LogRecord.Erased erased =
        state.housekeeping.prune(most, state.horizon, state.cuts, deletions, state.elapsedMicros);
    if (erased != null) {
      ReplicaState.mark(erased.upTo(), Branch.DELETION_DROPPED, out);
      state.erased(erased.upTo());
      out.append(erased);
    }
  }

  /**
   * Begins without memory of having served (docs/protocol.md, section 9). The replica serves once
   * it has founded the partition with others that remember nothing, or has joined. To be called
   * before the first event, unless the restored state is whole ({@link #isWhole}).
   *
   * @param incarnation of this process, positive, and higher than that of any earlier process
   * @param doubtful whether earlier processes may have promised more than was restored
   */
  public void join(long incarnation, boolean doubtful) {
    joining.begin(incarnation, doubtful);
    recoveries.liveAs(incarnation);
  }

  /** Whether the restored state has everything that this replica has ever promised. */
  public boolean isWhole() {
    return joining.hasServed();
  }

  /**
   * Whether the partition of this replica has ended: the map has moved all its buckets, and nothing
   * needs it any more. Such a replica begins nothing of itself. It need not serve, nor run.
   */
  public boolean hasEnded() {
    return ending.hasEnded();
  }

  /** Whether this replica serves; false while it joins. */
  public boolean isServing() {
    return !joining.isUnderWay();
  }

  /**
   * Restores one record of the checkpoint or log. To be called in their order, before the first
   * event.
   *
   * @param nowMicros the host's clock in microseconds
   */
  public void restore(long nowMicros, LogRecord logged) {
    state.clock(nowMicros);
    state.restoring = true;
    state.keys.defer();
    state.records.rest();
    state.keys.restSome();
    restart.restore(logged);
  }

  /**
   * Copies the committed versions of the keys in the slots from {@code slot} on.
   *
   * <p>The caller begins at slot 0 and goes on at the slot returned; the replica may take steps in
   * between. The calls give every version that was committed before the first call, unless a newer
   * one has replaced it.
   *
   * @param limit the most slots to look at, positive
   * @return the slot to go on from, or -1 at the end
   */
  public int copyVersions(int slot, int limit, Consumer<LogRecord> to) {
    return restart.copyVersions(slot, limit, to);
  }

  /**
   * Marks a place in the log. All records that this replica appends from now on must come after
   * that place.
   *
   * @param number of the mark, positive and ascending
   */
  public void mark(int number) {
    state.records.mark(number);
  }

  /**
   * Copies the first part of a checkpoint: the fence, the watermark, and the transactions that the
   * log after a mark does not tell in full. No clock is involved.
   *
   * @param mark where the log that is kept begins; {@link #NO_LOG} if none is kept
   */
  public void copyRecords(int mark, Consumer<LogRecord> to) {
    restart.copyRecords(mark, to);
  }

  // ---- going back (section 9) ---------------------------------------------------------------

  /**
   * The cuts of the serial order that a restored replica can give the state of.
   *
   * @param served whether the replica has ever served; otherwise it remembers nothing
   * @param from the lowest of these cuts
   * @param upTo the highest, its watermark: every transaction at or below it is decided and here
   * @param latestMicros no replica can have voted on a transaction above this time, as far as this
   *     one can tell
   */
  public record Memory(boolean served, TxnId from, TxnId upTo, long latestMicros) {
    /** Whether the state at a cut is here. */
    public boolean holds(TxnId cut) {
      return served && !from.isAfter(cut) && !cut.isAfter(upTo);
    }
  }

  /**
   * What this replica can go back to. To be called after the last record was restored.
   *
   * @param nowMicros the host's clock in microseconds
   */
  public Memory memory(long nowMicros) {
    state.nowMicros = nowMicros;
    return restart.memory();
  }

  /**
   * Copies the state at a cut as a checkpoint: what has committed above the cut is undone, and no
   * transaction up to the fence ever commits.
   *
   * @param cut one that {@link #memory} holds
   * @param fence the same for all replicas of the cluster; above all that any of them has voted on
   * @param map the last one, below the cut; keys that it places elsewhere are left out
   */
  void copyStateAt(TxnId cut, TxnId fence, ClusterMap map, Consumer<LogRecord> to) {
    restart.copyStateAt(cut, fence, map, to);
  }

  /** The committed versions of the records of maps that lie here. */
  public List<MapRecordVersion> mapRecords() {
    return restart.mapRecords();
  }

  // ---- maps (section 15) --------------------------------------------------------------------

  /** The maps of the cluster that this replica knows. */
  public MapHistory maps() {
    return state.maps.history();
  }

  /** The highest number of a change that this replica has heard of, whatever has become of it. */
  public int lastChange() {
    return state.maps.lastChange();
  }

  /**
   * Whether this replica is of a partition that a change of the map adds, and has not promised
   * anything to its peers: it may lose its memory without harm.
   */
  public boolean isNew() {
    return joining.isNew();
  }

  /** The first record of a replica whose partition a change of the map adds; null for others. */
  public @Nullable LogRecord origin() {
    return state.maps.origin();
  }

  // ---- inspection ---------------------------------------------------------------------------

  /** What this replica holds at the moment. */
  public Inspection inspect() {
    return new Inspection(state);
  }

  /** The outcome of a transaction, or null if this replica does not know it. */
  public @Nullable Outcome outcomeOf(TxnId txn) {
    TxnRecord known = state.records.get(txn);
    return known == null ? null : known.outcome();
  }

  /**
   * Whether this replica holds the execution: its vote to commit stands, or it has committed (I2).
   */
  public boolean holds(ExecutionId execution) {
    TxnRecord txn = state.records.get(execution.txn());
    return txn != null
        && txn.isLatest(execution.number())
        && (txn.isPrepared() || (txn.isInstalled() && !txn.isAborted()));
  }

  /** Whether this replica's vote for the execution is on a condition that is open here. */
  public boolean holdsOnCondition(ExecutionId execution) {
    TxnRecord txn = state.records.get(execution.txn());
    return txn != null && txn.isLatest(execution.number()) && txn.isOnCondition();
  }

  /** The undecided transactions that hold a vote or an acceptance here, ascending. */
  public List<TxnId> undecided() {
    ArrayList<TxnId> open = new ArrayList<>();
    for (TxnRecord txn : state.records.awake()) {
      if (txn.isPrepared() || (txn.accepted() != null && !txn.isDecided())) {
        open.add(txn.id());
      }
    }
    open.sort(null);
    return open;
  }

  /** The newest committed value of a key here, or null if there is none. */
  public @Nullable VersionedValue newestCommitted(Key name) {
    KeyState key = state.keys.get(name);
    if (key == null) {
      return null;
    }
    for (int i = key.versions().size() - 1; i >= 0; i--) {
      Version version = key.versions().get(i);
      if (version.isCommitted()) {
        return new VersionedValue(name, version.id(), version.value(), true);
      }
    }
    return null;
  }

  /**
   * How many transactions this replica has decided by recovery since it was created. A transaction
   * whose outcome it learnt from others does not count. So the sum over all replicas counts a
   * transaction once, unless recoveries competed to the end.
   */
  public long recovered() {
    return recoveries.decided();
  }

  /**
   * How often this replica has heard of a transaction what cannot be true if nobody lies: two
   * outcomes, or the commit of an execution that was never prepared.
   */
  public long contradictions() {
    return outcomes.contradictions();
  }

  /**
   * What this replica keeps that no transaction needs any more, if all of them have ended long ago;
   * for checks in simulation. It looks at every key.
   */
  public List<String> leftovers() {
    ArrayList<String> all = new ArrayList<>();
    TxnId now = new TxnId(state.nowMicros, Long.MAX_VALUE, 0);
    state.records.between(TxnId.INITIAL, now).forEach(txn -> all.add("the record of " + txn.id()));
    for (KeyState key : state.keys.all()) {
      if (key.isPrunable() || !key.subscriptions().isEmpty()) {
        all.add("more of " + key.key() + " than a cold key needs: " + key.describe());
      }
    }
    if (!state.rangeReads.isEmpty() || !state.rangeSubscriptions.isEmpty()) {
      all.add("scans");
    }
    if (!state.onCondition.isEmpty()) {
      all.add("conditional votes");
    }
    if (state.cuts.size() > 0) {
      all.add("cuts of backups");
    }
    if (recoveries.size() > 0) {
      all.add("recoveries");
    }
    return all;
  }

  /** How much this replica keeps. */
  public Census census() {
    Horizon horizon = state.horizon;
    double copied =
        joining.isUnderWay() && copies.progress() < 0 ? arriving.progress() : copies.progress();
    return new Census(
        state.keys.size(),
        state.records.size(),
        horizon.fence().timeMicros(),
        horizon.watermark().timeMicros(),
        state.refusedFence,
        copied,
        copied > 0 ? Math.round(state.keys.roughBytes() * (1 - copied) / copied) : -1);
  }

  /**
   * How much a replica keeps.
   *
   * @param keys keys with any state
   * @param transactions transactions with a record
   * @param fenceMicros the fence's time
   * @param watermarkMicros the watermark's time
   * @param refusedFence the last fence or watermark that was refused because of the clocks; null if
   *     none was
   * @param copied how much of the copy under way is here, from 0 to 1; negative if there is none
   * @param bytesLeft about how many bytes of it are missing; negative if there is none, or nobody
   *     knows yet
   */
  public record Census(
      int keys,
      int transactions,
      long fenceMicros,
      long watermarkMicros,
      @Nullable RefusedFence refusedFence,
      double copied,
      long bytesLeft) {}

  /**
   * Checks the invariants of the whole state.
   *
   * @throws IllegalStateException if one is broken; the message names it
   */
  public void checkInvariants() {
    new InvariantCheck(state, !state.restoring && isServing()).run();
  }
}
