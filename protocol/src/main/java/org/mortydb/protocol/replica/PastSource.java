package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.PastLevel;
import org.mortydb.protocol.message.Message.PastReply;
import org.mortydb.protocol.message.Message.PastState;
import org.mortydb.protocol.message.Message.ReadPast;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.ScanPast;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.past.Places;

/**
 * Answers reads of the past (docs/protocol.md, section 16): at one place of the serial order, where
 * nothing can commit any more, or key by key. It registers nothing and changes nothing, so such a
 * read hinders no transaction.
 */
final class PastSource {
  private static final int MAX_EXAMINED_KEYS = 4 * Limits.MAX_SCAN_ROWS;
  private static final long MAX_ANSWERED_BYTES = 1 << 20;

  private final ReplicaState state;
  private final Refusals refusals;

  PastSource(ReplicaState state, Refusals refusals) {
    this.state = state;
    this.refusals = refusals;
  }

  /** What the replica can do for a question, and at which place. */
  private record Offer(PastState state, TxnId place) {}

  private static final Offer BEHIND = new Offer(PastState.BEHIND, TxnId.INITIAL);
  private static final Offer GONE = new Offer(PastState.GONE, TxnId.INITIAL);

  /**
   * @param complete whether this replica lacks no versions; false while it copies a peer
   */
  void onRead(Endpoint from, ReadPast ask, boolean complete, Effects out) {
    if (ask.keys().isEmpty() || ask.keys().size() > Limits.MAX_OPERATIONS) {
      refusals.refuse(from, ask.txn(), Refusal.OVERSIZED, out);
      return;
    }
    for (int i = 0; i < ask.keys().size(); i++) {
      if (refusals.refusesSize(from, ask.txn(), ask.keys().get(i), out)) {
        return;
      }
      if (i > 0 && ask.keys().get(i - 1).compareTo(ask.keys().get(i)) >= 0) {
        refusals.refuse(from, ask.txn(), Refusal.INVALID, out);
        return;
      }
    }
    Offer offer = offer(ask.txn(), ask.level(), ask.place(), complete);
    ArrayList<VersionedValue> rows = new ArrayList<>(ask.keys().size());
    Key next = null;
    if (offer.state() == PastState.READ) {
      boolean local = ask.level() == PastLevel.LOCAL;
      TxnId upTo = local ? TxnId.HIGHEST : offer.place();
      long bytes = 0;
      for (Key name : ask.keys()) {
        if (refusals.refusesPlacement(from, ask.txn(), upTo, name, out)) {
          return;
        }
        if (bytes > MAX_ANSWERED_BYTES) {
          next = name;
          break;
        }
        KeyState key = state.keys.look(name);
        if (key != null && !local && upTo.isBefore(key.floor())) {
          offer = GONE;
          rows.clear();
          break;
        }
        VersionedValue row = key == null ? null : newest(key, upTo, local);
        rows.add(row == null ? new VersionedValue(name, WriteId.INITIAL, Value.ABSENT, true) : row);
        bytes += rows.getLast().roughBytes();
      }
    }
    answer(from, ask.txn(), ask.request(), offer, rows, next, out);
  }

  /**
   * @param complete whether this replica lacks no versions; false while it copies a peer
   */
  void onScan(Endpoint from, ScanPast ask, boolean complete, Effects out) {
    if (refusals.refusesLimit(from, ask.txn(), ask.limit(), out)
        || refusals.refusesRange(from, ask.txn(), ask.range(), out)) {
      return;
    }
    Offer offer = offer(ask.txn(), ask.level(), ask.place(), complete);
    ArrayList<VersionedValue> rows = new ArrayList<>();
    Key next = null;
    if (offer.state() == PastState.READ) {
      boolean local = ask.level() == PastLevel.LOCAL;
      TxnId upTo = local ? TxnId.HIGHEST : offer.place();
      if (refusals.refusesMap(from, ask.txn(), upTo, ask.map(), out)) {
        return;
      }
      int left = ask.limit();
      int examined = 0;
      long bytes = 0;
      for (KeyState key : state.keys.in(ask.range())) {
        if (left == 0 || ++examined > MAX_EXAMINED_KEYS || bytes > MAX_ANSWERED_BYTES) {
          next = key.key();
          break;
        }
        if (!local && upTo.isBefore(key.floor())) {
          offer = GONE;
          rows.clear();
          break;
        }
        if (!state.maps.shows(upTo, key.key())) {
          continue;
        }
        VersionedValue row = newest(key, upTo, local);
        if (row != null) {
          rows.add(row);
          bytes += row.roughBytes();
          left -= row.value().isAbsent() ? 0 : 1;
        }
      }
    }
    answer(from, ask.txn(), ask.request(), offer, rows, next, out);
  }

  /**
   * The newest committed version of a key at or below a place; null if there is none. A local
   * reader learns what the value is made of: other merges below may commit later.
   */
  private @Nullable VersionedValue newest(KeyState key, TxnId upTo, boolean local) {
    return local ? key.committedSoFar(upTo, state.completeTo()) : key.committedUpTo(upTo);
  }

  private Offer offer(TxnId reader, PastLevel level, TxnId asked, boolean complete) {
    TxnId place =
        switch (level) {
          case LOCAL -> state.completeTo();
          case AT -> asked;
          case NEWEST -> Places.of(reader, newest());
        };
    // A replica that has missed a change would answer with what has moved.
    if (!complete || place.isAfter(state.completeTo()) || !state.maps.knowsTo(place)) {
      return BEHIND;
    }
    if (level == PastLevel.LOCAL) {
      // Until the watermark passes what was copied, a deletion above it may be missing.
      return state.erasedTo().isAfter(place) ? BEHIND : new Offer(PastState.READ, place);
    }
    boolean tooOld = place.isBefore(oldest());
    if (level == PastLevel.NEWEST) {
      return tooOld || place.isBefore(asked) ? BEHIND : new Offer(PastState.READ, place);
    }
    if (tooOld) {
      return GONE;
    }
    return new Offer(PastState.READ, place);
  }

  /** The lowest place whose versions are all here, but for those below the floors of their keys. */
  private TxnId oldest() {
    return ReplicaState.later(state.historyButForFloors(), state.erasedTo());
  }

  /** The newest place that is readable here, and in the other partitions as far as is known. */
  private TxnId newest() {
    TxnId here = state.completeTo();
    TxnId everywhere = state.horizon.everywhere();
    boolean known = !Places.before(everywhere).isBefore(oldest());
    return known && everywhere.isBefore(here) ? everywhere : here;
  }

  private void answer(
      Endpoint to,
      TxnId txn,
      int request,
      Offer offer,
      List<VersionedValue> rows,
      @Nullable Key next,
      Effects out) {
    out.send(to, new PastReply(txn, request, offer.state(), offer.place(), newest(), rows, next));
  }
}
