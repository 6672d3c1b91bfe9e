package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.CutReply;
import org.mortydb.protocol.message.Message.CutState;
import org.mortydb.protocol.message.Message.ReadCut;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;

/**
 * Answers a backup with the state at a cut of the serial order (docs/protocol.md, section 11): for
 * each key the newest version that a transaction at or below the cut has committed. Once the
 * watermark has reached the cut, that state cannot change. So a backup reads it without votes, and
 * hinders no transaction.
 */
final class CutSource {
  private static final int MAX_CUTS = 8;
  private static final int MAX_ANSWERED_BYTES = 1 << 20;
  private static final int MAX_EXAMINED_KEYS = 16_384;

  private final ReplicaState state;
  private final Refusals refusals;

  CutSource(ReplicaState state, Refusals refusals) {
    this.state = state;
    this.refusals = refusals;
  }

  /**
   * @param complete whether this replica lacks no versions; false while it copies a peer
   */
  void onReadCut(Endpoint from, ReadCut ask, boolean complete, Effects out) {
    if (refusals.refusesRange(from, ask.cut(), ask.range(), out)) {
      return;
    }
    TxnId cut = ask.cut();
    if (!state.cuts.contains(cut)) {
      boolean late =
          cut.isAfter(state.horizon.watermark())
              ? state.lacksHistoryAbove(cut)
              : state.rules.holdsCuts() && !isComplete(cut);
      if (!complete || late || state.cuts.isBelowFloor(cut)) {
        ReplicaState.mark(cut, Branch.CUT_GONE, out);
        answer(from, ask, CutState.GONE, List.of(), null, out);
        return;
      }
      if (state.cuts.size() >= MAX_CUTS) {
        answer(from, ask, CutState.BUSY, List.of(), null, out);
        return;
      }
    }
    if (state.rules.holdsCuts()) {
      state.cuts.hold(cut, state.elapsedMicros + state.options.holdMicros());
    }
    // What has moved away below the cut must not be shown.
    if (cut.isAfter(state.horizon.watermark()) || !state.maps.knowsTo(cut)) {
      answer(from, ask, CutState.HELD, List.of(), null, out);
    } else {
      read(from, ask, out);
    }
  }

  /**
   * Whether the watermark is in the future, because clocks were ahead, and nothing committed
   * between the cut and the watermark. Then every version that belongs to the cut is here.
   */
  private boolean isComplete(TxnId cut) {
    TxnId watermark = state.horizon.watermark();
    if (!state.isAhead(watermark)) {
      return false;
    }
    for (KeyState key : state.keys.all()) {
      int newest = key.versions().newestCommittedUpTo(watermark);
      if (newest >= 0 && key.versions().get(newest).writer().isAfter(cut)) {
        return false;
      }
    }
    return true;
  }

  private void read(Endpoint from, ReadCut ask, Effects out) {
    ArrayList<VersionedValue> rows = new ArrayList<>();
    Key next = null;
    long bytes = 0;
    int examined = 0;
    int limit = Math.min(ask.limit(), MAX_ANSWERED_BYTES);
    for (KeyState key : state.keys.in(ask.range())) {
      if (bytes >= limit || ++examined > MAX_EXAMINED_KEYS) {
        next = key.key();
        break;
      }
      VersionedValue row = key.committedUpTo(ask.cut());
      if (row == null || !state.maps.shows(ask.cut(), key.key())) {
        continue;
      }
      rows.add(row);
      bytes += key.key().size() + row.value().size();
    }
    ReplicaState.mark(ask.cut(), Branch.CUT_READ, out);
    answer(from, ask, CutState.READ, rows, next, out);
  }

  private void answer(
      Endpoint to,
      ReadCut ask,
      CutState cutState,
      List<VersionedValue> rows,
      @Nullable Key next,
      Effects out) {
    TxnId watermark = state.horizon.watermark();
    int map = cutState == CutState.READ ? state.maps.history().at(ask.cut()).number() : 0;
    out.send(to, new CutReply(ask.cut(), ask.range().from(), cutState, watermark, rows, next, map));
  }
}
