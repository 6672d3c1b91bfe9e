package org.mortydb.protocol.replica;

import java.util.ArrayList;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Copy;
import org.mortydb.protocol.message.Message.CopyOutcomes;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/**
 * Answers a peer that catches up or joins with this replica's versions and outcomes
 * (docs/protocol.md, section 6).
 */
final class CopySource {
  private static final long MAX_COPIED_BYTES = 1 << 20;

  private final ReplicaState state;
  private final int maxVersions;

  /** Most keys may have no version that the peer lacks. */
  private final int maxSlots;

  private final int maxOutcomes;

  CopySource(ReplicaState state) {
    this.state = state;
    this.maxVersions = state.options.copiedVersions();
    this.maxSlots = Math.multiplyExact(8, maxVersions);
    this.maxOutcomes = 2 * maxVersions;
  }

  void onCopy(ReplicaId from, Copy copy, Effects out) {
    if (copy.slot() < 0) {
      return;
    }
    ArrayList<Message.CopiedVersion> part = new ArrayList<>();
    long bytes = 0;
    int slot = copy.slot();
    int end = (int) Math.min(state.keys.slots(), (long) slot + maxSlots);
    while (slot < end && part.size() < maxVersions && bytes < MAX_COPIED_BYTES) {
      KeyState key = state.keys.at(slot++);
      if (key != null) {
        bytes += key.addCopied(copy.since(), state.horizon.watermark(), part);
      }
    }
    int next = slot < state.keys.slots() ? slot : -1;
    out.send(
        from,
        new CopyReply(copy.slot(), next, state.keys.slots(), state.horizon.watermark(), part));
  }

  void onCopyOutcomes(ReplicaId from, CopyOutcomes copy, Effects out) {
    TxnId end = state.records.after(copy.after(), maxOutcomes);
    boolean isLast = !end.isBefore(state.horizon.watermark());
    ArrayList<Standing> outcomes = new ArrayList<>();
    for (TxnRecord txn :
        state.records.between(copy.after(), isLast ? state.horizon.watermark() : end)) {
      if (txn.outcome() instanceof Outcome.Commit commit) {
        outcomes.add(new Standing(txn.id(), commit));
      }
    }
    TxnId next = isLast ? TxnId.INITIAL : end;
    out.send(from, new CopyOutcomesReply(copy.after(), next, state.horizon.forgotten(), outcomes));
  }
}
