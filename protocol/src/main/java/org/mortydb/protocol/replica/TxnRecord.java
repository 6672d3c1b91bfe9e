package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;

/** All that a replica knows of one transaction. */
final class TxnRecord {
  final TxnId id;

  /** Where pushes and inquiries go; unknown when only other replicas spoke of the transaction. */
  @Nullable Endpoint coordinator;

  /** The highest execution that any message was seen of, -1 for none. */
  int execution = -1;

  /** The execution last asked for in a Prepare, whatever the vote was. */
  @Nullable ExecutionRecord latest;

  /** The execution whose sets are in the log, -1 for none. */
  int loggedExecution = -1;

  /** The vote on {@link #latest}; null while it waits for {@link #waitingFor}. */
  @Nullable Vote vote;

  /** The undecided transaction that the vote, or the condition of the vote, waits for. */
  @Nullable TxnRecord waitingFor;

  /** The recovery that is promised an answer when the condition of the vote is decided. */
  @Nullable Promisee promisee;

  /** Who asked for a promise, and of which view. */
  record Promisee(Endpoint from, View view) {}

  /** Transactions whose votes wait, or once waited, for this one. */
  private @Nullable ArrayList<TxnRecord> dependents;

  // Null while empty: a decided transaction is kept for long and needs neither.
  private @Nullable ArrayList<KeyState> written;

  private @Nullable ArrayList<KeyState.Subscription> subscriptions;

  private @Nullable ArrayList<RangeSubscriptions.Subscription> scans;

  /** For each key that was retracted, the execution that did. */
  private @Nullable HashMap<Key, Integer> retracted;

  /** The view promised, and the value accepted with its view. */
  View promised = View.CLIENT;

  @Nullable View acceptedView;
  @Nullable Outcome accepted;

  @Nullable Outcome outcome;

  /** False while the outcome is known and the committed execution is not. */
  boolean installed;

  /** When others are asked about this transaction next; 0 when it is not watched. */
  long inquireAtMicros;

  /** How often others were asked about this transaction. */
  int inquiries;

  /** How often its coordinator has said that it still works on it. */
  int assurances;

  /** How many times it is still left alone when its time has come. */
  int respites;

  TxnRecord(TxnId id) {
    this.id = id;
  }

  /** Copies what a restarted replica has to know of it, once decided or fenced or voted on. */
  void copy(Consumer<LogRecord> to) {
    if (outcome != null) {
      if (installed && (latest == null || isAborted())) {
        to.accept(new LogRecord.Settled(id, outcome));
        return;
      }
      to.accept(new LogRecord.Decided(id, outcome));
      if (installed && latest != null) {
        to.accept(latest.executed(id));
      }
      return;
    }
    if (latest != null && isPrepared()) {
      to.accept(latest.prepared(id, isOnCondition()));
    }
    if (accepted != null && acceptedView != null) {
      to.accept(new LogRecord.Accepted(id, acceptedView, accepted));
    }
    if (promised.isAbove(View.CLIENT)) {
      to.accept(new LogRecord.Promised(id, promised));
    }
  }

  boolean isDecided() {
    return outcome != null;
  }

  boolean isAborted() {
    return outcome instanceof Outcome.Abort;
  }

  /** Whether this replica's vote to commit the latest execution stands, on condition or not. */
  boolean isPrepared() {
    return outcome == null && vote != null && vote.isCommit();
  }

  /** Whether that vote is on a condition that is not known to hold here. */
  boolean isOnCondition() {
    return outcome == null && vote != null && vote.isOnCondition();
  }

  /** Whether the coordinator's own view has ended here: no votes, drops or retractions any more. */
  boolean isFenced() {
    return accepted != null || promised.isAbove(View.CLIENT);
  }

  /** Gives up the latest execution, and with it the states of its keys. */
  void forgetExecution() {
    if (latest != null) {
      latest.release();
      latest = null;
    }
  }

  /** Keys in whose chain this transaction may have a version. */
  List<KeyState> written() {
    return written == null ? List.of() : written;
  }

  void addWritten(KeyState key) {
    if (written == null) {
      written = new ArrayList<>(4);
    }
    written.add(key);
  }

  void clearWritten() {
    written = null;
  }

  void addSubscription(KeyState.Subscription subscription) {
    if (subscriptions == null) {
      subscriptions = new ArrayList<>(4);
    }
    subscriptions.add(subscription);
  }

  void removeSubscription(KeyState.Subscription subscription) {
    if (subscriptions != null) {
      subscriptions.remove(subscription);
    }
  }

  void addScan(RangeSubscriptions.Subscription scan) {
    if (scans == null) {
      scans = new ArrayList<>(1);
    }
    scans.add(scan);
  }

  /** Whether a scan was answered already. */
  boolean hasScanned(int request) {
    for (int i = 0; scans != null && i < scans.size(); i++) {
      if (scans.get(i).request == request) {
        return true;
      }
    }
    return false;
  }

  /** Ends all subscriptions. */
  void unsubscribe() {
    if (scans != null) {
      scans.forEach(RangeSubscriptions.Subscription::end);
      scans = null;
    }
    if (subscriptions != null) {
      for (KeyState.Subscription subscription : subscriptions) {
        subscription.key.unsubscribe(subscription);
      }
      subscriptions = null;
    }
  }

  void addDependent(TxnRecord dependent) {
    if (dependents == null) {
      dependents = new ArrayList<>(2);
    }
    dependents.add(dependent);
  }

  List<TxnRecord> takeDependents() {
    ArrayList<TxnRecord> taken = dependents;
    dependents = null;
    return taken == null ? List.of() : taken;
  }

  boolean hasDependents() {
    return dependents != null && !dependents.isEmpty();
  }

  void retract(Key key, int byExecution) {
    if (retracted == null) {
      retracted = new HashMap<>(4);
    }
    retracted.merge(key, byExecution, Math::max);
  }

  boolean isRetracted(Key key, int execution) {
    Integer by = retracted == null ? null : retracted.get(key);
    return by != null && execution < by;
  }
}
