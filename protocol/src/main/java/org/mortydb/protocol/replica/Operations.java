package org.mortydb.protocol.replica;

import java.util.ArrayList;
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

/**
 * What transactions do while they execute: read, scan, write, retract (docs/protocol.md, section
 * 2).
 */
final class Operations {
  /** The most keys that one reply to a scan examines; deleted and new keys count. */
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
    txn.heardFrom(from);
    KeyState key = state.key(get.key());
    if (key.lacksVersionsFor(txn.id())) {
      refusals.refuse(from, txn.id(), Refusal.TRUNCATED, out);
      return;
    }
    VersionedValue visible = state.visible(key, txn.id());
    int sequence = 1;
    if (state.options.pushes()) {
      KeyState.Subscription subscription = key.subscribe(txn, get.request());
      if (subscription == null) {
        return; // a newer request for the same read has overtaken this one
      }
      sequence = subscription.show(visible);
    }
    out.send(
        from,
        new GetReply(
            txn.id(),
            get.request(),
            sequence,
            visible.version(),
            visible.value(),
            visible.settled(),
            visible.below()));
    probeServed(txn, visible, out);
  }

  private static void probeServed(TxnRecord txn, VersionedValue read, Effects out) {
    if (out.probing()) {
      out.probe(new Probe.ReadServed(txn.id(), read.key(), read.version(), read.settled()));
    }
  }

  void onScan(Endpoint from, Scan scan, Effects out) {
    if (refusals.refuses(from, scan.txn(), out)
        || refusals.refusesScan(from, scan.txn(), scan.range(), scan.limit(), scan.map(), out)) {
      return;
    }
    TxnRecord txn = state.record(scan.txn());
    if (txn.isDecided() || txn.hasScanned(scan.request())) {
      return; // a repeated message gets no second reply: the coordinator asks under a new number
    }
    txn.heardFrom(from);
    ArrayList<VersionedValue> rows = new ArrayList<>();
    Key next = null;
    long bytes = 0;
    int left = scan.limit();
    int examined = 0;
    for (KeyState key : state.keys.in(scan.range())) {
      if (!state.maps.shows(txn.id(), key.key())) {
        continue;
      }
      if (key.lacksVersionsFor(txn.id())) {
        refusals.refuse(from, txn.id(), Refusal.TRUNCATED, out);
        return;
      }
      if (left == 0 || ++examined > MAX_EXAMINED_KEYS || bytes > MAX_ANSWERED_BYTES) {
        next = key.key();
        break;
      }
      VersionedValue visible = state.visible(key, txn.id());
      if (visible.version().isInitial()) {
        continue;
      }
      rows.add(visible);
      bytes += visible.roughBytes();
      left -= visible.value().isAbsent() ? 0 : 1;
    }
    if (state.options.pushes()) {
      RangeSubscriptions.Subscription subscription =
          state.rangeSubscriptions.add(txn, scan.range().below(next), scan.request());
      rows.forEach(subscription::shows);
    }
    out.send(from, new ScanReply(txn.id(), scan.request(), rows, next));
    for (int i = 0; i < rows.size(); i++) {
      probeServed(txn, rows.get(i), out);
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
    txn.heardFrom(from);
    if (isPrepared(txn, put.execution())) {
      return;
    }
    votes.moveOn(txn, put.execution(), out);
    KeyState key = state.key(write.key());
    if (visibility.upsert(txn, key, write, put.execution())) {
      visibility.push(key, txn.id(), out);
    }
  }

  /** Whether a Prepare of this or a later execution was here, with the whole write set. */
  private static boolean isPrepared(TxnRecord txn, int execution) {
    ExecutionRecord latest = txn.latest();
    return latest != null && execution <= latest.number();
  }

  void onRetract(Retract retract, Effects out) {
    TxnRecord txn = state.records.get(retract.txn());
    if (txn == null) {
      if (state.horizon.isTooOld(retract.txn()) || state.isAhead(retract.txn())) {
        return;
      }
      txn = state.record(retract.txn());
    }
    if (txn.isDecided() || txn.isFenced() || isPrepared(txn, retract.execution())) {
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
