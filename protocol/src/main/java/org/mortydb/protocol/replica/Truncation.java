package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message;
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
 * watermark and tell what they know below it; f+1 of them know of everything there that can have
 * committed. When all of that is decided, the watermark and the commits below it are told to all.
 *
 * <p>Any replica may propose, also several at once: below a watermark the commits are facts, so
 * rounds never contradict each other.
 */
final class Truncation {
  private enum Phase {
    IDLE,
    /** Waits for f+1 fences. */
    FENCING,
    /** Waits until all that was told of is decided here. */
    SETTLING,
    /** Waits for f+1 replicas that have reached the watermark. */
    COMMITTING
  }

  private static final int MOST_DOUBLINGS = 3;

  private final ReplicaId self;
  private final int f;
  private final Settlement settlement;
  private final boolean countsItself;

  private Phase phase = Phase.IDLE;
  private TxnId base = TxnId.INITIAL;
  private TxnId watermark = TxnId.INITIAL;
  private final BitSet answered = new BitSet();

  /** The watermarks that replicas said they had reached. */
  private final @Nullable TxnId[] applied;

  private final Map<TxnId, Standing> told = new LinkedHashMap<>();
  private final ArrayList<TxnId> open = new ArrayList<>();
  private List<Standing> commits = List.of();
  private int resends;
  private long resendMicros;
  private int firstAck = -1;

  /**
   * @param countsItself false for a replica that remembers nothing, whose word means nothing
   */
  Truncation(ReplicaId self, int f, Settlement settlement, boolean countsItself) {
    this.self = self;
    this.f = f;
    this.settlement = settlement;
    this.countsItself = countsItself;
    this.applied = new TxnId[2 * f + 1];
  }

  boolean isIdle() {
    return phase == Phase.IDLE;
  }

  /** Begins a round, instead of the one under way. */
  void propose(TxnId newWatermark, long nowMicros, long resendAfterMicros, Effects out) {
    phase = Phase.FENCING;
    base = settlement.base();
    watermark = newWatermark;
    answered.clear();
    told.clear();
    open.clear();
    commits = List.of();
    firstAck = -1;
    Arrays.fill(applied, null);
    resends = 0;
    resendMicros = nowMicros + resendAfterMicros;
    send(new TruncatePrepare(watermark), out);
  }

  /** Ends a round that has not settled. Who answers it late must not be told what it has found. */
  void abandon() {
    phase = Phase.IDLE;
    watermark = TxnId.INITIAL;
  }

  /**
   * Looks after the round; sends again what was not answered, more and more rarely: answers can be
   * large, and on a slow link each question would else put the answer off for longer.
   */
  void onTick(long nowMicros, long resendAfterMicros, Effects out) {
    settle(out);
    if (phase != Phase.IDLE && nowMicros >= resendMicros) {
      resends = Math.min(resends + 1, MOST_DOUBLINGS);
      resendMicros = nowMicros + (resendAfterMicros << resends);
      switch (phase) {
        case FENCING -> send(new TruncatePrepare(watermark), out);
        case COMMITTING -> tellCommits(out);
        case SETTLING, IDLE -> {}
      }
    }
  }

  private void send(Message message, Effects out) {
    for (int i = 0; i <= 2 * f; i++) {
      if (!answered.get(i) && (countsItself || i != self.index())) {
        out.send(new ReplicaId(self.partition(), i), message);
      }
    }
  }

  /**
   * A replica has answered the proposal.
   *
   * @return whether it has gone further than this replica, so that the round is given up
   */
  boolean onReply(ReplicaId from, TruncateReply reply, Effects out) {
    if (!reply.watermark().equals(watermark)
        || from.partition() != self.partition()
        || (!countsItself && from.equals(self))) {
      return false;
    }
    applied[from.index()] = reply.applied();
    if ((phase == Phase.COMMITTING || phase == Phase.IDLE) && reply.applied().isBefore(base)) {
      tellCommits(from, out);
    }
    if (phase != Phase.FENCING) {
      return false;
    }
    if (reply.applied().isAfter(base)) {
      if (countsItself) {
        abandon();
        return true;
      }
      base = reply.applied(); // those that are not there yet catch up by themselves
    }
    answered.set(from.index());
    for (Standing standing : reply.standings()) {
      told.merge(standing.txn(), standing, (a, b) -> a.outcome() != null ? a : b);
    }
    if (answered.cardinality() <= f) {
      return false;
    }
    phase = Phase.SETTLING;
    // What is at or below the base is settled; only a replica that is behind does not know of it.
    told.keySet().removeIf(txn -> !txn.isAfter(base));
    for (Standing standing : new ArrayList<>(told.values())) {
      if (!settlement.isSettled(standing.txn())) {
        open.add(standing.txn());
        settlement.settle(standing, out);
      }
    }
    settle(out);
    return false;
  }

  private void settle(Effects out) {
    if (phase != Phase.SETTLING) {
      return;
    }
    open.removeIf(settlement::isSettled);
    if (!open.isEmpty()) {
      return;
    }
    ArrayList<Standing> found = new ArrayList<>();
    for (Standing standing : told.values()) {
      Outcome outcome = settlement.outcomeOf(standing.txn());
      if (!standing.txn().isAfter(watermark)
          && outcome instanceof Outcome.Commit(int ignored, List<Integer> participants)
          && participants.contains(self.partition())) {
        found.add(new Standing(standing.txn(), outcome));
      }
    }
    told.clear();
    commits = found;
    phase = Phase.COMMITTING;
    resends = 0;
    answered.clear();
    tellCommits(out);
  }

  private void tellCommits(Effects out) {
    for (int i = 0; i <= 2 * f; i++) {
      if (!answered.get(i) && (countsItself || i != self.index())) {
        tellCommits(new ReplicaId(self.partition(), i), out);
      }
    }
  }

  /** A replica that missed a round or two is told of theirs as well, so that it need not copy. */
  private void tellCommits(ReplicaId to, Effects out) {
    TxnId reached = applied[to.index()];
    if (reached == null || !reached.isBefore(base)) {
      out.send(to, new TruncateCommit(base, watermark, commits));
      return;
    }
    List<Standing> more = settlement.commits(reached, watermark);
    out.send(
        to,
        more == null ? new Behind(base, watermark) : new TruncateCommit(reached, watermark, more));
  }

  /** A replica has reached the watermark; when f+1 have, all partitions are told. */
  void onAck(ReplicaId from, TruncateAck ack, int partitions, Effects out) {
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
    for (int partition = 0; partition < partitions; partition++) {
      out.broadcast(partition, new Watermark(self.partition(), watermark));
    }
  }

  /** A replica that is known to have reached the watermark. */
  int firstAck() {
    return firstAck;
  }

  TxnId watermark() {
    return watermark;
  }
}
