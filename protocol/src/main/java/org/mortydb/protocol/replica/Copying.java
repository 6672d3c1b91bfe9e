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
 * A copy of a peer's committed versions, part by part (docs/protocol.md, section 6). It is complete
 * up to the watermark that the peer had when the first part was made; what is above it in the copy
 * does no harm.
 */
final class Copying {

  /** Why a copy is made, and what follows from it. */
  interface Purpose {
    /** The peer does not answer, or knows too little; the copy has been given up. */
    void failed(Copying copy, Effects out);

    /** Everything at or below {@code upTo} is here. */
    void completed(TxnId upTo, Effects out);
  }

  private final ReplicaId peer;
  private final TxnId needed;
  private final Purpose purpose;
  private int slot;
  private boolean versionsDone;
  private TxnId after = TxnId.INITIAL;
  private TxnId forgotten = TxnId.INITIAL;
  private final ArrayList<Standing> outcomes = new ArrayList<>();
  private TxnId watermark = TxnId.INITIAL;
  private long resendMicros;
  private int resends;

  /**
   * @param peer whom to ask
   * @param needed the watermark that the peer must have reached
   * @param purpose who is told how it ends
   */
  Copying(ReplicaId peer, TxnId needed, Purpose purpose) {
    this.peer = peer;
    this.needed = needed;
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

  /** What the copy is complete up to, once it has ended. */
  TxnId watermark() {
    return watermark;
  }

  void ask(long nowMicros, long resendAfterMicros, Effects out) {
    resendMicros = nowMicros + resendAfterMicros;
    out.send(peer, versionsDone ? new CopyOutcomes(after) : new Copy(slot));
  }

  /**
   * Asks again for what did not come.
   *
   * @return false when the peer has not answered for so long that another should be asked
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

  /** Whether a reply is the part that is waited for. */
  boolean expects(ReplicaId from, CopyReply reply) {
    return from.equals(peer) && !versionsDone && reply.slot() == slot;
  }

  /** Whether the peer knows enough; looked at with the first part. */
  boolean isGoodEnough(CopyReply reply) {
    return slot > 0 || !needed.isAfter(reply.watermark());
  }

  /**
   * Below what transaction the key's history is not to be had from this copy: that of a part which
   * was made later is complete up to a higher watermark, and lacks what had become superfluous by
   * then, which a reader above the copy's own watermark may need.
   */
  TxnId floor(CopyReply reply, CopiedVersion copied) {
    TxnId completeTo = slot == 0 ? reply.watermark() : watermark;
    TxnId writer = copied.version().writer();
    boolean later = writer.isAfter(completeTo) && !writer.isAfter(reply.watermark());
    return later && writer.isAfter(copied.floor()) ? writer : copied.floor();
  }

  /** Takes note of a part of the versions, and asks for what comes next. */
  void advance(CopyReply reply, long nowMicros, long resendAfterMicros, Effects out) {
    if (slot == 0) {
      watermark = reply.watermark();
    }
    resends = 0;
    if (reply.next() < 0) {
      versionsDone = true;
    } else {
      slot = reply.next();
    }
    ask(nowMicros, resendAfterMicros, out);
  }

  /**
   * Takes note of a part of the outcomes, and asks for the next.
   *
   * @return whether it was the last, and with it the copy has ended
   */
  boolean onOutcomes(
      ReplicaId from,
      CopyOutcomesReply reply,
      long nowMicros,
      long resendAfterMicros,
      Effects out) {
    if (!from.equals(peer) || !versionsDone || !reply.after().equals(after)) {
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

  /** What the peer had kept no outcomes of. */
  TxnId forgotten() {
    return forgotten;
  }

  /** The commits that the peer had kept. */
  List<Standing> outcomes() {
    return outcomes;
  }
}
