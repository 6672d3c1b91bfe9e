package org.mortydb.baselines.tapir;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.protocol.system.Inspectable;

/**
 * A replica of one partition. It answers reads with committed versions, validates transactions at
 * the stamps that their clients propose, and installs committed ones (docs/reference/baselines.md).
 *
 * <p>A pure machine; see {@link StateMachine} for its thread rule.
 */
public final class TapirReplica implements StateMachine<Effects>, Inspectable {
  private record Due(TxnState txn, long sinceMicros) {}

  private final ReplicaId self;
  private final Topology topology;
  private final ReplicaOptions options;
  private final TapirStore store;
  private final HashMap<TxnId, TxnState> transactions = new HashMap<>();

  /** All transactions, in the order in which they are checked for removal. */
  private final ArrayDeque<Due> forgettable = new ArrayDeque<>();

  /** Prepared transactions, in the order in which peers are asked about them. */
  private final ArrayDeque<Due> watched = new ArrayDeque<>();

  /** Attempts that began at or before this time are no longer validated. Never decreases. */
  private long fenceMicros;

  private long nowMicros;

  /**
   * An empty replica.
   *
   * @param rules {@link ReplicaRules#SOUND}, except in tests of the checkers, which omit the check
   *     of reads (missed writes) or of writes (writes missed)
   */
  public TapirReplica(
      ReplicaId self, Topology topology, ReplicaOptions options, ReplicaRules rules) {
    this.self = self;
    this.topology = topology;
    this.options = options;
    this.store = new TapirStore(options, rules);
  }

  @Override
  public void step(long now, Event event, Effects out) {
    nowMicros = now;
    switch (event) {
      case Event.Received(Endpoint from, TapirMessage.ToReplica message) ->
          onMessage(from, message, out);
      case Event.Received _ -> {} // answers to a coordinator, or a message of another system
      case Event.TimerFired(Timer timer) -> {
        if (timer == Timer.TICK) {
          tick(out);
        }
      }
      case Event.BatchEnded _,
          Event.Forwarded _,
          Event.Renumber _,
          Event.Unreachable _,
          Event.Call _ -> {}
    }
  }

  private void onMessage(Endpoint from, TapirMessage.ToReplica message, Effects out) {
    switch (message) {
      case TapirMessage.Get get -> onGet(from, get, out);
      case TapirMessage.Prepare prepare -> onPrepare(from, prepare, out);
      case TapirMessage.Finalize(TxnId txn, TxnId stamp) -> onFinalize(from, txn, stamp, out);
      case TapirMessage.Commit(TxnId txn, TxnId stamp) -> onCommit(from, txn, stamp, out);
      case TapirMessage.Abort(TxnId txn) -> onAbort(from, txn, out);
      case TapirMessage.Install install -> onInstall(from, install, out);
      case TapirMessage.Inquire(TxnId txn) -> onInquire(from, txn, out);
    }
  }

  // ---- reads ----------------------------------------------------------------------------------

  private void onGet(Endpoint from, TapirMessage.Get get, Effects out) {
    if (isElsewhere(get.key())) {
      refuse(from, get.txn(), Refusal.WRONG_PARTITION, out);
      return;
    }
    TapirKey.Version newest = store.newest(get.key());
    WriteId version = newest == null ? WriteId.INITIAL : newest.id();
    Value value = newest == null ? Value.ABSENT : newest.value();
    out.send(from, new TapirMessage.GetReply(get.txn(), get.request(), version, value));
    if (out.probing()) {
      out.probe(new Probe.ReadServed(get.txn(), get.key(), version, true));
    }
  }

  private boolean isElsewhere(Key key) {
    return topology.partitionOf(key) != self.partition();
  }

  private void refuse(Endpoint to, TxnId txn, Refusal reason, Effects out) {
    out.send(to, new Message.Refused(txn, reason, nowMicros));
  }

  // ---- validation -----------------------------------------------------------------------------

  private void onPrepare(Endpoint from, TapirMessage.Prepare prepare, Effects out) {
    TxnState txn = transactions.get(prepare.txn());
    if (txn != null) {
      if (txn.isDecided() || prepare.stamp().isBefore(txn.stamp)) {
        return; // its coordinator has moved on
      }
      if (prepare.stamp().equals(txn.stamp)) {
        reply(from, txn, out);
        return;
      }
    }
    Refusal refusal = refusal(prepare);
    if (refusal != null) {
      refuse(from, prepare.txn(), refusal, out);
      return;
    }
    if (txn == null) {
      txn = add(prepare.txn());
    }
    store.release(txn);
    txn.stamp = prepare.stamp();
    txn.sets(prepare.readSet(), prepare.writeSet());
    txn.result = store.validate(txn.stamp, txn.reads(), txn.writes(), fenceMicros);
    if (txn.result instanceof PrepareResult.Ok) {
      hold(txn);
    }
    reply(from, txn, out);
    if (out.probing()) {
      out.probe(new Probe.Voted(new ExecutionId(txn.id, 0), voteOf(txn.result)));
    }
  }

  private @Nullable Refusal refusal(TapirMessage.Prepare prepare) {
    for (Read read : prepare.readSet()) {
      if (isElsewhere(read.key())) {
        return Refusal.WRONG_PARTITION;
      }
    }
    for (Write write : prepare.writeSet()) {
      if (isElsewhere(write.key())) {
        return Refusal.WRONG_PARTITION;
      }
    }
    if (prepare.txn().timeMicros() <= fenceMicros) {
      return Refusal.TRUNCATED; // whether it has ended is forgotten
    }
    return prepare.stamp().timeMicros() - nowMicros > options.allowedSkewMicros()
        ? Refusal.CLOCK_AHEAD
        : null;
  }

  private TxnState add(TxnId id) {
    TxnState txn = new TxnState(id);
    transactions.put(id, txn);
    forgettable.add(new Due(txn, nowMicros));
    return txn;
  }

  private void hold(TxnState txn) {
    store.prepare(txn, nowMicros);
    watch(txn);
  }

  private static void reply(Endpoint to, TxnState txn, Effects out) {
    out.send(to, new TapirMessage.PrepareReply(txn.id, txn.stamp, txn.result));
  }

  /** The result as a vote, for observers. */
  private static Vote voteOf(PrepareResult result) {
    return switch (result) {
      case PrepareResult.Ok _ -> Vote.COMMIT;
      case PrepareResult.Abort _ -> new Vote.Abandon(true, Vote.Reason.MISSED_WRITE, List.of());
      case PrepareResult.Abstain _ -> new Vote.Abandon(false, Vote.Reason.MISSED_WRITE, List.of());
      case PrepareResult.Retry _ -> new Vote.Abandon(false, Vote.Reason.WRITE_MISSED, List.of());
    };
  }

  private void onFinalize(Endpoint from, TxnId id, TxnId stamp, Effects out) {
    TxnState txn = transactions.get(id);
    if (txn == null || txn.isDecided() || !txn.stamp.equals(stamp)) {
      return; // its Prepare has not arrived, and will be sent again; or this has been overtaken
    }
    if (!txn.prepared) {
      txn.result = PrepareResult.OK;
      hold(txn);
    }
    out.send(from, new TapirMessage.FinalizeReply(id, stamp));
  }

  // ---- outcomes -------------------------------------------------------------------------------

  private void onCommit(Endpoint from, TxnId id, TxnId stamp, Effects out) {
    TxnState txn = transactions.get(id);
    if (txn == null || !(txn.isDecided() || txn.hasSets())) {
      out.send(from, new TapirMessage.OutcomeReply(id, false));
      return;
    }
    if (!txn.isDecided()) {
      commit(txn, stamp, out);
    }
    out.send(from, new TapirMessage.OutcomeReply(id, true));
  }

  private void onInstall(Endpoint from, TapirMessage.Install install, Effects out) {
    if (out.probing()) {
      out.probe(new Probe.Mark(install.txn(), Probe.Branch.EXECUTION_FETCHED));
    }
    TxnState txn = transactions.get(install.txn());
    if (txn == null && install.txn().timeMicros() > fenceMicros) {
      txn = add(install.txn());
    }
    if (txn == null) {
      // Idempotent, even if the outcome was installed before and then forgotten.
      store.commit(install.stamp(), install.readSet(), install.writeSet(), nowMicros);
    } else if (!txn.isDecided()) {
      store.release(txn);
      txn.sets(install.readSet(), install.writeSet());
      commit(txn, install.stamp(), out);
    }
    out.send(from, new TapirMessage.OutcomeReply(install.txn(), true));
  }

  private void commit(TxnState txn, TxnId stamp, Effects out) {
    store.release(txn);
    store.commit(stamp, txn.reads(), txn.writes(), nowMicros);
    txn.decide(stamp);
    if (out.probing()) {
      out.probe(new Probe.Installed(txn.id, Outcome.commit(0, List.of(self.partition()))));
    }
  }

  private void onAbort(Endpoint from, TxnId id, Effects out) {
    TxnState txn = transactions.get(id);
    if (txn == null && id.timeMicros() > fenceMicros) {
      txn = add(id); // a Prepare that comes late must find it
    }
    if (txn != null && !txn.isDecided()) {
      store.release(txn);
      txn.decide(null);
      if (out.probing()) {
        out.probe(new Probe.Installed(id, Outcome.ABORT));
      }
    }
    out.send(from, new TapirMessage.OutcomeReply(id, true));
  }

  private void onInquire(Endpoint from, TxnId id, Effects out) {
    TxnState txn = transactions.get(id);
    if (txn == null || !txn.isDecided()) {
      return;
    }
    TxnId stamp = txn.committedAt();
    out.send(from, stamp == null ? new TapirMessage.Abort(id) : new TapirMessage.Commit(id, stamp));
  }

  // ---- housekeeping ---------------------------------------------------------------------------

  private void tick(Effects out) {
    fenceMicros = Math.max(fenceMicros, nowMicros - options.retentionMicros());
    store.prune(fenceMicros, nowMicros);
    forget();
    inquire(out);
    out.armTimer(Timer.TICK, options.tickMicros());
  }

  /**
   * Forgets attempts that began before the fence, so that late Prepares are refused. Prepared
   * attempts stay, whatever their age, because only their clients know the outcome.
   */
  private void forget() {
    long dueMicros = nowMicros - options.retentionMicros();
    int due = forgettable.size();
    for (Due head = forgettable.peek();
        head != null && due > 0 && head.sinceMicros <= dueMicros;
        head = forgettable.peek()) {
      due--;
      forgettable.remove();
      TxnState txn = head.txn;
      if (txn.prepared || txn.id.timeMicros() > fenceMicros) {
        forgettable.add(new Due(txn, nowMicros));
      } else {
        transactions.remove(txn.id);
      }
    }
  }

  private void watch(TxnState txn) {
    if (!txn.watched) {
      txn.watched = true;
      watched.add(new Due(txn, nowMicros));
    }
  }

  /** Asks the peers for the outcomes of transactions that have been prepared for too long. */
  private void inquire(Effects out) {
    long dueMicros = nowMicros - options.inquireMicros();
    int due = watched.size();
    for (Due head = watched.peek();
        head != null && due > 0 && (!head.txn.prepared || head.sinceMicros <= dueMicros);
        head = watched.peek()) {
      due--;
      watched.remove();
      TxnState txn = head.txn;
      txn.watched = false;
      if (txn.prepared) {
        askPeers(txn.id, out);
        watch(txn);
      }
    }
  }

  private void askPeers(TxnId txn, Effects out) {
    for (int i = 0; i < topology.replicas(); i++) {
      if (i != self.index()) {
        out.send(new ReplicaId(self.partition(), i), new TapirMessage.Inquire(txn));
      }
    }
    if (out.probing()) {
      out.probe(new Probe.Mark(txn, Probe.Branch.OUTCOME_INQUIRED));
    }
  }

  // ---- checks ---------------------------------------------------------------------------------

  @Override
  public List<TxnId> undecided() {
    ArrayList<TxnId> prepared = new ArrayList<>();
    for (TxnState txn : transactions.values()) {
      if (txn.prepared) {
        prepared.add(txn.id);
      }
    }
    prepared.sort(Comparator.naturalOrder());
    return prepared;
  }

  @Override
  public @Nullable VersionedValue newestCommitted(Key key) {
    TapirKey.Version newest = store.newest(key);
    return newest == null ? null : new VersionedValue(key, newest.id(), newest.value(), true);
  }

  /** The number of transactions with a record. */
  public int records() {
    return transactions.size();
  }

  @Override
  public void checkInvariants() {
    store.checkInvariants();
    for (TxnState txn : transactions.values()) {
      if (txn.prepared && (txn.isDecided() || !txn.hasSets())) {
        throw new IllegalStateException(
            "broken invariant: " + txn.id + " is prepared and decided, or without its sets");
      }
    }
  }
}
