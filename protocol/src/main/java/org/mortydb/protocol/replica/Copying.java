package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.CopiedVersion;
import org.mortydb.protocol.message.Message.Copy;
import org.mortydb.protocol.message.Message.CopyOutcomes;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/**
 * A copy of a peer's committed versions, part by part in the order of the keys (docs/protocol.md,
 * section 6). The peer remembers nothing of it that matters, so it may restart in between. The copy
 * is complete up to the watermark that the peer had when it made the first part. Versions above
 * that watermark do no harm.
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
  private final int mostResends;

  /** The lowest key of the part that the copy waits for; empty for the first part alone. */
  private Key from = KeyRange.ALL.from();

  private boolean versionsDone;
  private long examined;
  private int keys;
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
   * @param mostResends how often the peer is asked again for a part before it counts as silent
   */
  Copying(
      ReplicaId peer,
      TxnId needed,
      TxnId since,
      TxnId after,
      int number,
      Purpose purpose,
      int mostResends) {
    this.peer = peer;
    this.needed = needed;
    this.since = since;
    this.after = after;
    this.number = number;
    this.purpose = purpose;
    this.mostResends = mostResends;
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
   * Whether the peer may have dropped a deletion that this copy needs. A copy of changes could not
   * tell a key that was deleted from one that has not changed. A copy of all keys needs those above
   * its watermark: it would lack a key that had a value there. A peer that has restarted drops
   * deletions until it is asked for the next part.
   */
  boolean lacksDeletions(CopyReply reply) {
    return reply.erased().isAfter(isOfAllKeys() ? completeTo(reply) : since);
  }

  /** The peer may have dropped deletions at or below it. It is not above {@link #watermark}. */
  TxnId erased() {
    return erased;
  }

  /** The watermark up to which the copy is complete, once it has ended. */
  TxnId watermark() {
    return watermark;
  }

  void ask(long elapsedMicros, long resendAfterMicros, Effects out) {
    resendMicros = elapsedMicros + resendAfterMicros;
    out.send(peer, versionsDone ? new CopyOutcomes(after) : new Copy(since, from, watermark));
  }

  /**
   * Asks again for a part that did not arrive.
   *
   * @return false if the peer has not answered for so long that another one should be asked
   */
  boolean onTick(long elapsedMicros, long resendAfterMicros, Effects out) {
    if (elapsedMicros >= resendMicros) {
      if (++resends > mostResends) {
        return false;
      }
      ask(elapsedMicros, resendAfterMicros, out);
    }
    return true;
  }

  /**
   * Whether a reply is the part that the copy waits for. Replies to an earlier copy of the same
   * peer may arrive late. They may leave out more keys, or be older than the first part of this
   * copy.
   */
  boolean expects(ReplicaId sender, CopyReply reply) {
    @Nullable Key next = reply.next();
    return sender.equals(peer)
        && !versionsDone
        && reply.since().equals(since)
        && reply.from().equals(from)
        && (next == null || next.compareTo(from) > 0)
        && !reply.watermark().isBefore(watermark);
  }

  private boolean isFirst() {
    return from.size() == 0;
  }

  /**
   * Whether the peer has reached the watermark needed, and holds all that it had at its watermark;
   * checked with the first part. One that has died at the end of its own copy may have erased keys,
   * and not know the new watermark.
   */
  boolean isGoodEnough(CopyReply reply) {
    TxnId reached = reply.watermark();
    return !isFirst() || !(needed.isAfter(reached) || reply.erased().isAfter(reached));
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
    return isFirst() ? reply.watermark() : watermark;
  }

  /** How much of the versions has arrived, from 0 to 1. */
  double progress() {
    return versionsDone ? 1 : keys == 0 ? 0 : Math.min(1, (double) examined / keys);
  }

  /** Takes note of a part of the versions, and asks for the next part. */
  void advance(CopyReply reply, long elapsedMicros, long resendAfterMicros, Effects out) {
    watermark = completeTo(reply);
    resends = 0;
    examined += reply.examined();
    keys = reply.keys();
    erased = ReplicaState.later(erased, reply.erased());
    @Nullable Key next = reply.next();
    if (next == null) {
      versionsDone = true;
    } else {
      from = next;
    }
    ask(elapsedMicros, resendAfterMicros, out);
  }

  /**
   * Takes note of a part of the outcomes, and asks for the next part. A reply to an earlier copy,
   * or of a peer that has restarted, may end below the watermark of this copy.
   *
   * @return whether it was the last part, so that the copy has ended
   */
  boolean onOutcomes(
      ReplicaId sender,
      CopyOutcomesReply reply,
      long elapsedMicros,
      long resendAfterMicros,
      Effects out) {
    if (!sender.equals(peer)
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
    ask(elapsedMicros, resendAfterMicros, out);
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
