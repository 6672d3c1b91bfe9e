package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.CopiedVersion;
import org.mortydb.protocol.message.Message.Copy;
import org.mortydb.protocol.message.Message.CopyOutcomes;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/**
 * A copy of a peer's committed versions, part by part (docs/protocol.md, section 6). The copy is
 * complete up to the watermark that the peer had when it made the first part. Versions above that
 * watermark do no harm.
 */
final class Copying {

  /** Why a replica makes a copy, and what it does afterwards. */
  interface Purpose {
    /** The peer does not answer, or has not reached the watermark needed; the copy has ended. */
    void failed(Copying copy, Effects out);

    /** Everything at or below {@code upTo} is here. */
    void completed(TxnId upTo, Effects out);
  }

  private final ReplicaId peer;
  private final TxnId needed;
  private final TxnId since;
  private final int number;
  private final Purpose purpose;
  private int slot;
  private boolean versionsDone;
  private int slots;
  private TxnId after;
  private TxnId forgotten = TxnId.INITIAL;
  private final ArrayList<Standing> outcomes = new ArrayList<>();
  private TxnId watermark = TxnId.INITIAL;
  private TxnId erased = TxnId.INITIAL;
  private long resendMicros;
  private int resends;

  /**
   * @param peer the replica to copy
   * @param needed the watermark that the peer must have reached
   * @param since versions at or below it are not needed; initial for a copy of all keys
   * @param after outcomes at or below it are not needed
   * @param number of the copy; each has another
   * @param purpose learns how the copy ends
   */
  Copying(ReplicaId peer, TxnId needed, TxnId since, TxnId after, int number, Purpose purpose) {
    this.peer = peer;
    this.needed = needed;
    this.since = since;
    this.after = after;
    this.number = number;
    this.purpose = purpose;
  }

  ReplicaId peer() {
    return peer;
  }

  TxnId needed() {
    return needed;
  }

  Purpose purpose() {
    return purpose;
  }

  /** The number of this copy; a copy of all keys marks each key that it lists with it. */
  int number() {
    return number;
  }

  /** Whether this is a copy of all keys: a key that it does not list was absent at the peer. */
  boolean isOfAllKeys() {
    return since.equals(TxnId.INITIAL);
  }

  /**
   * Whether the peer may have dropped a deletion that this copy needs. Then this replica cannot
   * tell a key that was deleted from one that has not changed.
   */
  boolean lacksDeletions(CopyReply reply) {
    return !isOfAllKeys() && reply.erased().isAfter(since);
  }

  /** The peer may have dropped deletions at or below it. */
  TxnId erased() {
    return erased;
  }

  /** The part of these deletions that the copy is complete for. */
  TxnId erasedTo() {
    return erased.isBefore(watermark) ? erased : watermark;
  }

  /** The watermark up to which the copy is complete, once it has ended. */
  TxnId watermark() {
    return watermark;
  }

  void ask(long nowMicros, long resendAfterMicros, Effects out) {
    resendMicros = nowMicros + resendAfterMicros;
    out.send(peer, versionsDone ? new CopyOutcomes(after) : new Copy(since, slot));
  }

  /**
   * Asks again for a part that did not arrive.
   *
   * @return false if the peer has not answered for so long that another one should be asked
   */
  boolean onTick(long nowMicros, long resendAfterMicros, Effects out) {
    if (nowMicros >= resendMicros) {
      if (++resends > 3) {
        return false;
      }
      ask(nowMicros, resendAfterMicros, out);
    }
    return true;
  }

  /**
   * Whether a reply is the part that the copy waits for. Replies to an earlier copy of the same
   * peer may arrive late. They may leave out more keys, or be older than the first part of this
   * copy.
   */
  boolean expects(ReplicaId from, CopyReply reply) {
    return from.equals(peer)
        && !versionsDone
        && reply.since().equals(since)
        && reply.slot() == slot
        && !reply.watermark().isBefore(watermark);
  }

  /** Whether the peer has reached the watermark needed; checked with the first part. */
  boolean isGoodEnough(CopyReply reply) {
    return slot > 0 || !needed.isAfter(reply.watermark());
  }

  /**
   * The transaction below which this copy lacks versions of a key. A later part is complete up to a
   * higher watermark. It lacks versions that the peer had discarded by then, and that a reader
   * above the watermark of this copy may need.
   */
  TxnId floor(CopyReply reply, CopiedVersion copied) {
    TxnId completeTo = completeTo(reply);
    TxnId writer = copied.version().writer();
    boolean later = writer.isAfter(completeTo) && !writer.isAfter(reply.watermark());
    return later && writer.isAfter(copied.floor()) ? writer : copied.floor();
  }

  /** The watermark up to which this copy will be complete, which the first part says. */
  TxnId completeTo(CopyReply reply) {
    return slot == 0 ? reply.watermark() : watermark;
  }

  /** How much of the versions has arrived, from 0 to 1. */
  double progress() {
    return versionsDone ? 1 : slots == 0 ? 0 : Math.min(1, (double) slot / slots);
  }

  /** Takes note of a part of the versions, and asks for the next part. */
  void advance(CopyReply reply, long nowMicros, long resendAfterMicros, Effects out) {
    if (slot == 0) {
      watermark = reply.watermark();
    }
    resends = 0;
    slots = reply.slots();
    erased = ReplicaState.later(erased, reply.erased());
    if (reply.next() < 0) {
      versionsDone = true;
    } else {
      slot = reply.next();
    }
    ask(nowMicros, resendAfterMicros, out);
  }

  /**
   * Takes note of a part of the outcomes, and asks for the next part. A reply to an earlier copy,
   * or of a peer that has restarted, may end below the watermark of this copy.
   *
   * @return whether it was the last part, so that the copy has ended
   */
  boolean onOutcomes(
      ReplicaId from,
      CopyOutcomesReply reply,
      long nowMicros,
      long resendAfterMicros,
      Effects out) {
    if (!from.equals(peer)
        || !versionsDone
        || !reply.after().equals(after)
        || reply.watermark().isBefore(watermark)) {
      return false;
    }
    resends = 0;
    forgotten = reply.forgotten().isAfter(forgotten) ? reply.forgotten() : forgotten;
    outcomes.addAll(reply.outcomes());
    if (reply.next().equals(TxnId.INITIAL)) {
      return true;
    }
    after = reply.next();
    ask(nowMicros, resendAfterMicros, out);
    return false;
  }

  /** The peer had discarded the outcomes at or below this transaction. */
  TxnId forgotten() {
    return forgotten;
  }

  /** The commits that the peer had kept. */
  List<Standing> outcomes() {
    return outcomes;
  }
}
