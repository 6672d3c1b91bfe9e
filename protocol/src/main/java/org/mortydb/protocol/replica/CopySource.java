package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Copy;
import org.mortydb.protocol.message.Message.CopyOutcomes;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/**
 * Answers a peer that catches up or joins with this replica's versions and outcomes
 * (docs/protocol.md, section 6).
 */
final class CopySource {
  private static final long MAX_COPIED_BYTES = 1 << 20;

  /** Parts that nobody waits for are so much smaller, and delay other work less. */
  private static final int SMALLER_AHEAD = 4;

  /** It takes as long to pass so many keys that have not changed as to examine one. */
  private static final int PASSED_FOR_ONE = 16;

  /**
   * What a peer that copies has, or will have at the end of its copy. It needs the deletions above,
   * so that its next copy can be one of the changes alone.
   */
  private record Hold(TxnId above, long untilMicros) {}

  /** What a part of a copy has of one key. */
  @FunctionalInterface
  private interface CopiedKey {
    /** Adds the versions to the part, and returns the size of their keys and values in bytes. */
    long addTo(List<Message.CopiedVersion> part, KeyState key);
  }

  /**
   * One part of a copy.
   *
   * @param examined how many keys the part is about
   * @param next the lowest key of the next part; null if there is none
   */
  private record Part(List<Message.CopiedVersion> versions, int examined, @Nullable Key next) {
    static final Part EMPTY = new Part(List.of(), 0, null);
  }

  private final ReplicaState state;
  private final DeferredVersions deferred;
  private final int maxVersions;

  /** Most keys may have no version that the peer lacks. */
  private final int maxKeys;

  private final int maxOutcomes;

  private final HashMap<ReplicaId, Hold> holds = new HashMap<>();

  CopySource(ReplicaState state, DeferredVersions deferred) {
    this.state = state;
    this.deferred = deferred;
    this.maxVersions = state.options.copiedVersions();
    this.maxKeys = Math.multiplyExact(8, maxVersions);
    this.maxOutcomes = 2 * maxVersions;
  }

  /** The highest transaction at or below {@code wanted} up to which deletions may be dropped. */
  TxnId mayDrop(TxnId wanted) {
    holds.values().removeIf(hold -> hold.untilMicros <= state.elapsedMicros);
    TxnId lowest = wanted;
    for (Hold hold : holds.values()) {
      lowest = hold.above.isBefore(lowest) ? hold.above : lowest;
    }
    return lowest;
  }

  private void hold(ReplicaId peer, TxnId above) {
    holds.put(peer, new Hold(above, state.elapsedMicros + state.options.holdMicros()));
  }

  void onCopy(ReplicaId from, Copy copy, Effects out) {
    if (from.partition() != state.self.partition()) {
      onHandOver(from, copy, out);
      return;
    }
    TxnId watermark = state.horizon.watermark();
    if (state.lacksHistoryAbove(watermark)) {
      nothing(from, copy, out);
      return;
    }
    boolean isFirst = copy.upTo().equals(TxnId.INITIAL);
    TxnId complete = isFirst ? watermark : copy.upTo();
    hold(from, copy.since().equals(TxnId.INITIAL) ? complete : copy.since());
    Part copied =
        scan(
            copy.from(),
            copy.since(),
            maxVersions,
            (part, key) -> {
              long bytes = key.addCopied(copy.since(), watermark, part);
              if (key.floor().isAfter(watermark)) {
                bytes += deferred.addFloor(key, part);
              }
              return bytes;
            });
    out.send(from, reply(copy, copied, watermark, state.erasedTo(), state.maps.dropped()));
  }

  /**
   * This replica joins: it has reached no watermark that a peer could need. The peer asks another
   * one then, and need not wait for an answer.
   */
  void onCopyWhileJoining(ReplicaId from, Copy copy, Effects out) {
    if (from.partition() == state.self.partition()) {
      nothing(from, copy, out);
    }
  }

  private void nothing(ReplicaId to, Copy copy, Effects out) {
    out.send(to, reply(copy, Part.EMPTY, TxnId.INITIAL, TxnId.INITIAL, 0));
  }

  /**
   * A new partition copies what moves there: most of it ahead of the cut, and the changes since at
   * a watermark at or above the cut. Nothing above the cut commits here of that, so the newest
   * committed version is then the one at the cut.
   */
  private void onHandOver(ReplicaId to, Copy copy, Effects out) {
    ClusterMap map = state.maps.handingTo(to.partition());
    TxnId watermark = state.horizon.watermark();
    if (map == null || state.lacksHistoryAbove(watermark)) {
      return; // not proposed yet as far as this replica knows, or dropped
    }
    if (watermark.isBefore(copy.upTo())) {
      nothing(to, copy, out);
      return;
    }
    TxnId complete = copy.upTo().equals(TxnId.INITIAL) ? watermark : copy.upTo();
    boolean isUrgent = !complete.isBefore(map.cut());
    hold(to, copy.since().equals(TxnId.INITIAL) ? complete : copy.since());
    Part copied =
        scan(
            copy.from(),
            copy.since(),
            isUrgent ? maxVersions : Math.max(1, maxVersions / SMALLER_AHEAD),
            (part, key) ->
                map.partitionOf(key.key()) == to.partition() && state.maps.handsOver(key.key(), map)
                    ? key.addCopied(copy.since(), watermark, part)
                    : 0);
    out.send(to, reply(copy, copied, watermark, state.erasedTo(), 0));
  }

  /**
   * Examines keys in their order, from one on, until the part is large enough.
   *
   * @param since the part has no versions at or below it
   * @param mostVersions a part with so many versions is large enough
   */
  private Part scan(Key from, TxnId since, int mostVersions, CopiedKey copied) {
    ArrayList<Message.CopiedVersion> part = new ArrayList<>();
    long bytes = 0;
    int examined = 0;
    if (since.equals(TxnId.INITIAL)) {
      for (KeyState key : state.keys.from(from)) {
        if (isEnough(examined, part, bytes, mostVersions)) {
          return new Part(part, examined, key.key());
        }
        examined++;
        bytes += copied.addTo(part, key);
      }
      return new Part(part, examined, null);
    }
    KeyTable.Changed changed = state.keys.changedFrom(from, since.timeMicros());
    while (changed.hasNext()) {
      int passed = changed.passed();
      KeyState key = changed.next();
      if (isEnough(examined + passed / PASSED_FOR_ONE, part, bytes, mostVersions)) {
        return new Part(part, examined + passed, key.key());
      }
      examined++;
      bytes += copied.addTo(part, key);
    }
    return new Part(part, examined + changed.passed(), null);
  }

  private boolean isEnough(
      int examined, List<Message.CopiedVersion> part, long bytes, int mostVersions) {
    return examined >= maxKeys || part.size() >= mostVersions || bytes >= MAX_COPIED_BYTES;
  }

  private CopyReply reply(Copy copy, Part part, TxnId watermark, TxnId erased, int dropped) {
    return new CopyReply(
        copy.since(),
        copy.from(),
        part.next(),
        part.examined(),
        state.keys.size(),
        watermark,
        erased,
        dropped,
        part.versions());
  }

  void onCopyOutcomes(ReplicaId from, CopyOutcomes copy, Effects out) {
    Hold held = holds.get(from);
    if (held != null) {
      hold(from, held.above);
    }
    TxnId watermark = state.horizon.watermark();
    TxnId fits = state.records.upTo(copy.after(), watermark, MAX_COPIED_BYTES);
    TxnId after = state.records.after(copy.after(), maxOutcomes);
    TxnId end = after.isBefore(fits) ? after : fits;
    boolean isLast = !end.isBefore(watermark);
    ArrayList<Standing> outcomes = new ArrayList<>();
    for (TxnRecord txn : state.records.between(copy.after(), end)) {
      if (txn.outcome() instanceof Outcome.Commit commit) {
        outcomes.add(new Standing(txn.id(), commit));
      }
    }
    TxnId next = isLast ? TxnId.INITIAL : end;
    out.send(
        from,
        new CopyOutcomesReply(copy.after(), next, watermark, state.horizon.forgotten(), outcomes));
  }
}
