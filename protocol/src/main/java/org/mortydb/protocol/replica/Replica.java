package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Drop;
import org.mortydb.protocol.message.Message.Fetch;
import org.mortydb.protocol.message.Message.FetchReply;
import org.mortydb.protocol.message.Message.Finalize;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.GetReply;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.InquireReply;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.Push;
import org.mortydb.protocol.message.Message.Put;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.Retract;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.recovery.Recoveries;

/**
 * One replica of one partition: serves reads, shows uncommitted writes, pushes newer versions to
 * their readers, votes on executions, accepts outcomes for transactions homed here, and installs
 * them (docs/protocol.md, sections 2 to 4; in the paper: the execution and commit protocols).
 *
 * <p>What it keeps is bounded: decided transactions, superseded versions and committed reads for
 * the retention time, and per key never more than a fixed number of versions. Whatever is at or
 * below the {@link #fence} gets neither answers nor votes, so that forgetting it is safe.
 *
 * <p>A pure machine: see {@link StateMachine} for its thread rule. The first event must be the
 * {@link Timer#TICK}, which arms itself from then on.
 */
public final class Replica implements StateMachine<Effects> {
  private final ReplicaId self;
  private final Topology topology;
  private final ReplicaOptions options;
  private final ReplicaRules rules;
  private final Validator validator;
  private final KeyTable keys = new KeyTable();
  private final HashMap<TxnId, TxnRecord> records = new HashMap<>();
  private final Housekeeping housekeeping;
  private final Recoveries recoveries;

  /** Transactions at or below it are too old to be served. Never falls. */
  private TxnId fence = TxnId.INITIAL;

  private long nowMicros;

  /**
   * @param self which replica this is
   * @param topology the cluster's layout; which replicas are closest is of no interest here
   */
  public Replica(ReplicaId self, Topology topology, ReplicaOptions options, ReplicaRules rules) {
    this.self = self;
    this.topology = topology;
    this.options = options;
    this.rules = rules;
    this.validator = new Validator(rules, this::writerRecord);
    this.housekeeping = new Housekeeping(options, records, keys);
    this.recoveries =
        new Recoveries(
            self, topology, options.inquireMicros(), rules.promisesAtOtherParticipants());
  }

  @Override
  public void step(long now, Event event, Effects out) {
    nowMicros = now;
    switch (event) {
      case Event.Received(Endpoint from, Message message) -> onMessage(from, message, out);
      case Event.TimerFired(Timer timer) -> {
        if (timer == Timer.TICK) {
          onTick(out);
        }
      }
      case Event.Call call -> throw new IllegalArgumentException("a replica takes no " + call);
    }
  }

  private void onMessage(Endpoint from, Message message, Effects out) {
    switch (message) {
      case Get get -> onGet(from, get, out);
      case Put put -> onPut(from, put, out);
      case Retract retract -> onRetract(retract, out);
      case Prepare prepare -> onPrepare(from, prepare, out);
      case Drop drop -> onDrop(drop, out);
      case Finalize finalize -> onFinalize(from, finalize, out);
      case Decide decide -> onDecide(decide, out);
      case Inquire inquire -> onInquire(from, inquire, out);
      case InquireReply reply -> onInquireReply(from, reply);
      case Fetch fetch -> onFetch(from, fetch, out);
      case FetchReply reply -> onFetchReply(reply, out);
      case Recover recover -> onRecover(from, recover, out);
      case RecoverReply reply -> recoveries.onRecoverReply(nowMicros, from, reply, out);
      case FinalizeReply reply -> recoveries.onFinalizeReply(nowMicros, from, reply, out);
      // Answers to a coordinator: a replica has asked for none, so whoever sent them is confused.
      case GetReply ignored -> {}
      case Push ignored -> {}
      case PrepareReply ignored -> {}
      case Refused ignored -> {}
    }
  }

  // ---- execution (section 2) ----------------------------------------------------------------

  private void onGet(Endpoint from, Get get, Effects out) {
    if (refuses(from, get.txn(), out) || refusesKey(from, get.txn(), get.key(), out)) {
      return;
    }
    TxnRecord txn = record(get.txn());
    if (txn.isDecided()) {
      return;
    }
    txn.coordinator = from;
    KeyState key = key(get.key());
    if (txn.id.isBefore(key.floor)) {
      refuse(from, txn.id, Refusal.TRUNCATED, out);
      return;
    }
    VersionedValue visible = Validator.visible(key, txn.id);
    KeyState.Subscription subscription = key.subscriptionOf(txn);
    if (subscription != null && get.request() < subscription.request) {
      return; // overtaken by a newer request for the same read
    }
    if (subscription != null && get.request() > subscription.request) {
      key.unsubscribe(subscription);
      txn.removeSubscription(subscription);
      subscription = null;
    }
    if (subscription == null) {
      subscription = new KeyState.Subscription(txn, key, get.request());
      key.subscribe(subscription);
      txn.addSubscription(subscription);
    }
    subscription.seen = visible.version();
    subscription.seenSettled = visible.settled();
    subscription.sequence++;
    out.send(
        from,
        new GetReply(
            txn.id,
            get.request(),
            subscription.sequence,
            visible.version(),
            visible.value(),
            visible.settled()));
    if (out.probing()) {
      out.probe(new Probe.ReadServed(txn.id, key.key, visible.version(), visible.settled()));
    }
  }

  private void onPut(Endpoint from, Put put, Effects out) {
    Write write = put.write();
    if (refuses(from, put.txn(), out)
        || refusesKey(from, put.txn(), write.key(), out)
        || refusesValue(from, put.txn(), write.value(), out)) {
      return;
    }
    TxnRecord txn = record(put.txn());
    if (txn.isDecided() || txn.isFenced() || txn.isRetracted(write.key(), put.execution())) {
      return;
    }
    txn.coordinator = from;
    if (txn.latest != null && put.execution() <= txn.latest.number()) {
      return; // the Prepare had the whole write set
    }
    moveOn(txn, put.execution(), out);
    KeyState key = key(write.key());
    if (upsert(txn, key, write, put.execution())) {
      tellSubscribers(key, txn.id, out);
    }
  }

  private void onRetract(Retract retract, Effects out) {
    TxnRecord txn = records.get(retract.txn());
    if (isTooOld(retract.txn()) && txn == null) {
      return;
    }
    if (txn == null) {
      if (isAhead(retract.txn())) {
        return;
      }
      txn = record(retract.txn());
    }
    if (txn.isDecided()
        || txn.isFenced()
        || (txn.latest != null && retract.execution() <= txn.latest.number())) {
      return;
    }
    moveOn(txn, retract.execution(), out);
    for (Key name : retract.keys()) {
      txn.retract(name, retract.execution());
      KeyState key = keys.get(name);
      Version version = key == null ? null : key.versions.find(txn.id);
      if (key != null && version != null && version.execution() < retract.execution()) {
        key.versions.remove(txn.id);
        mark(txn.id, Branch.RETRACTED, out);
        tellSubscribers(key, txn.id, out);
        housekeeping.prunable(key, nowMicros);
      }
    }
  }

  /** Adds or replaces the transaction's uncommitted version; false when nothing new was learnt. */
  private boolean upsert(TxnRecord txn, KeyState key, Write write, int execution) {
    Version version = key.versions.find(txn.id);
    if (version == null) {
      key.versions.insert(
          new Version(new WriteId(txn.id, write.valueId()), write.value(), execution));
      txn.addWritten(key);
      return true;
    }
    version.execution(Math.max(execution, version.execution()));
    if (version.id().valueId() >= write.valueId()) {
      return false;
    }
    version.replace(write.valueId(), write.value());
    return true;
  }

  /**
   * Pushes to every subscriber above {@code writer} that should see something else now, because the
   * writer's version appeared, changed, settled or vanished. A version that took the place of one
   * by the same writer is told of when it has settled: a chain of writers that all wait for the
   * first would otherwise run again, each of them, at every change of any of them.
   */
  private void tellSubscribers(KeyState key, TxnId writer, Effects out) {
    List<KeyState.Subscription> subscriptions = key.subscriptions();
    for (int i = 0; i < subscriptions.size(); i++) {
      KeyState.Subscription subscription = subscriptions.get(i);
      TxnRecord reader = subscription.reader;
      if (!reader.id.isAfter(writer) || subscription.seen.writer().isAfter(writer)) {
        continue;
      }
      VersionedValue visible = Validator.visible(key, reader.id);
      if (!isNews(subscription, visible) || reader.coordinator == null) {
        continue;
      }
      subscription.seen = visible.version();
      subscription.seenSettled = visible.settled();
      subscription.sequence++;
      out.send(
          reader.coordinator,
          new Push(
              reader.id,
              subscription.request,
              subscription.sequence,
              visible.version(),
              visible.value(),
              visible.settled()));
      if (out.probing()) {
        out.probe(new Probe.Pushed(reader.id, key.key, visible.version()));
      }
    }
  }

  private static boolean isNews(KeyState.Subscription subscription, VersionedValue visible) {
    if (visible.version().equals(subscription.seen)) {
      return visible.settled() && !subscription.seenSettled;
    }
    return visible.settled() || !visible.version().writer().equals(subscription.seen.writer());
  }

  // ---- prepare and vote (section 3) ---------------------------------------------------------

  private void onPrepare(Endpoint from, Prepare prepare, Effects out) {
    TxnId id = prepare.txn();
    TxnRecord known = records.get(id);
    if (known == null && isTooOld(id)) {
      mark(id, Branch.TRUNCATED_REFUSED, out);
      Vote truncated = new Vote.Abandon(false, Vote.Reason.TRUNCATED, List.of());
      reply(from, prepare.execution(), new PrepareAnswer.Voted(truncated), out);
      return;
    }
    if (isAhead(id)) {
      mark(id, Branch.CLOCK_REFUSED, out);
      Vote ahead = new Vote.Abandon(false, Vote.Reason.CLOCK_AHEAD, List.of());
      reply(from, prepare.execution(), new PrepareAnswer.Voted(ahead), out);
      return;
    }
    if (refusesSets(from, prepare, out)) {
      return;
    }
    TxnRecord txn = known == null ? record(id) : known;
    txn.coordinator = from;
    int number = prepare.execution().number();
    if (txn.outcome != null) {
      mark(id, Branch.STALE_PREPARE_AFTER_DECISION, out);
      if (!txn.installed
          && txn.outcome instanceof Outcome.Commit(int committed, List<Integer> ignored)
          && committed == number) {
        txn.latest =
            executionRecord(number, prepare.reads(), prepare.writes(), prepare.participants());
        installCommit(txn, txn.latest, out);
      }
      reply(from, prepare.execution(), new PrepareAnswer.Decided(txn.outcome), out);
      return;
    }
    boolean repeated = txn.latest != null && txn.latest.number() == number;
    if (repeated && (txn.vote != null || !txn.isFenced())) {
      if (txn.vote != null) { // sent again: one vote for each execution
        holdUntilDurable(out);
        reply(from, prepare.execution(), new PrepareAnswer.Voted(txn.vote), out);
      }
      return;
    }
    if (txn.isFenced()) {
      mark(id, Branch.FENCED, out);
      reply(from, prepare.execution(), new PrepareAnswer.Fenced(txn.promised), out);
      return;
    }
    if (number < txn.execution && rules.supersedes()) {
      mark(id, Branch.SUPERSEDED_PREPARE, out);
      reply(from, prepare.execution(), new PrepareAnswer.Superseded(txn.execution), out);
      return;
    }
    moveOn(txn, number, out);
    ExecutionRecord execution =
        executionRecord(number, prepare.reads(), prepare.writes(), prepare.participants());
    forgetExecution(txn);
    txn.latest = execution;
    txn.vote = null;
    boolean news = showWriteSet(txn, execution, out);
    vote(txn, execution, out);
    if (news && !txn.isPrepared()) {
      // A vote to commit has told of it already, as settled.
      for (KeyState key : execution.writeKeys()) {
        tellSubscribers(key, txn.id, out);
      }
    }
  }

  /**
   * Makes the write set visible, and takes back what an older execution left beside it.
   *
   * @return whether anything was written that was not visible before, and is to be told of
   */
  private boolean showWriteSet(TxnRecord txn, ExecutionRecord execution, Effects out) {
    KeyState[] writeKeys = execution.writeKeys();
    boolean news = false;
    for (int i = 0; i < writeKeys.length; i++) {
      news |= upsert(txn, writeKeys[i], execution.writes().get(i), execution.number());
    }
    if (txn.written().size() <= writeKeys.length) {
      return news;
    }
    for (KeyState key : txn.written()) {
      Version version = key.versions.find(txn.id);
      if (version != null && version.execution() < execution.number()) {
        key.versions.remove(txn.id);
        mark(txn.id, Branch.RETRACTED, out);
        tellSubscribers(key, txn.id, out);
        housekeeping.prunable(key, nowMicros);
      }
    }
    return news;
  }

  /** Votes on the latest execution, or leaves it waiting for a dependency. */
  private void vote(TxnRecord txn, ExecutionRecord execution, Effects out) {
    txn.waitingFor = null;
    if (txn.isFenced()) {
      return; // the coordinator's view ended while the vote was waiting
    }
    Vote vote = validator.validate(txn, execution, fence);
    ExecutionId id = new ExecutionId(txn.id, execution.number());
    if (vote == null) {
      TxnRecord dependency = validator.undecided();
      txn.waitingFor = dependency;
      dependency.addDependent(txn);
      housekeeping.watch(dependency, nowMicros);
      if (out.probing()) {
        out.probe(new Probe.Waiting(id, dependency.id));
      }
      return;
    }
    if (vote.isCommit()) {
      txn.loggedExecution = execution.number();
      out.append(
          new LogRecord.Prepared(
              id, execution.reads(), execution.writes(), execution.participants()));
      prepared(txn, execution, out);
      holdUntilDurable(out);
    } else {
      txn.vote = vote;
    }
    if (out.probing()) {
      out.probe(new Probe.Voted(id, vote));
    }
    if (txn.coordinator != null) {
      reply(txn.coordinator, id, new PrepareAnswer.Voted(vote), out);
    }
  }

  /** From now on the execution counts in what others are validated against. */
  private void prepared(TxnRecord txn, ExecutionRecord execution, Effects out) {
    txn.vote = Vote.COMMIT;
    for (int i = 0; i < execution.readKeys().length; i++) {
      execution.readKeys()[i].addPreparedRead(txn, execution.reads().get(i).version().writer());
    }
    for (KeyState key : execution.writeKeys()) {
      Version version = key.versions.find(txn.id);
      if (version != null) {
        version.status(Version.Status.PREPARED);
        tellSubscribers(key, txn.id, out);
      }
    }
    housekeeping.watch(txn, nowMicros);
  }

  /** Votes, promises and acceptances leave when they are durable (section 8). */
  private void holdUntilDurable(Effects out) {
    if (rules.forcesBeforeAnswering()) {
      out.holdUntilDurable();
    }
  }

  /**
   * Notes that {@code execution} exists. Any message of a higher execution proves that the
   * coordinator gave the lower one up and will never propose it, so a vote on it is taken back.
   */
  private void moveOn(TxnRecord txn, int execution, Effects out) {
    if (execution <= txn.execution) {
      return;
    }
    txn.execution = execution;
    if (txn.latest != null && txn.latest.number() < execution) {
      if (txn.isPrepared()) {
        out.append(new LogRecord.Dropped(txn.id, execution));
      }
      unprepare(txn);
      txn.waitingFor = null;
      txn.vote = new Vote.Abandon(false, Vote.Reason.DROPPED, List.of());
    }
  }

  private void onDrop(Drop drop, Effects out) {
    TxnRecord txn = records.get(drop.txn());
    if (txn == null) {
      if (isTooOld(drop.txn()) || isAhead(drop.txn())) {
        return;
      }
      txn = record(drop.txn());
    }
    int number = drop.execution().number();
    if (txn.isDecided() || txn.isFenced() || number < txn.execution) {
      return;
    }
    if (txn.latest == null || txn.latest.number() < number) {
      mark(txn.id, Branch.DROPPED_BEFORE_PREPARE, out);
    }
    moveOn(txn, number + 1, out);
  }

  /** Takes the standing vote's reads and writes out of what others are validated against. */
  private void unprepare(TxnRecord txn) {
    ExecutionRecord execution = txn.latest;
    if (execution == null || txn.vote == null || !txn.vote.isCommit()) {
      return;
    }
    for (KeyState key : execution.readKeys()) {
      key.removePreparedRead(txn);
    }
    for (KeyState key : execution.writeKeys()) {
      Version version = key.versions.find(txn.id);
      if (version != null && !version.isCommitted()) {
        version.status(Version.Status.EXECUTED);
      }
    }
  }

  // ---- outcome (section 4) ------------------------------------------------------------------

  private void onFinalize(Endpoint from, Finalize finalize, Effects out) {
    TxnRecord txn = records.get(finalize.txn());
    if (txn == null) {
      if (isTooOld(finalize.txn())) {
        refuse(from, finalize.txn(), Refusal.TRUNCATED, out);
        return;
      }
      // An abort is accepted whatever the clocks say: a client that is ahead has to end somehow.
      if (isAhead(finalize.txn()) && finalize.value() instanceof Outcome.Commit) {
        refuse(from, finalize.txn(), Refusal.CLOCK_AHEAD, out);
        return;
      }
      txn = record(finalize.txn());
    }
    if (txn.coordinator == null && from instanceof ClientId && !txn.isDecided()) {
      txn.coordinator = from;
    }
    FinalizeAnswer answer;
    if (txn.outcome != null) {
      answer = new FinalizeAnswer.Decided(txn.outcome);
    } else if (txn.promised.isAbove(finalize.view())) {
      mark(txn.id, Branch.FENCED, out);
      answer = new FinalizeAnswer.Fenced(txn.promised);
    } else {
      if (!finalize.view().equals(txn.acceptedView)) {
        txn.promised = finalize.view();
        txn.acceptedView = finalize.view();
        txn.accepted = finalize.value();
        out.append(new LogRecord.Accepted(txn.id, finalize.view(), finalize.value()));
        housekeeping.watch(txn, nowMicros);
      }
      holdUntilDurable(out);
      answer = new FinalizeAnswer.Accepted();
    }
    out.send(from, new FinalizeReply(txn.id, finalize.view(), answer));
  }

  private void onDecide(Decide decide, Effects out) {
    TxnRecord txn = records.get(decide.txn());
    if (txn == null) {
      boolean aborted = decide.outcome() instanceof Outcome.Abort;
      if (isTooOld(decide.txn()) || (aborted && isAhead(decide.txn()))) {
        return; // forgotten after it was decided, or never served here
      }
      txn = record(decide.txn());
    }
    if (txn.outcome != null) {
      if (!txn.outcome.equals(decide.outcome())) {
        throw new IllegalStateException(
            "I1: " + txn.id + " is " + txn.outcome + " here, told " + decide.outcome());
      }
      return;
    }
    out.append(new LogRecord.Decided(txn.id, decide.outcome()));
    decided(txn, decide.outcome(), out);
    if (txn.outcome instanceof Outcome.Commit(int number, List<Integer> ignored)
        && !txn.installed) {
      fetch(txn, number, out);
    }
  }

  private void decided(TxnRecord txn, Outcome outcome, Effects out) {
    unprepare(txn);
    txn.outcome = outcome;
    recoveries.decided(txn.id);
    txn.waitingFor = null;
    txn.coordinator = null;
    unsubscribe(txn);
    if (out.probing()) {
      out.probe(new Probe.Installed(txn.id, txn.outcome));
    }
    switch (txn.outcome) {
      case Outcome.Abort() -> clearTraces(txn, out);
      case Outcome.Commit(int number, List<Integer> participants) -> {
        ExecutionRecord execution = txn.latest;
        if (!participants.contains(self.partition())) {
          clearTraces(txn, out); // an earlier execution was here, the committed one was not
        } else if (execution != null && execution.number() == number) {
          installCommit(txn, execution, out);
        } else {
          forgetExecution(txn);
          housekeeping.awaitExecution(txn, nowMicros);
        }
      }
    }
  }

  /** Nothing of the transaction remains at this partition. */
  private void clearTraces(TxnRecord txn, Effects out) {
    txn.installed = true;
    removeVersions(txn, out);
    forgetExecution(txn);
    wakeDependents(txn, out);
  }

  private void removeVersions(TxnRecord txn, Effects out) {
    for (KeyState key : txn.written()) {
      Version version = key.versions.find(txn.id);
      if (version != null && !version.isCommitted()) {
        key.versions.remove(txn.id);
        tellSubscribers(key, txn.id, out);
        housekeeping.prunable(key, nowMicros);
      }
    }
    txn.clearWritten();
  }

  private static void unsubscribe(TxnRecord txn) {
    for (KeyState.Subscription subscription : txn.subscriptions()) {
      subscription.key.unsubscribe(subscription);
    }
    txn.clearSubscriptions();
  }

  private static void forgetExecution(TxnRecord txn) {
    if (txn.latest != null) {
      txn.latest.release();
      txn.latest = null;
    }
  }

  private void installCommit(TxnRecord txn, ExecutionRecord execution, Effects out) {
    txn.installed = true;
    if (txn.loggedExecution != execution.number()) {
      txn.loggedExecution = execution.number();
      out.append(
          new LogRecord.Executed(
              new ExecutionId(txn.id, execution.number()),
              execution.reads(),
              execution.writes(),
              execution.participants()));
    }
    KeyState[] writeKeys = execution.writeKeys();
    for (int i = 0; i < writeKeys.length; i++) {
      installWrite(txn, writeKeys[i], execution.writes().get(i), out);
    }
    removeVersions(txn, out);
    for (int i = 0; i < execution.readKeys().length; i++) {
      KeyState key = execution.readKeys()[i];
      key.committedReads().add(execution.reads().get(i).version().writer(), txn.id);
      housekeeping.prunable(key, nowMicros);
    }
    execution.release();
    wakeDependents(txn, out);
  }

  private void installWrite(TxnRecord txn, KeyState key, Write write, Effects out) {
    Version version = key.versions.find(txn.id);
    boolean changed = version == null || version.id().valueId() != write.valueId();
    if (version == null) {
      version = new Version(new WriteId(txn.id, write.valueId()), write.value(), 0);
      key.versions.insert(version);
    } else if (changed) {
      version.replace(write.valueId(), write.value());
    }
    boolean news = changed || !version.isSettled();
    key.versions.commit(version);
    housekeeping.prunable(key, nowMicros);
    TxnId floor = key.versions.pruneTo(options.maxVersionsPerKey());
    if (floor != null) {
      key.floor = floor;
      key.committedReads().dropBelow(floor);
    }
    if (news) {
      tellSubscribers(key, txn.id, out);
    }
  }

  /** Votes now on what waited for this transaction. */
  private void wakeDependents(TxnRecord txn, Effects out) {
    List<TxnRecord> dependents = txn.takeDependents();
    for (int i = 0; i < dependents.size(); i++) {
      TxnRecord dependent = dependents.get(i);
      if (dependent.waitingFor == txn && dependent.latest != null) {
        vote(dependent, dependent.latest, out);
      }
    }
  }

  // ---- recovery (section 5) -----------------------------------------------------------------

  /** Promises a recovery's view, whether or not the transaction is known here. */
  private void onRecover(Endpoint from, Recover recover, Effects out) {
    TxnRecord txn = records.get(recover.txn());
    if (txn == null) {
      if (isTooOld(recover.txn()) || isAhead(recover.txn())) {
        return; // forgotten, or beyond what this replica may vote on
      }
      txn = record(recover.txn());
    }
    RecoverAnswer answer;
    if (txn.outcome != null) {
      answer = new RecoverAnswer.Decided(txn.outcome);
    } else if (txn.promised.isAbove(recover.view())) {
      answer = new RecoverAnswer.Fenced(txn.promised);
    } else {
      if (recover.view().isAbove(txn.promised)) {
        txn.promised = recover.view();
        txn.waitingFor = null; // a vote that still waits is never given
        out.append(new LogRecord.Promised(txn.id, recover.view()));
        housekeeping.watch(txn, nowMicros);
      }
      holdUntilDurable(out);
      answer = promise(txn);
    }
    out.send(from, new RecoverReply(txn.id, recover.view(), answer));
  }

  private static RecoverAnswer promise(TxnRecord txn) {
    RecoverAnswer.Accepted accepted =
        txn.accepted == null || txn.acceptedView == null
            ? null
            : new RecoverAnswer.Accepted(txn.acceptedView, txn.accepted);
    ExecutionRecord latest = txn.latest;
    return latest == null
        ? new RecoverAnswer.Promised(accepted, RecoverAnswer.NO_EXECUTION, false, List.of())
        : new RecoverAnswer.Promised(
            accepted, latest.number(), txn.isPrepared(), latest.participants());
  }

  // ---- learning what was missed -------------------------------------------------------------

  private void onInquire(Endpoint from, Inquire inquire, Effects out) {
    TxnRecord txn = records.get(inquire.txn());
    if (txn != null && txn.outcome != null) {
      out.send(from, new Decide(txn.id, txn.outcome));
    } else {
      out.send(from, new InquireReply(inquire.txn()));
    }
  }

  /** A coordinator that still works on its transaction is not recovered behind its back. */
  private void onInquireReply(Endpoint from, InquireReply reply) {
    TxnRecord txn = records.get(reply.txn());
    if (txn != null && from instanceof ClientId) {
      txn.inquiries = 0;
    }
  }

  private void onFetch(Endpoint from, Fetch fetch, Effects out) {
    TxnRecord txn = records.get(fetch.txn());
    ExecutionRecord execution = txn == null ? null : txn.latest;
    if (execution != null && execution.number() == fetch.execution().number()) {
      out.send(
          from,
          new FetchReply(
              fetch.execution(), execution.reads(), execution.writes(), execution.participants()));
    }
  }

  private void onFetchReply(FetchReply reply, Effects out) {
    TxnRecord txn = records.get(reply.txn());
    int number = reply.execution().number();
    if (txn == null
        || txn.installed
        || !(txn.outcome instanceof Outcome.Commit(int committed, List<Integer> ignored))
        || committed != number) {
      return;
    }
    mark(txn.id, Branch.EXECUTION_FETCHED, out);
    txn.latest = executionRecord(number, reply.reads(), reply.writes(), reply.participants());
    installCommit(txn, txn.latest, out);
  }

  private void fetch(TxnRecord txn, int execution, Effects out) {
    for (int i = 0; i < topology.replicas(); i++) {
      if (i != self.index()) {
        out.send(new ReplicaId(self.partition(), i), new Fetch(new ExecutionId(txn.id, execution)));
      }
    }
  }

  private void onTick(Effects out) {
    out.armTimer(Timer.TICK, options.tickMicros());
    long fenceMicros = nowMicros - options.retentionMicros();
    if (fenceMicros > fence.timeMicros()) {
      fence = new TxnId(fenceMicros, Long.MAX_VALUE, 0);
      out.append(new LogRecord.Fenced(fence));
    }
    housekeeping.prune(fence, nowMicros);
    ArrayList<TxnRecord> expired = housekeeping.dropOld(fence, nowMicros);
    for (TxnRecord txn : expired) {
      clearExecuted(txn, out);
    }
    for (TxnRecord txn : housekeeping.undecided(nowMicros)) {
      if (txn.inquiries++ > 0) {
        recoveries.begin(txn.id, nowMicros, out);
        continue;
      }
      mark(txn.id, Branch.OUTCOME_INQUIRED, out);
      if (txn.coordinator instanceof ClientId) {
        out.send(txn.coordinator, new Inquire(txn.id));
      }
      for (int i = 0; i < topology.replicas(); i++) {
        ReplicaId home = new ReplicaId(txn.id.home(), i);
        if (!home.equals(self)) {
          out.send(home, new Inquire(txn.id));
        }
      }
    }
    recoveries.onTick(nowMicros, out);
    for (TxnRecord txn : housekeeping.missingExecution(nowMicros)) {
      if (txn.outcome instanceof Outcome.Commit(int execution, List<Integer> ignored)) {
        fetch(txn, execution, out);
      }
    }
  }

  /**
   * Clears what a transaction below the fence has merely executed here: it can get no vote any
   * more, and if others commit it, its execution is fetched from them.
   */
  private void clearExecuted(TxnRecord txn, Effects out) {
    unsubscribe(txn);
    removeVersions(txn, out);
    forgetExecution(txn);
    // Those that wait for it look again: the version that they read is gone from here.
    wakeDependents(txn, out);
  }

  // ---- restart (section 8) ------------------------------------------------------------------

  /**
   * Takes one record of the replica's checkpoint or log, in their order, before its first event.
   *
   * @param now the host's clock in microseconds
   */
  public void restore(long now, LogRecord logged) {
    nowMicros = now;
    switch (logged) {
      case LogRecord.Prepared(ExecutionId id, var reads, var writes, var participants) -> {
        TxnRecord txn = restored(id.txn());
        if (txn.isDecided()) {
          restoreExecuted(txn, id.number(), reads, writes, participants);
        } else if (txn.latest == null || txn.latest.number() < id.number()) {
          unprepare(txn);
          forgetExecution(txn);
          txn.execution = Math.max(txn.execution, id.number());
          txn.loggedExecution = id.number();
          txn.latest = executionRecord(id.number(), reads, writes, participants);
          showWriteSet(txn, txn.latest, Unheard.INSTANCE);
          prepared(txn, txn.latest, Unheard.INSTANCE);
        }
      }
      case LogRecord.Dropped(TxnId id, int execution) -> {
        TxnRecord txn = restored(id);
        if (!txn.isDecided()) {
          moveOn(txn, execution, Unheard.INSTANCE);
        }
      }
      case LogRecord.Promised(TxnId id, View view) -> {
        TxnRecord txn = restored(id);
        if (view.isAbove(txn.promised)) {
          txn.promised = view;
        }
        housekeeping.watch(txn, nowMicros);
      }
      case LogRecord.Accepted(TxnId id, View view, Outcome value) -> {
        TxnRecord txn = restored(id);
        if (!txn.promised.isAbove(view)) {
          txn.promised = view;
          txn.acceptedView = view;
          txn.accepted = value;
        }
        housekeeping.watch(txn, nowMicros);
      }
      case LogRecord.Decided(TxnId id, Outcome outcome) -> {
        TxnRecord txn = restored(id);
        if (!txn.isDecided()) {
          decided(txn, outcome, Unheard.INSTANCE);
        }
      }
      case LogRecord.Executed(ExecutionId id, var reads, var writes, var participants) ->
          restoreExecuted(restored(id.txn()), id.number(), reads, writes, participants);
      case LogRecord.Fenced(TxnId logFence) -> {
        if (logFence.isAfter(fence)) {
          fence = logFence;
        }
      }
      case LogRecord.Truncated ignored -> {}
      case LogRecord.Version(Key name, WriteId id, Value value) -> {
        KeyState key = key(name);
        if (key.versions.find(id.writer()) == null) {
          Version version = new Version(id, value, 0);
          key.versions.insert(version);
          key.versions.commit(version);
        }
      }
      case LogRecord.Floor(Key name, TxnId floor) -> {
        KeyState key = key(name);
        if (floor.isAfter(key.floor)) {
          key.floor = floor;
        }
      }
    }
  }

  private TxnRecord restored(TxnId id) {
    TxnRecord txn = record(id);
    txn.coordinator = new ClientId(id.clientId());
    return txn;
  }

  private void restoreExecuted(
      TxnRecord txn, int number, List<Read> reads, List<Write> writes, List<Integer> participants) {
    if (!txn.installed
        && txn.outcome instanceof Outcome.Commit(int committed, List<Integer> ignored)
        && committed == number) {
      txn.loggedExecution = number;
      txn.latest = executionRecord(number, reads, writes, participants);
      installCommit(txn, txn.latest, Unheard.INSTANCE);
    }
  }

  /**
   * Copies the committed versions of some keys: of those in the slots from {@code slot} on.
   *
   * <p>Calls with the slots returned, from 0 on, and steps of this replica between them, give every
   * version that was committed before the first call, unless a newer one has superseded it.
   *
   * @param limit the most slots to look at, positive
   * @return the slot to go on from, or -1 at the end
   */
  public int copyVersions(int slot, int limit, Consumer<LogRecord> to) {
    int end = (int) Math.min(keys.slots(), (long) slot + limit);
    for (int i = slot; i < end; i++) {
      KeyState key = keys.at(i);
      if (key != null) {
        key.copy(to);
      }
    }
    return end < keys.slots() ? end : -1;
  }

  /**
   * Copies what a log that begins now less {@code logMicros} would not tell: the fence, and
   * transactions older than that which are still of concern.
   *
   * @param logMicros how far back the log that is kept reaches, in microseconds; longer than the
   *     retention time
   */
  public void copyOldRecords(long logMicros, Consumer<LogRecord> to) {
    for (TxnRecord txn : housekeeping.createdBefore(nowMicros - logMicros)) {
      txn.copy(to);
    }
    to.accept(new LogRecord.Fenced(fence));
  }

  // ---- refusing -----------------------------------------------------------------------------

  /** Below the fence: what this replica knew of it may be forgotten. */
  private boolean isTooOld(TxnId txn) {
    return !txn.isAfter(fence);
  }

  /** A safety rule (section 8): no vote beyond the clock and the allowed skew. */
  private boolean isAhead(TxnId txn) {
    return txn.timeMicros() > nowMicros + options.allowedSkewMicros();
  }

  private boolean refuses(Endpoint from, TxnId txn, Effects out) {
    if (isAhead(txn)) {
      mark(txn, Branch.CLOCK_REFUSED, out);
      refuse(from, txn, Refusal.CLOCK_AHEAD, out);
      return true;
    }
    if (isTooOld(txn)) {
      TxnRecord known = records.get(txn);
      if (known == null || !known.isDecided()) {
        mark(txn, Branch.TRUNCATED_REFUSED, out);
        refuse(from, txn, Refusal.TRUNCATED, out);
      }
      return true;
    }
    return false;
  }

  private boolean refusesKey(Endpoint from, TxnId txn, Key key, Effects out) {
    if (topology.partitionOf(key) != self.partition()) {
      refuse(from, txn, Refusal.WRONG_PARTITION, out);
      return true;
    }
    if (key.size() > Limits.MAX_KEY_BYTES) {
      refuse(from, txn, Refusal.OVERSIZED, out);
      return true;
    }
    return false;
  }

  private boolean refusesValue(Endpoint from, TxnId txn, Value value, Effects out) {
    if (value.size() > Limits.MAX_VALUE_BYTES) {
      refuse(from, txn, Refusal.OVERSIZED, out);
      return true;
    }
    return false;
  }

  private boolean refusesSets(Endpoint from, Prepare prepare, Effects out) {
    List<Read> reads = prepare.reads();
    long bytes = 0;
    for (int i = 0; i < prepare.writes().size(); i++) {
      Write write = prepare.writes().get(i);
      bytes += write.key().size() + write.value().size();
    }
    boolean operations =
        reads.size() > Limits.MAX_OPERATIONS || prepare.writes().size() > Limits.MAX_OPERATIONS;
    if (operations || bytes > Limits.MAX_WRITE_SET_BYTES) {
      refuse(from, prepare.txn(), Refusal.OVERSIZED, out);
      return true;
    }
    for (int i = 0; i < reads.size(); i++) {
      if (refusesKey(from, prepare.txn(), reads.get(i).key(), out)) {
        return true;
      }
    }
    List<Write> writes = prepare.writes();
    for (int i = 0; i < writes.size(); i++) {
      if (refusesKey(from, prepare.txn(), writes.get(i).key(), out)
          || refusesValue(from, prepare.txn(), writes.get(i).value(), out)) {
        return true;
      }
    }
    return false;
  }

  private void refuse(Endpoint to, TxnId txn, Refusal reason, Effects out) {
    out.send(to, new Refused(txn, reason, nowMicros));
  }

  // ---- helpers ------------------------------------------------------------------------------

  private static void reply(Endpoint to, ExecutionId execution, PrepareAnswer answer, Effects out) {
    out.send(to, new PrepareReply(execution, answer));
  }

  private static void mark(TxnId txn, Branch branch, Effects out) {
    if (out.probing()) {
      out.probe(new Probe.Mark(txn, branch));
    }
  }

  private KeyState key(Key name) {
    KeyState key = keys.get(name);
    if (key == null) {
      key = new KeyState(name);
      keys.add(key);
      housekeeping.prunable(key, nowMicros);
    }
    return key;
  }

  private ExecutionRecord executionRecord(
      int number, List<Read> reads, List<Write> writes, List<Integer> participants) {
    return new ExecutionRecord(
        number, reads, writes, participants, readKeys(reads), writeKeys(writes));
  }

  private KeyState[] readKeys(List<Read> reads) {
    KeyState[] states = new KeyState[reads.size()];
    for (int i = 0; i < states.length; i++) {
      states[i] = key(reads.get(i).key());
    }
    return states;
  }

  private KeyState[] writeKeys(List<Write> writes) {
    KeyState[] states = new KeyState[writes.size()];
    for (int i = 0; i < states.length; i++) {
      states[i] = key(writes.get(i).key());
    }
    return states;
  }

  private TxnRecord record(TxnId id) {
    TxnRecord txn = records.get(id);
    if (txn == null) {
      txn = new TxnRecord(id, nowMicros);
      records.put(id, txn);
      housekeeping.created(txn);
    }
    return txn;
  }

  private @Nullable TxnRecord writerRecord(TxnId id) {
    TxnRecord txn = records.get(id);
    return txn == null && !isTooOld(id) ? record(id) : txn;
  }

  // ---- inspection ---------------------------------------------------------------------------

  /** The outcome that this replica knows of, or null. For tests and tools. */
  public @Nullable Outcome outcomeOf(TxnId txn) {
    TxnRecord known = records.get(txn);
    return known == null ? null : known.outcome;
  }

  /** Whether this replica holds the execution, by a standing vote or as committed (I2). */
  public boolean holds(ExecutionId execution) {
    TxnRecord txn = records.get(execution.txn());
    if (txn == null || txn.latest == null || txn.latest.number() != execution.number()) {
      return false;
    }
    return txn.isPrepared() || (txn.installed && !txn.isAborted());
  }

  /** Transactions that hold a vote or accepted outcome here and are not decided, in id order. */
  public List<TxnId> undecided() {
    ArrayList<TxnId> open = new ArrayList<>();
    for (TxnRecord txn : records.values()) {
      if (txn.isPrepared() || (txn.accepted != null && !txn.isDecided())) {
        open.add(txn.id);
      }
    }
    open.sort(null);
    return open;
  }

  /** The newest committed value of a key here, or null when the key is not known. */
  public @Nullable VersionedValue newestCommitted(Key name) {
    KeyState key = keys.get(name);
    if (key == null) {
      return null;
    }
    for (int i = key.versions.size() - 1; i >= 0; i--) {
      Version version = key.versions.get(i);
      if (version.isCommitted()) {
        return new VersionedValue(name, version.id(), version.value(), true);
      }
    }
    return null;
  }

  /** How much this replica keeps. */
  public Census census() {
    return new Census(keys.size(), records.size(), fence.timeMicros());
  }

  /**
   * How much a replica keeps.
   *
   * @param keys keys with any state
   * @param transactions transactions with a record
   * @param fenceMicros the fence's time
   */
  public record Census(int keys, int transactions, long fenceMicros) {}

  /**
   * Checks the whole state against its invariants.
   *
   * @throws IllegalStateException naming the first one that is broken
   */
  public void checkInvariants() {
    new InvariantCheck(records, keys).run();
  }
}
