package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PrimitiveIterator;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.message.Message.TruncateAck;
import org.mortydb.protocol.message.Message.TruncateCommit;
import org.mortydb.protocol.message.Message.TruncatePrepare;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.message.Message.Watermark;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/**
 * One round of truncation, as its proposer sees it (docs/protocol.md, section 6). Replicas fence a
 * watermark and report what they know below it; f+1 of them know everything there that can have
 * committed. Once all of that is decided, the proposer sends the watermark and the commits below it
 * to all replicas.
 *
 * <p>Several replicas may propose at once. Below a watermark the commits are facts, so rounds never
 * contradict each other.
 */
final class Truncation {
  private enum Phase {
    IDLE,
    /** Waits until f+1 replicas have fenced the watermark. */
    FENCING,
    /** Waits until all transactions that were reported are decided here. */
    DECIDING,
    /** Waits until f+1 replicas have reached the watermark. */
    COMMITTING
  }

  private static final int MOST_DOUBLINGS = 3;

  private final ReplicaId self;
  private final int f;
  private final RoundOutcomes roundOutcomes;
  private final boolean countsItself;

  private Phase phase = Phase.IDLE;
  private TxnId base = TxnId.INITIAL;
  private TxnId watermark = TxnId.INITIAL;
  private long joinerMicros;
  private final BitSet answered = new BitSet();

  /** The watermark that each replica has reported as reached. */
  private final @Nullable TxnId[] applied;

  private final Map<TxnId, Standing> reported = new LinkedHashMap<>();
  private final ArrayList<TxnId> open = new ArrayList<>();
  private List<Standing> commits = List.of();

  /** The highest number of a map that the replicas of the round know of, up to the watermark. */
  private int change;

  private int resends;
  private long resendMicros;
  private int firstAck = -1;

  /**
   * @param countsItself false for a replica without memory, whose own answer proves nothing
   */
  Truncation(ReplicaId self, int f, RoundOutcomes roundOutcomes, boolean countsItself) {
    this.self = self;
    this.f = f;
    this.roundOutcomes = roundOutcomes;
    this.countsItself = countsItself;
    this.applied = new TxnId[2 * f + 1];
  }

  boolean isIdle() {
    return phase == Phase.IDLE;
  }

  /**
   * Begins a round; gives up the current one.
   *
   * @param clockMicros the clock of a replica that joins; 0 if it serves
   */
  void propose(
      TxnId newWatermark,
      long clockMicros,
      long elapsedMicros,
      long resendAfterMicros,
      Effects out) {
    phase = Phase.FENCING;
    // A replica that joins may alone have reached its watermark, and cannot be copied. The round
    // begins at the highest watermark of the others that answer.
    base = countsItself ? roundOutcomes.base() : TxnId.INITIAL;
    watermark = newWatermark;
    joinerMicros = clockMicros;
    answered.clear();
    reported.clear();
    open.clear();
    commits = List.of();
    change = 0;
    firstAck = -1;
    Arrays.fill(applied, null);
    resends = 0;
    resendMicros = elapsedMicros + resendAfterMicros;
    sendPrepare(out);
  }

  /** Gives up a round that has not ended: late answers get no result of it. */
  void abandon() {
    phase = Phase.IDLE;
    watermark = TxnId.INITIAL;
  }

  /**
   * Sends again the messages that were not answered, with the clock of a replica that joins. The
   * pause doubles: answers can be large, and on a slow link each repeated question would delay them
   * further.
   */
  void onTick(long clockMicros, long elapsedMicros, long resendAfterMicros, Effects out) {
    commitOnceDecided(out);
    if (phase != Phase.IDLE && elapsedMicros >= resendMicros) {
      joinerMicros = clockMicros;
      resends = Math.min(resends + 1, MOST_DOUBLINGS);
      resendMicros = elapsedMicros + (resendAfterMicros << resends);
      switch (phase) {
        case FENCING -> sendPrepare(out);
        case COMMITTING -> sendCommits(out);
        case DECIDING, IDLE -> {}
      }
    }
  }

  /** Asks for the fence. A replica fences its own proposal last, once f others have. */
  private void sendPrepare(Effects out) {
    for (int i = 0; i <= 2 * f; i++) {
      if (!answered.get(i) && i != self.index()) {
        sendPrepare(i, out);
      }
    }
    sendPrepareToItself(out);
  }

  private void sendPrepareToItself(Effects out) {
    if (countsItself && !answered.get(self.index()) && answered.cardinality() >= f) {
      sendPrepare(self.index(), out);
    }
  }

  private void sendPrepare(int index, Effects out) {
    out.send(new ReplicaId(self.partition(), index), new TruncatePrepare(watermark, joinerMicros));
  }

  /**
   * A replica has answered the proposal.
   *
   * @return whether it has a higher watermark than this replica, so that the round is given up
   */
  boolean onReply(ReplicaId from, TruncateReply reply, Effects out) {
    if (!reply.watermark().equals(watermark)
        || from.partition() != self.partition()
        || (!countsItself && from.equals(self))
        || roundOutcomes.isAhead(reply.applied())) {
      return false;
    }
    applied[from.index()] = reply.applied();
    if ((phase == Phase.COMMITTING || phase == Phase.IDLE) && reply.applied().isBefore(base)) {
      sendCommits(from, out);
    }
    if (phase != Phase.FENCING) {
      return false;
    }
    if (reply.applied().isAfter(base)) {
      if (countsItself) {
        abandon();
        return true;
      }
      base = reply.applied(); // replicas that have not reached it catch up by themselves
    }
    answered.set(from.index());
    change = Math.max(change, reply.change());
    for (Standing standing : reply.standings()) {
      reported.merge(standing.txn(), standing, (a, b) -> a.outcome() != null ? a : b);
    }
    if (answered.cardinality() <= f) {
      sendPrepareToItself(out);
      return false;
    }
    phase = Phase.DECIDING;
    // Everything at or below the base is decided; only a replica that is behind reports it.
    reported.keySet().removeIf(txn -> !txn.isAfter(base));
    for (Standing standing : new ArrayList<>(reported.values())) {
      if (!roundOutcomes.isKnown(standing.txn())) {
        open.add(standing.txn());
        roundOutcomes.take(standing, out);
      }
    }
    commitOnceDecided(out);
    return false;
  }

  private void commitOnceDecided(Effects out) {
    if (phase != Phase.DECIDING) {
      return;
    }
    if (countsItself && roundOutcomes.base().isAfter(base)) {
      // Another proposer was faster. This replica may have forgotten commits above the base since.
      abandon();
      return;
    }
    open.removeIf(roundOutcomes::isKnown);
    if (!open.isEmpty()) {
      return;
    }
    ArrayList<Standing> found = new ArrayList<>();
    for (Standing standing : reported.values()) {
      Outcome outcome = roundOutcomes.outcomeOf(standing.txn());
      if (!standing.txn().isAfter(watermark)
          && outcome instanceof Outcome.Commit(int ignored, List<Integer> participants)
          && participants.contains(self.partition())) {
        found.add(new Standing(standing.txn(), outcome));
      }
    }
    reported.clear();
    commits = found;
    phase = Phase.COMMITTING;
    resends = 0;
    answered.clear();
    sendCommits(out);
  }

  private void sendCommits(Effects out) {
    for (int i = 0; i <= 2 * f; i++) {
      if (!answered.get(i) && (countsItself || i != self.index())) {
        sendCommits(new ReplicaId(self.partition(), i), out);
      }
    }
  }

  /** Sends the commits; to a replica that missed rounds also theirs, so that it need not copy. */
  private void sendCommits(ReplicaId to, Effects out) {
    TxnId reached = applied[to.index()];
    if (reached == null || !reached.isBefore(base)) {
      out.send(to, new TruncateCommit(base, watermark, commits, change));
      return;
    }
    List<Standing> more = roundOutcomes.commits(reached, watermark);
    out.send(
        to,
        more == null
            ? new Behind(base, watermark)
            : new TruncateCommit(reached, watermark, more, change));
  }

  /** A replica has reached the watermark; once f+1 have, all partitions learn it. */
  void onAck(ReplicaId from, TruncateAck ack, PrimitiveIterator.OfInt partitions, Effects out) {
    if (phase != Phase.COMMITTING
        || !ack.watermark().equals(watermark)
        || from.partition() != self.partition()) {
      return;
    }
    if (firstAck < 0) {
      firstAck = from.index();
    }
    answered.set(from.index());
    if (answered.cardinality() <= f) {
      return;
    }
    phase = Phase.IDLE;
    while (partitions.hasNext()) {
      out.broadcast(partitions.nextInt(), new Watermark(self.partition(), watermark));
    }
  }

  /** The first replica that has acknowledged the watermark; -1 if none. */
  int firstAck() {
    return firstAck;
  }

  TxnId watermark() {
    return watermark;
  }
}
