package org.mortydb.protocol.replica;

import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.GetReply;
import org.mortydb.protocol.message.Message.Put;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Retract;
import org.mortydb.protocol.message.Message.Scan;
import org.mortydb.protocol.message.Message.ScanReply;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;

/** The operations of transactions that execute: reads, writes, retractions (section 2). */
final class Operations {
  /** What one answer to a scan goes through at most; keys that were deleted or are new count. */
  private static final int MAX_EXAMINED_KEYS = 4 * Limits.MAX_SCAN_ROWS;

  private static final long MAX_ANSWERED_BYTES = 1 << 20;

  private final ReplicaState state;
  private final Refusals refusals;
  private final Visibility visibility;
  private final Votes votes;

  Operations(ReplicaState state, Refusals refusals, Visibility visibility, Votes votes) {
    this.state = state;
    this.refusals = refusals;
    this.visibility = visibility;
    this.votes = votes;
  }

  void onGet(Endpoint from, Get get, Effects out) {
    if (refusals.refuses(from, get.txn(), out)
        || refusals.refusesKey(from, get.txn(), get.key(), out)) {
      return;
    }
    TxnRecord txn = state.record(get.txn());
    if (txn.isDecided()) {
      return;
    }
    txn.coordinator = from;
    KeyState key = state.key(get.key());
    if (txn.id.isBefore(key.floor)) {
      refusals.refuse(from, txn.id, Refusal.TRUNCATED, out);
      return;
    }
    VersionedValue visible = Validator.visible(key, txn.id);
    int sequence = 1;
    if (state.options.pushes()) {
      KeyState.Subscription subscription = subscribe(txn, key, get.request());
      if (subscription == null) {
        return; // overtaken by a newer request for the same read
      }
      subscription.seen = visible.version();
      subscription.seenSettled = visible.settled();
      sequence = ++subscription.sequence;
    }
    out.send(
        from,
        new GetReply(
            txn.id,
            get.request(),
            sequence,
            visible.version(),
            visible.value(),
            visible.settled()));
    if (out.probing()) {
      out.probe(new Probe.ReadServed(txn.id, key.key, visible.version(), visible.settled()));
    }
  }

  /** The subscription of a read; null when it has one of a newer request. */
  private static KeyState.@Nullable Subscription subscribe(
      TxnRecord txn, KeyState key, int request) {
    KeyState.Subscription subscription = key.subscriptionOf(txn);
    if (subscription != null && request < subscription.request) {
      return null;
    }
    if (subscription != null && request > subscription.request) {
      key.unsubscribe(subscription);
      txn.removeSubscription(subscription);
      subscription = null;
    }
    if (subscription == null) {
      subscription = new KeyState.Subscription(txn, key, request);
      key.subscribe(subscription);
      txn.addSubscription(subscription);
    }
    return subscription;
  }

  void onScan(Endpoint from, Scan scan, Effects out) {
    if (refusals.refuses(from, scan.txn(), out)
        || refusals.refusesScan(from, scan.txn(), scan.range(), scan.limit(), out)) {
      return;
    }
    TxnRecord txn = state.record(scan.txn());
    if (txn.isDecided() || txn.hasScanned(scan.request())) {
      return; // what is repeated on its way is not answered again: the coordinator asks anew
    }
    txn.coordinator = from;
    ArrayList<VersionedValue> rows = new ArrayList<>();
    Key next = null;
    long bytes = 0;
    int left = scan.limit();
    int examined = 0;
    for (KeyState key : state.keys.in(scan.range())) {
      if (txn.id.isBefore(key.floor)) {
        refusals.refuse(from, txn.id, Refusal.TRUNCATED, out);
        return;
      }
      if (left == 0 || ++examined > MAX_EXAMINED_KEYS || bytes > MAX_ANSWERED_BYTES) {
        next = key.key;
        break;
      }
      if (key.versions.newestBelow(txn.id) == null) {
        continue;
      }
      VersionedValue visible = Validator.visible(key, txn.id);
      rows.add(visible);
      bytes += visible.key().size() + visible.value().size();
      left -= visible.value().isAbsent() ? 0 : 1;
    }
    if (state.options.pushes()) {
      RangeSubscriptions.Subscription subscription =
          state.rangeSubscriptions.add(txn, scan.range().below(next), scan.request());
      rows.forEach(subscription::sees);
    }
    out.send(from, new ScanReply(txn.id, scan.request(), rows, next));
    if (out.probing()) {
      for (VersionedValue row : rows) {
        out.probe(new Probe.ReadServed(txn.id, row.key(), row.version(), row.settled()));
      }
    }
  }

  void onPut(Endpoint from, Put put, Effects out) {
    Write write = put.write();
    if (refusals.refuses(from, put.txn(), out)
        || refusals.refusesKey(from, put.txn(), write.key(), out)
        || refusals.refusesValue(from, put.txn(), write.value(), out)) {
      return;
    }
    TxnRecord txn = state.record(put.txn());
    if (txn.isDecided() || txn.isFenced() || txn.isRetracted(write.key(), put.execution())) {
      return;
    }
    txn.coordinator = from;
    if (txn.latest != null && put.execution() <= txn.latest.number()) {
      return; // the Prepare had the whole write set
    }
    votes.moveOn(txn, put.execution(), out);
    KeyState key = state.key(write.key());
    if (visibility.upsert(txn, key, write, put.execution())) {
      visibility.tellSubscribers(key, txn.id, out);
    }
  }

  void onRetract(Retract retract, Effects out) {
    TxnRecord txn = state.records.get(retract.txn());
    if (state.horizon.isTooOld(retract.txn()) && txn == null) {
      return;
    }
    if (txn == null) {
      if (state.isAhead(retract.txn())) {
        return;
      }
      txn = state.record(retract.txn());
    }
    if (txn.isDecided()
        || txn.isFenced()
        || (txn.latest != null && retract.execution() <= txn.latest.number())) {
      return;
    }
    votes.moveOn(txn, retract.execution(), out);
    for (Key name : retract.keys()) {
      txn.retract(name, retract.execution());
      KeyState key = state.keys.get(name);
      if (key != null) {
        visibility.retractOlder(txn, key, retract.execution(), out);
      }
    }
  }
}
