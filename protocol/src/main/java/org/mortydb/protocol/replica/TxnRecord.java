package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.Invariant.require;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.RecoverAnswer.Accepted;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;

/**
 * All that a replica knows of one transaction. It changes only by the transitions below, which
 * follow docs/protocol.md, sections 3 to 6:
 *
 * <pre>
 *  raiseExecution, ask ─► vote ─► confirm or takeBack          the vote on the latest execution
 *                     └─► await ─► stopWaiting ─► vote
 *  promise, accept                                             the coordinator's view ends
 *  decide ─► install or clear                                  the outcome, then what follows from it
 *  discard                                                     undecided below a watermark
 * </pre>
 *
 * <p>A transition that is not allowed in the record's state is a broken invariant, and stops the
 * partition. No message can cause one: callers check what comes from outside first.
 *
 * <p>A restart replays a log that may be older than the checkpoint below it, so {@code restore…}
 * transitions are allowed where the others are not.
 *
 * <p>Decided records are kept for the retention time, so a decided record holds as little as
 * possible.
 */
final class TxnRecord {
  /** Questions to a client that may stay without an answer. */
  private static final int MOST_UNANSWERED = 3;

  private static final int NONE = -1;

  private static final int FEW_SCANS = 16;

  /** With so many subscriptions of a reader, or to a key, it is fast to look at each. */
  static final int FEW_SUBSCRIPTIONS = 16;

  private static final int STANDING_BYTES = 48;

  private static final int PARTICIPANT_BYTES = 2;

  private final TxnId id;

  /** Where pushes and inquiries go; null if unknown, and once decided. */
  private @Nullable Endpoint coordinator;

  /** The highest execution in any message seen. */
  private int execution = NONE;

  /** The execution that the latest Prepare asked for, whatever the vote was. */
  private @Nullable ExecutionRecord latest;

  /** The committed execution while it is only in the row of this transaction; otherwise null. */
  private @Nullable Supplier<ExecutionRecord> saved;

  /** The place in the {@link RecordTable}. */
  private int place;

  /** The execution whose sets are in the log. */
  private int loggedExecution = NONE;

  /**
   * Whether a vote to commit may be in the log, also one that was taken back. A restart raises the
   * executions as the log tells, so this replica must not forget which was the highest.
   */
  private boolean voteLogged;

  /** The vote on {@link #latest}; null while there is none. */
  private @Nullable Vote vote;

  /** The undecided transaction that the vote, or the condition of the vote, waits for. */
  private @Nullable TxnRecord waitingFor;

  /** The recovery that gets its promise of view {@link #promised} once the condition is decided. */
  private @Nullable ReplicaId promisee;

  /** Transactions whose votes wait, or once waited, for this one. */
  private @Nullable ArrayList<TxnRecord> dependents;

  // Null while empty: a decided transaction needs none of them.
  private @Nullable ArrayList<KeyState> written;
  private @Nullable ArrayList<KeyState.Subscription> subscriptions;

  /** The subscriptions by their keys, if there are many and one was looked for. */
  private @Nullable IdentityHashMap<KeyState, KeyState.Subscription> subscriptionsByKey;

  private @Nullable ArrayList<RangeSubscriptions.Subscription> scans;

  /** The requests of the scans, if there are more than a few. */
  private @Nullable HashSet<Integer> scanned;

  /** For each retracted key the execution that retracted it. */
  private @Nullable HashMap<Key, Integer> retracted;

  private View promised = View.CLIENT;
  private @Nullable Accepted accepted;
  private @Nullable Outcome outcome;
  private boolean installed;
  private boolean suspected;

  /** When this transaction is due for an inquiry; 0 while it is not watched. */
  private long inquireAtMicros;

  private @Nullable Inquiry inquiry;

  /** How often the client was asked, because the watermark waits, since its last answer. */
  private int unanswered;

  /** When it was asked last, by the replica's elapsed time; 0 if it never was. */
  private long askedMicros;

  TxnRecord(TxnId id) {
    this.id = id;
  }

  /**
   * A transaction that is at rest.
   *
   * @param saved reads the committed execution from the row; null if it has none
   */
  TxnRecord(
      TxnId id,
      @Nullable Outcome outcome,
      int execution,
      @Nullable Supplier<ExecutionRecord> saved) {
    this.id = id;
    this.outcome = outcome;
    this.execution = execution;
    this.saved = saved;
    this.installed = true;
  }

  // ---- what is known ------------------------------------------------------------------------

  TxnId id() {
    return id;
  }

  /** Where pushes and inquiries go; null if unknown, and once decided. */
  @Nullable Endpoint coordinator() {
    return coordinator;
  }

  /** The highest execution in any message seen, -1 for none. */
  int execution() {
    return execution;
  }

  /** The execution that the latest Prepare asked for, or the committed one once installed. */
  @Nullable ExecutionRecord latest() {
    if (saved != null) {
      latest = saved.get();
      saved = null;
    }
    return latest;
  }

  /** Whether the latest execution has this number. */
  boolean isLatest(int number) {
    ExecutionRecord known = latest();
    return known != null && known.number() == number;
  }

  /** The vote on the latest execution; null while there is none. */
  @Nullable Vote vote() {
    return vote;
  }

  /** Whether this replica's vote to commit the latest execution stands, conditional or not. */
  boolean isPrepared() {
    return vote != null && vote.isCommit();
  }

  /** Whether that vote is conditional, and its condition is not known to hold here. */
  boolean isOnCondition() {
    return vote != null && vote.isOnCondition();
  }

  /** The view promised; {@link View#CLIENT} if no recovery was promised anything. */
  View promised() {
    return promised;
  }

  /** The outcome accepted last, with its view; null if none, and once decided. */
  @Nullable Accepted accepted() {
    return accepted;
  }

  /** Whether the coordinator's own view has ended here: no votes, drops or retractions any more. */
  boolean isFenced() {
    return accepted != null || promised.isAbove(View.CLIENT);
  }

  @Nullable Outcome outcome() {
    return outcome;
  }

  boolean isDecided() {
    return outcome != null;
  }

  /**
   * The transaction may stay undecided here although no vote waits for it: the client has announced
   * an outcome that this replica could not check, or the replica has abandoned a registration
   * because of a version that has not settled.
   */
  void suspect() {
    suspected = true;
  }

  /** Whether this transaction is to be inquired about: while it is undecided, it hinders others. */
  boolean hinders() {
    return isPrepared() || accepted != null || dependents != null || suspected;
  }

  /**
   * Whether a client works on this transaction, or the replica has voted on it: a watermark waits
   * for it. What is left of a reader whose registration this replica has abandoned does not count:
   * other replicas may have registered it, and nobody says so.
   */
  boolean isOpen() {
    if (outcome != null || isSilent()) {
      return false;
    }
    if (latest != null) {
      return vote == null || vote.isCommit() || !latest.registers();
    }
    return written != null || subscriptions != null || scans != null;
  }

  /** Whether the client does not say that it still works on this transaction, which has no vote. */
  private boolean isSilent() {
    return unanswered > MOST_UNANSWERED && !hinders();
  }

  /**
   * Whether to ask the client if it still works on this transaction, because the watermark waits
   * for it (docs/protocol.md, section 16, Watermark lag). What hinders votes is inquired about
   * anyway.
   *
   * @param everyMicros the time between two questions
   */
  boolean asksClient(long elapsedMicros, long everyMicros) {
    if (hinders()
        || isSilent()
        || (askedMicros != 0 && elapsedMicros - askedMicros < everyMicros)) {
      return false;
    }
    askedMicros = elapsedMicros;
    return ++unanswered <= MOST_UNANSWERED;
  }

  boolean isAborted() {
    return outcome instanceof Outcome.Abort;
  }

  /** About how many bytes a message needs to tell the outcome; an upper bound. */
  int standingBytes() {
    return outcome instanceof Outcome.Commit(_, List<Integer> participants)
        ? STANDING_BYTES + PARTICIPANT_BYTES * participants.size()
        : STANDING_BYTES;
  }

  /** Whether all that follows from the outcome at this partition is done. */
  boolean isInstalled() {
    return installed;
  }

  /** Whether nothing about this transaction changes any more: see {@link RecordTable}. */
  boolean mayRest() {
    return installed && dependents == null && written == null;
  }

  /** The place in the {@link RecordTable}. */
  int place() {
    return place;
  }

  /** The record gets a place in the {@link RecordTable}, or another one. */
  void place(int newPlace) {
    place = newPlace;
  }

  /** Whether this execution has committed and has to be installed here still. */
  boolean misses(int number) {
    return !installed
        && outcome instanceof Outcome.Commit(int committed, List<Integer> ignored)
        && committed == number;
  }

  /**
   * Copies what a restarted replica has to know of a decided, fenced or prepared transaction.
   *
   * @param erased executions at or below it are left out: a deletion that was dropped may have
   *     followed their writes
   */
  void copy(TxnId erased, Consumer<LogRecord> to) {
    if (outcome != null) {
      ExecutionRecord committed = latest();
      if (installed && (committed == null || isAborted() || !id.isAfter(erased))) {
        to.accept(new LogRecord.Settled(id, outcome));
        return;
      }
      to.accept(new LogRecord.Decided(id, outcome));
      if (installed && committed != null) {
        to.accept(committed.executed(id));
      }
      return;
    }
    if (latest != null && isPrepared()) {
      to.accept(latest.prepared(id, isOnCondition()));
    }
    if (accepted != null) {
      to.accept(new LogRecord.Accepted(id, accepted.view(), accepted.value()));
    }
    if (promised.isAbove(View.CLIENT)) {
      to.accept(new LogRecord.Promised(id, promised));
    }
  }

  // ---- executions and votes (section 3) -----------------------------------------------------

  /** The coordinator has sent a message. Ignored once decided: nothing is sent to it any more. */
  void heardFrom(Endpoint from) {
    if (outcome == null) {
      coordinator = from;
    }
  }

  /**
   * An execution exists, so the coordinator has given up all lower ones.
   *
   * @return false if that was known
   */
  boolean raiseExecution(int number) {
    requireUndecided();
    if (number <= execution) {
      return false;
    }
    execution = number;
    return true;
  }

  /** A Prepare asks for a vote on an execution; the record gives up the one before. */
  void ask(ExecutionRecord asked) {
    requireUndecided();
    require(!isFenced(), id, "is asked to vote after it was fenced");
    require(asked.number() <= execution, id, "is asked to vote on an execution that is unknown");
    forgetExecution();
    latest = asked;
    vote = null;
    waitingFor = null;
  }

  /** Votes on the latest execution. A vote to commit is in the log. */
  void vote(Vote given) {
    requireUndecided();
    require(!isFenced(), id, "votes after it was fenced");
    require(vote == null, id, "votes twice on one execution");
    require(latest != null, id, "votes on no execution");
    vote = given;
    waitingFor = null;
    if (given.isCommit() && latest != null) {
      loggedExecution = latest.number();
      voteLogged = true;
    }
  }

  /** The condition of the vote holds. */
  void confirm() {
    require(isOnCondition(), id, "confirms a vote that is on no condition");
    vote = Vote.COMMIT;
    waitingFor = null;
  }

  /** Ends the vote on the latest execution, or the wait for it. */
  void takeBack(Vote.Abandon instead) {
    requireUndecided();
    require(latest != null, id, "takes back a vote on no execution");
    vote = instead;
    waitingFor = null;
    loggedExecution = NONE; // a checkpoint leaves it out
  }

  /**
   * The vote, or the condition of the vote, waits until another transaction is decided, or its
   * versions have settled. That one lists this transaction among its {@linkplain #takeDependents
   * dependents}.
   */
  void await(TxnRecord dependency) {
    requireUndecided();
    require(latest != null, id, "waits for a vote on no execution");
    require(vote == null || isOnCondition(), id, "waits although it has voted");
    waitingFor = dependency;
    if (dependency.dependents == null) {
      dependency.dependents = new ArrayList<>(2);
    }
    dependency.dependents.add(this);
  }

  /** Whether the vote, or the condition of the vote, waits for another transaction. */
  boolean isWaiting() {
    return waitingFor != null;
  }

  /** Ends the wait for a transaction; false if this one does not wait for it any more. */
  boolean stopWaiting(TxnRecord dependency) {
    if (waitingFor != dependency) {
      return false;
    }
    waitingFor = null;
    return true;
  }

  boolean hasDependents() {
    return dependents != null;
  }

  /** Those that wait, or once waited, for this transaction. It keeps none. */
  List<TxnRecord> takeDependents() {
    ArrayList<TxnRecord> taken = dependents;
    dependents = null;
    return taken == null ? List.of() : taken;
  }

  /** The reads of the latest execution are registered: the reader needs nothing more here. */
  void registered() {
    requireUndecided();
    require(!isFenced() && !isPrepared(), id, "registers reads beside a vote");
    vote = null;
    forgetExecution();
    endWaits();
  }

  /** The log tells something of the transaction. */
  void restored() {
    voteLogged = true;
  }

  /** Whether the record tells nothing that a transaction without a record does not tell. */
  boolean isIdle() {
    return !voteLogged
        && outcome == null
        && latest == null
        && accepted == null
        && !promised.isAbove(View.CLIENT)
        && dependents == null
        && written == null
        && retracted == null
        && !suspected;
  }

  /** Restores a vote to commit, whatever was promised or accepted in the meantime. */
  void restoreVote(ExecutionRecord voted, Vote.Commit given) {
    requireUndecided();
    require(latest == null || latest.number() < voted.number(), id, "restores a lower execution");
    forgetExecution();
    execution = Math.max(execution, voted.number());
    loggedExecution = voted.number();
    latest = voted;
    vote = given;
    waitingFor = null;
  }

  // ---- promises and acceptances (sections 4 and 5) ------------------------------------------

  /**
   * Promises a view to a recovery. A vote that still waits is never given then.
   *
   * @return false if the view was promised before
   */
  boolean promise(View view) {
    requireUndecided();
    require(!promised.isAbove(view), id, "promises a view below the one promised");
    if (!view.isAbove(promised)) {
      return false;
    }
    raisePromised(view);
    if (!isOnCondition()) {
      waitingFor = null;
    }
    return true;
  }

  /** A recovery in the view promised gets its promise once the condition of the vote is decided. */
  void oweAnswer(ReplicaId to) {
    require(isOnCondition(), id, "owes an answer although no condition is open");
    promisee = to;
  }

  /** The recovery in the view promised that has waited for its promise, or null. */
  @Nullable ReplicaId takePromisee() {
    ReplicaId taken = promisee;
    promisee = null;
    return taken;
  }

  /**
   * Accepts an outcome in a view, which is promised by that.
   *
   * @return false if one was accepted in this view before
   */
  boolean accept(View view, Outcome value) {
    requireUndecided();
    require(!promised.isAbove(view), id, "accepts in a view below the one promised");
    if (accepted != null && accepted.view().equals(view)) {
      return false;
    }
    raisePromised(view);
    accepted = new Accepted(view, value);
    return true;
  }

  /** Restores a promise, unless a higher one is known. */
  void restorePromise(View view) {
    raisePromised(view);
  }

  /**
   * Restores an acceptance, unless a later one is known. It may be in a view below the one
   * promised: the log has the view of a replica's own recovery before the replica promises it.
   */
  void restoreAcceptance(View view, Outcome value) {
    raisePromised(view);
    if (outcome == null && (accepted == null || !accepted.view().isAbove(view))) {
      accepted = new Accepted(view, value);
    }
  }

  private void raisePromised(View view) {
    if (view.isAbove(promised)) {
      promised = view;
      promisee = null;
    }
  }

  // ---- outcome (sections 4 and 6) -----------------------------------------------------------

  /** Takes the outcome, and ends all waits and subscriptions. */
  void decide(Outcome decided) {
    requireUndecided();
    outcome = decided;
    vote = null;
    accepted = null;
    inquiry = null;
    retracted = null;
    endWaits();
  }

  /** The committed execution is here. */
  void install(ExecutionRecord committed) {
    require(misses(committed.number()), id, "installs an execution that is not missing");
    if (latest != committed) {
      forgetExecution();
      latest = committed;
      execution = Math.max(execution, committed.number());
    }
    installed = true;
  }

  /**
   * The sets of the latest execution are to be in the log.
   *
   * @return false if they are there already
   */
  boolean logExecution() {
    require(latest != null && latest.number() <= execution, id, "logs an unknown execution");
    if (latest == null || loggedExecution == latest.number()) {
      return false;
    }
    loggedExecution = latest.number();
    return true;
  }

  /** Nothing of the transaction remains at this partition but its outcome. */
  void clear() {
    require(outcome != null, id, "is installed but not decided");
    require(!installed, id, "is installed twice");
    installed = true;
    forgetExecution();
  }

  /** Gives up the latest execution, and with it the states of its keys. */
  void forgetExecution() {
    saved = null;
    if (latest != null) {
      latest.release();
      latest = null;
    }
  }

  /** The record goes out of use: the transaction is below a watermark, and can never commit. */
  void discard() {
    require(!installed, id, "is installed, and cannot be discarded");
    vote = null;
    endWaits();
    forgetExecution();
  }

  private void endWaits() {
    waitingFor = null;
    promisee = null;
    coordinator = null;
    if (scans != null) {
      scans.getFirst().endAll();
      scans = null;
      scanned = null;
    }
    if (subscriptions != null) {
      subscriptions.forEach(KeyState.Subscription::end);
      subscriptions = null;
      subscriptionsByKey = null;
    }
  }

  private void requireUndecided() {
    require(outcome == null, id, "changes after its outcome is known");
  }

  // ---- inquiries (section 5) ----------------------------------------------------------------

  boolean isWatched() {
    return inquireAtMicros != 0;
  }

  /** When this transaction is due for an inquiry, in microseconds; 0 while it is not watched. */
  long inquireAtMicros() {
    return inquireAtMicros;
  }

  /** Begins to watch this transaction. */
  void watch(long untilMicros) {
    requireUndecided();
    require(!isWatched(), id, "is watched twice");
    inquireAtMicros = untilMicros;
  }

  void stopWatching() {
    inquireAtMicros = 0;
  }

  /** What to do about this transaction, which is due. */
  Inquiry.Step nextInquiry() {
    requireUndecided();
    if (inquiry == null) {
      inquiry = new Inquiry();
    }
    return inquiry.next(isFenced());
  }

  /** The coordinator has said that it still works on this transaction. */
  void assured() {
    unanswered = 0;
    if (inquiry != null && !isFenced()) {
      inquiry.assured();
    }
  }

  // ---- writes and reads of executions (section 2) -------------------------------------------

  /** Keys in whose chain this transaction may have a version. */
  List<KeyState> written() {
    return written == null ? List.of() : written;
  }

  void addWritten(KeyState key) {
    if (written == null) {
      written = new ArrayList<>(4);
    }
    written.add(key);
    key.write();
  }

  void clearWritten() {
    written().forEach(KeyState::unwrite);
    written = null;
  }

  /** An execution retracts a key: writes of lower ones that arrive later are ignored. */
  void retract(Key key, int byExecution) {
    requireUndecided();
    if (retracted == null) {
      retracted = new HashMap<>(4);
    }
    retracted.merge(key, byExecution, Math::max);
  }

  boolean isRetracted(Key key, int byExecution) {
    Integer by = retracted == null ? null : retracted.get(key);
    return by != null && byExecution < by;
  }

  void addSubscription(KeyState.Subscription subscription) {
    requireUndecided();
    if (subscriptions == null) {
      subscriptions = new ArrayList<>(4);
    }
    subscriptions.add(subscription);
    if (subscriptionsByKey != null) {
      subscriptionsByKey.put(subscription.key(), subscription);
    }
  }

  /** The subscription to a key, or null. */
  KeyState.@Nullable Subscription subscriptionTo(KeyState key) {
    if (subscriptions == null) {
      return null;
    }
    if (subscriptions.size() > FEW_SUBSCRIPTIONS) {
      return subscriptionsByKey(subscriptions).get(key);
    }
    for (int i = subscriptions.size() - 1; i >= 0; i--) {
      if (subscriptions.get(i).key() == key) {
        return subscriptions.get(i);
      }
    }
    return null;
  }

  private IdentityHashMap<KeyState, KeyState.Subscription> subscriptionsByKey(
      ArrayList<KeyState.Subscription> all) {
    IdentityHashMap<KeyState, KeyState.Subscription> byKey = subscriptionsByKey;
    if (byKey == null) {
      byKey = new IdentityHashMap<>(2 * all.size());
      for (KeyState.Subscription subscription : all) {
        byKey.put(subscription.key(), subscription);
      }
      subscriptionsByKey = byKey;
    }
    return byKey;
  }

  void addScan(RangeSubscriptions.Subscription scan) {
    requireUndecided();
    if (scans == null) {
      scans = new ArrayList<>(1);
    }
    scans.add(scan);
    if (scanned != null) {
      scanned.add(scan.request());
    } else if (scans.size() > FEW_SCANS) {
      scanned = new HashSet<>();
      for (RangeSubscriptions.Subscription one : scans) {
        scanned.add(one.request());
      }
    }
  }

  /** Whether a scan was answered already. */
  boolean hasScanned(int request) {
    if (scanned != null) {
      return scanned.contains(request);
    }
    for (int i = 0; scans != null && i < scans.size(); i++) {
      if (scans.get(i).request() == request) {
        return true;
      }
    }
    return false;
  }
}
