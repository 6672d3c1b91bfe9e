package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.Arrays;
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
import org.mortydb.protocol.message.Message.Behind;
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
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.message.Message.TruncateAck;
import org.mortydb.protocol.message.Message.TruncateCommit;
import org.mortydb.protocol.message.Message.TruncatePrepare;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.message.Message.Watermark;
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
  /** What one round of truncation covers at most, so that its messages and steps stay short. */
  private static final long MAX_TRUNCATED_MICROS = 1_000_000;

  private static final int MAX_COPIED_SLOTS = 512;
  private static final long MAX_COPIED_BYTES = 1 << 20;
  private static final int MAX_COPIED_OUTCOMES = 5_000;

  private final ReplicaId self;
  private final Topology topology;
  private final ReplicaOptions options;
  private final ReplicaRules rules;
  private final Validator validator;
  private final KeyTable keys = new KeyTable();
  private final RecordTable records = new RecordTable();
  private final Housekeeping housekeeping;
  private final Recoveries recoveries;

  private final Truncation truncation;

  /** Transactions at or below it are too old to be served. Never falls. */
  private TxnId fence = TxnId.INITIAL;

  /** Everything at or below it is decided, and known here. Never falls, never above the fence. */
  private TxnId watermark = TxnId.INITIAL;

  /** Outcomes at or below it are not kept any more. Never falls, never above the watermark. */
  private TxnId forgotten = TxnId.INITIAL;

  /** The executions of transactions at or below it are not kept any more. */
  private TxnId executionsForgotten = TxnId.INITIAL;

  /** The watermark that f+1 replicas have reached, by partition. */
  private final TxnId[] watermarks;

  private long advancedMicros;

  /** The truncation whose commits are not all installed here yet. */
  private @Nullable Applying applying;

  /** A copy of a peer's versions that is under way. */
  private @Nullable Copying copying;

  /** Copied versions whose writers are still open here. */
  private final ArrayList<Message.CopiedVersion> deferred = new ArrayList<>();

  private @Nullable Founding founding;
  private @Nullable Rejoining rejoining;

  /** The incarnations that this replica has locked on to found the partition; or empty. */
  private List<Long> lock = List.of();

  private boolean served;
  private boolean forgetful;
  private boolean restoring;
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
    this.truncation = new Truncation(self, topology.f(), new Settling(), true);
    this.watermarks = new TxnId[topology.partitions()];
    Arrays.fill(watermarks, TxnId.INITIAL);
  }

  @Override
  public void step(long now, Event event, Effects out) {
    nowMicros = now;
    restoring = false;
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
    if (rejoining != null && !concernsJoining(message)) {
      if (message instanceof Get || message instanceof Put) {
        refuse(from, message.txn(), Refusal.NOT_SERVING, out);
      }
      return;
    }
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
      case TruncatePrepare prepare -> onTruncatePrepare(from, prepare, out);
      case TruncateReply reply -> onTruncateReply(from, reply, out);
      case TruncateCommit commit -> onTruncateCommit(from, commit, out);
      case TruncateAck ack -> onTruncateAck(from, ack, out);
      case Watermark reached -> onWatermark(reached);
      case Behind behind -> fellBehind(from, behind.txn(), out);
      case Copy copy -> onCopy(from, copy, out);
      case CopyReply reply -> onCopyReply(from, reply, out);
      case CopyOutcomes copy -> onCopyOutcomes(from, copy, out);
      case CopyOutcomesReply reply -> onCopyOutcomesReply(from, reply, out);
      case Found found -> onFound(from, found, out);
      // Answers to a coordinator: a replica has asked for none, so whoever sent them is confused.
      case GetReply ignored -> {}
      case Push ignored -> {}
      case PrepareReply ignored -> {}
      case Refused ignored -> {}
      case Message.Baseline ignored -> {}
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
    if (version.isCommitted() || version.id().valueId() >= write.valueId()) {
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
      out.append(execution.prepared(txn.id));
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
      // A restored log can be older than the checkpoint below it, which has the commit already.
      if (version != null && !version.isCommitted()) {
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
      if (isTruncated(finalize.txn())) {
        if (isForgottenAbort(finalize.txn(), out)) {
          FinalizeAnswer aborted = new FinalizeAnswer.Decided(Outcome.ABORT);
          out.send(from, new FinalizeReply(finalize.txn(), finalize.view(), aborted));
        } else if (!tellsBehind(from, finalize.txn(), out)) {
          refuse(from, finalize.txn(), Refusal.TRUNCATED, out);
        }
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
      if (isTruncated(decide.txn()) || (aborted && isAhead(decide.txn()))) {
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
    learn(txn, outcome, out);
    switch (outcome) {
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

  /** Notes the outcome, and ends whatever was under way for its sake. */
  private void learn(TxnRecord txn, Outcome outcome, Effects out) {
    unprepare(txn);
    txn.outcome = outcome;
    recoveries.decided(txn.id);
    txn.waitingFor = null;
    txn.coordinator = null;
    unsubscribe(txn);
    if (out.probing()) {
      out.probe(new Probe.Installed(txn.id, outcome));
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
      out.append(execution.executed(txn.id));
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
      if (isAhead(recover.txn())) {
        return; // beyond what this replica may vote on
      }
      if (isTruncated(recover.txn())) {
        onRecoverForgotten(from, recover, out);
        return;
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

  private void onRecoverForgotten(Endpoint from, Recover recover, Effects out) {
    RecoverAnswer answer;
    if (isForgottenAbort(recover.txn(), out)) {
      answer = new RecoverAnswer.Decided(Outcome.ABORT);
    } else if (neverCommittedHere(recover.txn()) && recover.txn().home() != self.partition()) {
      // Below the fence there is no vote and never will be one: that promise needs no record.
      answer = new RecoverAnswer.Promised(null, RecoverAnswer.NO_EXECUTION, false, List.of());
    } else {
      tellsBehind(from, recover.txn(), out);
      return;
    }
    out.send(from, new RecoverReply(recover.txn(), recover.view(), answer));
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
    } else if (txn == null && isForgottenAbort(inquire.txn(), out)) {
      out.send(from, new Decide(inquire.txn(), Outcome.ABORT));
    } else if (txn != null || !tellsBehind(from, inquire.txn(), out)) {
      out.send(from, new InquireReply(inquire.txn()));
    }
  }

  /** A coordinator that still works on its transaction is not recovered behind its back. */
  private void onInquireReply(Endpoint from, InquireReply reply) {
    TxnRecord txn = records.get(reply.txn());
    if (txn != null && from instanceof ClientId && !txn.isFenced()) {
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
    } else {
      tellsBehind(from, fetch.txn(), out);
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
    if (rejoining != null) {
      if (forgetful) {
        forgetful = false;
        out.append(new LogRecord.Serving(false));
        out.append(new LogRecord.Locked(List.of()));
      }
      rejoining.onTick(out);
    } else {
      truncate(out);
    }
    if (copying != null && !copying.onTick(nowMicros, options.inquireMicros(), out)) {
      copyFromNext(out);
    }
    housekeeping.prune(fence, nowMicros);
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

  // ---- truncation (section 6) ---------------------------------------------------------------

  /** The commits below a watermark that are not all installed here yet. */
  private record Applying(ReplicaId proposer, TxnId watermark, ArrayList<TxnId> missing) {}

  /** Runs the rounds that this replica proposes, and what it has to do for those of others. */
  private void truncate(Effects out) {
    long interval = truncateMicros();
    truncation.onTick(nowMicros, options.inquireMicros(), out);
    apply(out);
    if (advancedMicros == 0) {
      advancedMicros = nowMicros;
    }
    // The first replica proposes; the others step in, one after the other, when nothing goes on.
    long patience = interval * (1 + 4L * self.index());
    if (copying != null || applying != null || nowMicros - advancedMicros < patience) {
      return;
    }
    if (!truncation.isIdle() && nowMicros - advancedMicros < 20 * interval) {
      return;
    }
    long bucket = RecordTable.BUCKET_MICROS;
    long from = Math.max(watermark.timeMicros(), Math.min(records.oldestMicros(), nowMicros));
    long target =
        Math.min(nowMicros - options.retentionMicros(), from + MAX_TRUNCATED_MICROS)
            / bucket
            * bucket;
    if (target - 1 <= watermark.timeMicros()) {
      return;
    }
    if (self.index() > 0) {
      mark(watermark, Branch.TRUNCATION_TAKEN_OVER, out);
    }
    advancedMicros = nowMicros - patience + interval; // the next attempt, if this one fails
    truncation.propose(
        new TxnId(target - 1, Long.MAX_VALUE, 0), nowMicros, options.inquireMicros(), out);
  }

  private long truncateMicros() {
    return Math.max(options.tickMicros(), options.retentionMicros() / 30);
  }

  private void fence(TxnId newFence, Effects out) {
    if (newFence.isAfter(fence)) {
      fence = newFence;
      out.append(new LogRecord.Fenced(fence));
    }
  }

  private void onTruncatePrepare(Endpoint from, TruncatePrepare prepare, Effects out) {
    TxnId asked = prepare.watermark();
    if (rules.fencesWhenTruncating()) {
      fence(asked, out);
    }
    ArrayList<Standing> standings = new ArrayList<>();
    for (TxnRecord txn : records.between(watermark, asked)) {
      if (txn.isDecided() || txn.isPrepared() || txn.isFenced()) {
        standings.add(new Standing(txn.id, txn.outcome));
      }
    }
    if (asked.timeMicros() > nowMicros) {
      for (TxnRecord txn : records.above(asked)) {
        if (txn.accepted != null && !txn.isDecided()) {
          standings.add(new Standing(txn.id, null));
        }
      }
    }
    holdUntilDurable(out);
    out.send(from, new TruncateReply(asked, watermark, standings));
  }

  private void onTruncateReply(Endpoint from, TruncateReply reply, Effects out) {
    if (from instanceof ReplicaId replica) {
      (rejoining == null ? truncation : rejoining.truncation).onReply(replica, reply, out);
    }
  }

  /** What a round asks of this replica, whether it serves or joins. */
  private final class Settling implements Truncation.Host {
    @Override
    public TxnId base() {
      return watermark;
    }

    @Override
    public void settle(Standing standing, Effects out) {
      Outcome outcome = standing.outcome();
      record(standing.txn());
      if (outcome != null) {
        onDecide(new Decide(standing.txn(), outcome), out);
      } else {
        mark(standing.txn(), Branch.TRUNCATION_RECOVERS, out);
        recoveries.begin(standing.txn(), nowMicros, out);
      }
    }

    @Override
    public boolean isSettled(TxnId id) {
      if (isTruncated(id)) {
        return true; // another proposer was faster
      }
      TxnRecord txn = records.get(id);
      return txn != null && txn.isDecided() && (txn.installed || rejoining != null);
    }

    @Override
    public @Nullable Outcome outcomeOf(TxnId id) {
      TxnRecord txn = records.get(id);
      return txn == null ? null : txn.outcome;
    }

    @Override
    public @Nullable List<Standing> commits(TxnId from, TxnId to) {
      if (rejoining != null || from.isBefore(executionsForgotten)) {
        return null;
      }
      ArrayList<Standing> commits = new ArrayList<>();
      for (TxnRecord txn : records.between(from, to)) {
        if (txn.outcome instanceof Outcome.Commit(int ignored, List<Integer> participants)
            && participants.contains(self.partition())) {
          commits.add(new Standing(txn.id, txn.outcome));
        }
      }
      return commits;
    }

    @Override
    public void fellBehind(ReplicaId peer, TxnId reached, Effects out) {
      Replica.this.fellBehind(peer, reached, out);
    }
  }

  private void onTruncateCommit(Endpoint from, TruncateCommit commit, Effects out) {
    if (!(from instanceof ReplicaId proposer)) {
      return;
    }
    if (!commit.watermark().isAfter(watermark)) {
      holdUntilDurable(out);
      out.send(from, new TruncateAck(commit.watermark()));
      return;
    }
    if (commit.base().isAfter(watermark)) {
      // The proposer may have kept what was missed; if not, it says so.
      out.send(proposer, new TruncateReply(commit.watermark(), watermark, List.of()));
      return;
    }
    if (applying != null && applying.watermark().isAfter(commit.watermark())) {
      return;
    }
    fence(commit.watermark(), out);
    ArrayList<TxnId> missing = new ArrayList<>();
    for (Standing standing : commit.commits()) {
      if (standing.txn().isAfter(watermark) && standing.outcome() != null) {
        onDecide(new Decide(standing.txn(), standing.outcome()), out);
        missing.add(standing.txn());
      }
    }
    applying = new Applying(proposer, commit.watermark(), missing);
    apply(out);
    if (applying != null) {
      mark(commit.watermark(), Branch.TRUNCATION_FETCHES, out);
    }
  }

  /** Reaches the watermark when all that is committed below it is installed. */
  private void apply(Effects out) {
    if (applying == null) {
      return;
    }
    applying
        .missing()
        .removeIf(
            id -> {
              TxnRecord txn = records.get(id);
              return txn != null && txn.installed;
            });
    if (!applying.missing().isEmpty()) {
      return;
    }
    ReplicaId proposer = applying.proposer();
    TxnId reached = applying.watermark();
    applying = null;
    if (reached.isAfter(watermark)) {
      reach(reached, out);
    }
    holdUntilDurable(out);
    out.send(proposer, new TruncateAck(reached));
  }

  /** Everything at or below the watermark is installed, or can never commit. */
  private void reach(TxnId reached, Effects out) {
    dropUndecided(reached, out);
    watermark = reached;
    advancedMicros = nowMicros;
    if (out.probing()) {
      out.probe(new Probe.Truncated(watermark));
    }
    // Executions are kept a while longer than need be: a peer that is a little late fetches them.
    long executionsMicros = watermark.timeMicros() - options.retentionMicros() / 3;
    forget(new TxnId(Math.max(0, executionsMicros), Long.MAX_VALUE, 0));
    out.append(new LogRecord.Truncated(watermark, forgotten));
  }

  /**
   * Forgets executions, and those outcomes that no partition can ask for any more, nor any client
   * that is still within its deadline.
   */
  private void forget(TxnId executions) {
    long agedMicros = Math.max(0, nowMicros - options.retentionMicros());
    TxnId outcomes = new TxnId(agedMicros, Long.MAX_VALUE, 0);
    TxnId everywhere = everywhere();
    outcomes = everywhere.isBefore(outcomes) ? everywhere : outcomes;
    outcomes = executions.isBefore(outcomes) ? executions : outcomes;
    forgotten = outcomes.isAfter(forgotten) ? outcomes : forgotten;
    executionsForgotten =
        executions.isAfter(executionsForgotten) ? executions : executionsForgotten;
    records.removeIf(
        executions,
        txn -> {
          forgetExecution(txn);
          return !txn.id.isAfter(forgotten);
        });
  }

  /** Clears what was neither committed nor aborted at or below a watermark: it can never commit. */
  private void dropUndecided(TxnId reached, Effects out) {
    ArrayList<TxnRecord> dropped = new ArrayList<>();
    records.removeIf(
        reached,
        txn -> {
          if (!txn.installed) {
            dropped.add(txn);
          }
          return !txn.installed;
        });
    for (TxnRecord txn : dropped) {
      if (txn.isPrepared()) {
        mark(txn.id, Branch.TRUNCATION_DROPS, out);
      }
      unprepare(txn);
      txn.vote = null;
      txn.waitingFor = null;
      recoveries.decided(txn.id);
      unsubscribe(txn);
      removeVersions(txn, out);
      forgetExecution(txn);
    }
    // Those that waited for one of them look again: the version that they read is gone from here.
    for (TxnRecord txn : dropped) {
      wakeDependents(txn, out);
    }
  }

  private TxnId everywhere() {
    TxnId lowest = watermarks[0];
    for (TxnId reached : watermarks) {
      if (reached.isBefore(lowest)) {
        lowest = reached;
      }
    }
    return lowest;
  }

  private void onTruncateAck(Endpoint from, TruncateAck ack, Effects out) {
    if (from instanceof ReplicaId replica) {
      Truncation round = rejoining == null ? truncation : rejoining.truncation;
      round.onAck(replica, ack, topology.partitions(), out);
    }
  }

  private void onWatermark(Watermark reached) {
    int partition = reached.partition();
    if (partition >= 0
        && partition < watermarks.length
        && reached.watermark().isAfter(watermarks[partition])) {
      watermarks[partition] = reached.watermark();
    }
  }

  /** Whether all that can be said of the transaction is in the watermark. */
  private boolean isTruncated(TxnId txn) {
    return !txn.isAfter(watermark);
  }

  /**
   * Whether a transaction without a record has not committed for certain, as far as this partition
   * took part in it: if it had, this replica would have the outcome still.
   */
  private boolean neverCommittedHere(TxnId txn) {
    return isTruncated(txn) && txn.isAfter(forgotten);
  }

  /** Whether a transaction without a record has aborted for certain: it is homed here. */
  private boolean isForgottenAbort(TxnId txn, Effects out) {
    boolean aborted = txn.home() == self.partition() && neverCommittedHere(txn);
    if (aborted) {
      mark(txn, Branch.FORGOTTEN_ABORT_TOLD, out);
    }
    return aborted;
  }

  // ---- catching up (section 6) --------------------------------------------------------------

  /** Tells a replica whose own partition has a watermark above a transaction that it asks about. */
  private boolean tellsBehind(Endpoint to, TxnId txn, Effects out) {
    boolean isBehind =
        to instanceof ReplicaId replica
            && (!txn.isAfter(everywhere())
                || (isTruncated(txn) && replica.partition() == self.partition()));
    if (isBehind) {
      out.send(to, new Behind(txn, watermark));
    }
    return isBehind;
  }

  /**
   * This replica's partition has a watermark above its own: what came of that is copied from a peer
   * that has reached it.
   */
  private void fellBehind(Endpoint peer, TxnId reached, Effects out) {
    if (rejoining == null
        && copying == null
        && reached.isAfter(watermark)
        && peer instanceof ReplicaId replica) {
      mark(reached, Branch.BEHIND, out);
      truncation.abandon();
      applying = null;
      // Whoever spoke may be of another partition: any peer that is as far will do.
      int index =
          replica.partition() == self.partition() && replica.index() != self.index()
              ? replica.index()
              : (self.index() + 1) % topology.replicas();
      copyFrom(index, reached, out);
    }
  }

  private void copyFrom(int index, TxnId needed, Effects out) {
    deferred.clear();
    copying = new Copying(new ReplicaId(self.partition(), index), needed);
    copying.ask(nowMicros, options.inquireMicros(), out);
  }

  private void copyFromNext(Effects out) {
    Copying failed = copying;
    if (rejoining != null) {
      copying = null;
      rejoining.again(out);
    } else if (failed != null) {
      int next = (failed.peer().index() + 1) % topology.replicas();
      copyFrom(
          next == self.index() ? (next + 1) % topology.replicas() : next, failed.needed(), out);
    }
  }

  private void onCopy(Endpoint from, Copy copy, Effects out) {
    if (copy.slot() < 0) {
      return;
    }
    ArrayList<Message.CopiedVersion> part = new ArrayList<>();
    long bytes = 0;
    int slot = copy.slot();
    while (slot < keys.slots()
        && slot < copy.slot() + MAX_COPIED_SLOTS
        && bytes < MAX_COPIED_BYTES) {
      KeyState key = keys.at(slot++);
      Message.CopiedVersion newest = key == null ? null : key.newestCommitted(watermark);
      if (newest != null) {
        bytes += newest.key().size() + newest.value().size();
        part.add(newest);
      }
    }
    int next = slot < keys.slots() ? slot : -1;
    out.send(from, new CopyReply(copy.slot(), next, watermark, part));
  }

  private void onCopyReply(Endpoint from, CopyReply reply, Effects out) {
    Copying current = copying;
    if (current == null
        || !(from instanceof ReplicaId replica)
        || !current.expects(replica, reply)) {
      return;
    }
    if (!current.isGoodEnough(reply)) {
      copyFromNext(out);
      return;
    }
    for (Message.CopiedVersion copied : reply.versions()) {
      out.append(new LogRecord.Version(copied.key(), copied.version(), copied.value()));
      KeyState key = key(copied.key());
      if (copied.floor().isAfter(key.floor)) {
        key.floor = copied.floor();
        out.append(new LogRecord.Floor(copied.key(), copied.floor()));
      }
      TxnRecord writer = records.get(copied.version().writer());
      if (writer != null && !writer.installed) {
        deferred.add(copied);
      } else if (installCopied(key, copied.version(), copied.value())) {
        tellSubscribers(key, copied.version().writer(), out);
      }
    }
    current.advance(reply, nowMicros, options.inquireMicros(), out);
  }

  private void onCopyOutcomes(Endpoint from, CopyOutcomes copy, Effects out) {
    TxnId end = records.after(copy.after(), MAX_COPIED_OUTCOMES);
    boolean isLast = !end.isBefore(watermark);
    ArrayList<Standing> outcomes = new ArrayList<>();
    for (TxnRecord txn : records.between(copy.after(), isLast ? watermark : end)) {
      if (txn.outcome instanceof Outcome.Commit) {
        outcomes.add(new Standing(txn.id, txn.outcome));
      }
    }
    TxnId next = isLast ? TxnId.INITIAL : end;
    out.send(from, new CopyOutcomesReply(copy.after(), next, forgotten, outcomes));
  }

  private void onCopyOutcomesReply(Endpoint from, CopyOutcomesReply reply, Effects out) {
    Copying current = copying;
    if (current != null
        && from instanceof ReplicaId replica
        && current.onOutcomes(replica, reply, nowMicros, options.inquireMicros(), out)) {
      copying = null;
      copied(current, out);
    }
  }

  private boolean installCopied(KeyState key, WriteId id, Value value) {
    Version version = key.versions.find(id.writer());
    if (version != null && version.isCommitted()) {
      return false;
    }
    if (version == null) {
      version = new Version(id, value, 0);
      key.versions.insert(version);
    } else {
      version.replace(id.valueId(), value);
    }
    key.versions.commit(version);
    housekeeping.prunable(key, nowMicros);
    return true;
  }

  /** A peer's versions and outcomes are all here: everything at or below its watermark is. */
  private void copied(Copying copy, Effects out) {
    TxnId upTo = copy.watermark();
    fence(upTo, out);
    for (Message.CopiedVersion version : deferred) {
      KeyState key = key(version.key());
      if (!version.version().writer().isAfter(upTo)
          && installCopied(key, version.version(), version.value())) {
        tellSubscribers(key, version.version().writer(), out);
      }
    }
    deferred.clear();
    forgotten = copy.forgotten().isAfter(forgotten) ? copy.forgotten() : forgotten;
    for (Standing commit : copy.outcomes()) {
      settled(commit, upTo, out);
    }
    reach(upTo, out);
    if (rejoining == null) {
      mark(upTo, Branch.CAUGHT_UP, out);
    } else {
      mark(upTo, Branch.REJOINED, out);
      founding = null; // what it has heard of others as a founder is not to be confirmed
      lock = List.of();
      out.append(new LogRecord.Locked(lock));
      serve(out);
    }
  }

  /** A peer knows the outcome, and what came of it has been copied. */
  private void settled(Standing commit, TxnId upTo, Effects out) {
    TxnId id = commit.txn();
    Outcome outcome = commit.outcome();
    if (outcome == null || !id.isAfter(forgotten) || !id.isAfter(watermark) || id.isAfter(upTo)) {
      return;
    }
    TxnRecord txn = record(id);
    if (txn.installed) {
      return;
    }
    out.append(new LogRecord.Settled(id, outcome));
    if (!txn.isDecided()) {
      learn(txn, outcome, out);
    }
    clearTraces(txn, out);
  }

  // ---- joining (section 9) ------------------------------------------------------------------

  /**
   * Begins as one that has never served, as far as it remembers: the replica serves when it has
   * founded the partition together with others like it, or has learnt from f+1 others what it may
   * have forgotten. To be called before the first event, unless what was restored says otherwise
   * ({@link #isWhole}).
   *
   * @param incarnation of this process, positive; higher than that of any earlier one
   * @param doubtful whether earlier processes may have promised more than was restored
   */
  public void join(long incarnation, boolean doubtful) {
    forgetful = doubtful && (served || !lock.isEmpty());
    served = false;
    if (doubtful) {
      lock = List.of();
    }
    founding =
        lock.isEmpty()
            ? new Founding(self, topology.replicas(), incarnation)
            : Founding.resumed(self, lock);
    rejoining = new Rejoining();
  }

  /** Whether what was restored is all that this replica has ever promised. */
  public boolean isWhole() {
    return served;
  }

  /** Whether this replica answers; not while it joins. */
  public boolean isServing() {
    return rejoining == null;
  }

  private static boolean concernsJoining(Message message) {
    return message instanceof Found
        || message instanceof Decide
        || message instanceof FetchReply
        || message instanceof RecoverReply
        || message instanceof FinalizeReply
        || message instanceof TruncateReply
        || message instanceof TruncateAck
        || message instanceof Watermark
        || message instanceof CopyReply
        || message instanceof CopyOutcomesReply;
  }

  private void onFound(Endpoint from, Found found, Effects out) {
    if (founding == null || !(from instanceof ReplicaId replica)) {
      return;
    }
    if (rejoining == null) {
      founding.confirm(replica, found, out);
      return;
    }
    boolean founded = founding.onFound(replica, found, out);
    lock = founding.lock();
    if (founded) {
      founding.serve();
      founding.tell(out);
      mark(fence, Branch.FOUNDED, out);
      serve(out);
    }
  }

  private void serve(Effects out) {
    rejoining = null;
    copying = null;
    advancedMicros = nowMicros;
    out.append(new LogRecord.Serving(true));
    if (out.probing()) {
      out.probe(new Probe.Joined(fence));
    }
  }

  /**
   * The way back of a replica that remembers nothing: a truncation round in the future, run with
   * the others alone, then a copy of one that has reached its watermark. No replica votes beyond
   * its clock and the allowed skew, so a fence there is above all that it can have voted on.
   */
  private final class Rejoining {
    final Truncation truncation = new Truncation(self, topology.f(), new Settling(), false);
    private long dueMicros;
    private long tellMicros;

    void onTick(Effects out) {
      if (founding != null && nowMicros >= tellMicros) {
        tellMicros = nowMicros + options.inquireMicros() / 5;
        founding.tell(out);
      }
      truncation.onTick(nowMicros, options.inquireMicros(), out);
      if (copying == null && truncation.firstAck() >= 0) {
        copyFrom(truncation.firstAck(), truncation.watermark(), out);
        return;
      }
      if (copying == null && nowMicros >= dueMicros) {
        again(out);
      }
    }

    void again(Effects out) {
      dueMicros = nowMicros + 8 * options.inquireMicros();
      long ahead = nowMicros + options.allowedSkewMicros();
      if (!rules.settlesBeforeServing()) {
        copyFrom((self.index() + 1) % topology.replicas(), TxnId.INITIAL, out);
        return;
      }
      TxnId future = new TxnId(ahead, Long.MAX_VALUE, 0);
      truncation.propose(
          future.isAfter(truncation.watermark()) ? future : truncation.watermark(),
          nowMicros,
          options.inquireMicros(),
          out);
    }
  }

  // ---- restart (section 8) ------------------------------------------------------------------

  /**
   * Takes one record of the replica's checkpoint or log, in their order, before its first event.
   *
   * @param now the host's clock in microseconds
   */
  public void restore(long now, LogRecord logged) {
    nowMicros = now;
    restoring = true;
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
      case LogRecord.Settled(TxnId id, Outcome outcome) -> {
        TxnRecord txn = restored(id);
        if (!txn.installed) {
          unprepare(txn);
          txn.outcome = outcome;
          clearTraces(txn, Unheard.INSTANCE);
        }
      }
      case LogRecord.Executed(ExecutionId id, var reads, var writes, var participants) ->
          restoreExecuted(restored(id.txn()), id.number(), reads, writes, participants);
      case LogRecord.Fenced(TxnId logFence) -> {
        if (logFence.isAfter(fence) && rules.remembersFence()) {
          fence = logFence;
        }
      }
      case LogRecord.Truncated(TxnId reached, TxnId before) -> {
        if (rules.remembersFence()) {
          dropUndecided(reached, Unheard.INSTANCE);
          watermark = reached.isAfter(watermark) ? reached : watermark;
          forgotten = before.isAfter(forgotten) ? before : forgotten;
        }
      }
      case LogRecord.Locked(List<Long> incarnations) -> {
        lock = incarnations;
        confirmAsFounder();
      }
      case LogRecord.Serving(boolean serving) -> {
        served = serving;
        confirmAsFounder();
      }
      case LogRecord.Version(Key name, WriteId id, Value value) -> {
        installCopied(key(name), id, value);
      }
      case LogRecord.Floor(Key name, TxnId floor) -> {
        KeyState key = key(name);
        if (floor.isAfter(key.floor)) {
          key.floor = floor;
        }
      }
    }
  }

  /** Fellow founders who have not heard yet that the partition is founded will ask. */
  private void confirmAsFounder() {
    founding = null;
    if (served && lock.size() == topology.replicas()) {
      founding = Founding.resumed(self, lock);
      founding.serve();
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
   * Copies, as the first part of a checkpoint, what a log that begins now less {@code logMicros}
   * would not tell: the fence, the watermark, and transactions older than that which are still of
   * concern.
   *
   * @param logMicros how far back the log that is kept reaches, in microseconds; longer than the
   *     retention time
   */
  public void copyOldRecords(long logMicros, Consumer<LogRecord> to) {
    TxnId cut = new TxnId(Math.max(0, nowMicros - logMicros), Long.MAX_VALUE, 0);
    TxnId ahead = new TxnId(nowMicros + options.allowedSkewMicros(), Long.MAX_VALUE, 0);
    TxnId last = new TxnId(cut.timeMicros() + options.allowedSkewMicros(), Long.MAX_VALUE, 0);
    to.accept(new LogRecord.Fenced(fence));
    to.accept(new LogRecord.Truncated(watermark, forgotten));
    records.between(TxnId.INITIAL, last).forEach(txn -> txn.copy(to));
    records.above(ahead).forEach(txn -> txn.copy(to));
    to.accept(new LogRecord.Locked(lock));
    if (rejoining == null) {
      to.accept(new LogRecord.Serving(true));
    }
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
      if (isTruncated(id) && !restoring) {
        throw new IllegalStateException(id + " is below the watermark " + watermark);
      }
      txn = new TxnRecord(id);
      records.add(txn);
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
    for (TxnRecord txn : records.all()) {
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

  /**
   * How many transactions this replica has decided by recovery since it was made: those whose
   * coordinator was dead or silent. One that learnt the outcome from others does not count, so that
   * the sum over all replicas counts a transaction once, unless recoveries competed to the end.
   */
  public long recovered() {
    return recoveries.decided();
  }

  /** How much this replica keeps. */
  public Census census() {
    return new Census(keys.size(), records.size(), fence.timeMicros(), watermark.timeMicros());
  }

  /**
   * How much a replica keeps.
   *
   * @param keys keys with any state
   * @param transactions transactions with a record
   * @param fenceMicros the fence's time
   * @param watermarkMicros the watermark's time
   */
  public record Census(int keys, int transactions, long fenceMicros, long watermarkMicros) {}

  /**
   * Checks the whole state against its invariants.
   *
   * @throws IllegalStateException naming the first one that is broken
   */
  public void checkInvariants() {
    new InvariantCheck(records, keys).run();
  }
}
