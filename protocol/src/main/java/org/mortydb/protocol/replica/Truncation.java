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

  /** What the replicas are asked to fence. */
  private TxnId asked = TxnId.INITIAL;

  /** Up to where everything is decided; of a replica that joins also what is above its fence. */
  private TxnId base = TxnId.INITIAL;

  /**
   * Up to where the replicas that count have named what they know, and the outcomes fit in a
   * message.
   */
  private TxnId named = TxnId.INITIAL;

  /** What the round reaches: what was asked, or less if that takes more messages. */
  private TxnId watermark = TxnId.INITIAL;

  /** This replica knows all commits above it, up to the watermark. */
  private TxnId knownFrom = TxnId.INITIAL;

  private long joinerMicros;
  private final BitSet answered = new BitSet();

  /** The watermark that each replica has reported as reached. */
  private final @Nullable TxnId[] applied;

  /** Up to where each replica has named what it knows above the base; null before its answer. */
  private final @Nullable TxnId[] namedBy;

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
    this.namedBy = new TxnId[2 * f + 1];
  }

  boolean isIdle() {
    return phase == Phase.IDLE;
  }

  /**
   * Begins a round; gives up the current one. A round of a replica that serves ends lower than
   * asked if naming all transactions takes more than one message; then another round is due. One of
   * a replica that joins goes on by itself.
   *
   * @param clockMicros the clock of a replica that joins; 0 if it serves
   */
  void propose(
      TxnId newWatermark,
      long clockMicros,
      long elapsedMicros,
      long resendAfterMicros,
      Effects out) {
    // A replica that joins may alone have reached its watermark, and cannot be copied. The round
    // begins at the highest watermark of the others that answer.
    base = countsItself ? roundOutcomes.base() : TxnId.INITIAL;
    asked = newWatermark;
    knownFrom = base;
    joinerMicros = clockMicros;
    change = 0;
    Arrays.fill(applied, null);
    resendMicros = elapsedMicros + resendAfterMicros;
    ask(out);
  }

  /** Asks what replicas know above the base. */
  private void ask(Effects out) {
    phase = Phase.FENCING;
    watermark = asked;
    named = TxnId.HIGHEST;
    answered.clear();
    Arrays.fill(namedBy, null);
    reported.clear();
    open.clear();
    commits = List.of();
    firstAck = -1;
    resends = 0;
    sendPrepare(out);
  }

  /** Gives up a round that has not ended: late answers get no result of it. */
  void abandon() {
    phase = Phase.IDLE;
    asked = TxnId.INITIAL;
    watermark = TxnId.INITIAL;
    named = TxnId.INITIAL;
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
    out.send(
        new ReplicaId(self.partition(), index), new TruncatePrepare(base, asked, joinerMicros));
  }

  /**
   * A replica has answered the proposal.
   *
   * @return whether it has a higher watermark than this replica, so that the round is given up
   */
  boolean onReply(ReplicaId from, TruncateReply reply, Effects out) {
    if (!(reply.watermark().equals(asked) || reply.watermark().equals(watermark))
        || from.partition() != self.partition()
        || (!countsItself && from.equals(self))
        || roundOutcomes.isAhead(reply.applied())) {
      return false;
    }
    applied[from.index()] = reply.applied();
    if ((phase == Phase.COMMITTING || phase == Phase.IDLE)
        && reply.applied().isBefore(ReplicaState.earlier(base, watermark))) {
      sendCommits(from, out);
    }
    if (phase != Phase.FENCING || !reply.watermark().equals(asked)) {
      return false;
    }
    if (reply.applied().isAfter(base)) {
      if (countsItself) {
        abandon();
        return true;
      }
      raiseBase(reply.applied());
    }
    if (reply.base().isAfter(base)) {
      return false; // to a question before this replica began again: it leaves out what is below
    }
    if (!counts(reply.upTo())) {
      if (reply.base().isBefore(base)) {
        sendPrepare(from.index(), out); // it has named only what is below the base
      }
      return false;
    }
    namedBy[from.index()] = reply.upTo();
    named = ReplicaState.earlier(named, reply.upTo());
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
    reported.keySet().removeIf(txn -> txn.isAfter(named)); // others may know more of what is there
    for (Standing standing : new ArrayList<>(reported.values())) {
      if (!roundOutcomes.isKnown(standing.txn())) {
        open.add(standing.txn());
        roundOutcomes.take(standing, out);
      }
    }
    commitOnceDecided(out);
    return false;
  }

  /** Replicas that have not reached it catch up by themselves. */
  private void raiseBase(TxnId reached) {
    base = reached;
    knownFrom = reached;
    named = TxnId.HIGHEST;
    for (int i = 0; i < namedBy.length; i++) {
      TxnId upTo = namedBy[i];
      if (upTo != null && counts(upTo)) {
        named = ReplicaState.earlier(named, upTo);
      } else {
        answered.clear(i);
      }
    }
  }

  /** Whether an answer that names what is above the base up to a place helps. */
  private boolean counts(TxnId upTo) {
    return upTo.isAfter(base) || (countsItself && !upTo.isBefore(asked));
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
    watermark = ReplicaState.earlier(asked, named);
    TxnId fits = roundOutcomes.upTo(base, watermark);
    if (fits.isBefore(watermark)) {
      watermark = fits;
      named = fits;
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
    TxnId from = ReplicaState.earlier(base, watermark);
    if (reached == null || !reached.isBefore(from)) {
      out.send(to, new TruncateCommit(from, watermark, commits, change));
      return;
    }
    TxnId fits = roundOutcomes.upTo(reached, watermark);
    List<Standing> more = roundOutcomes.commits(reached, fits, knownFrom);
    out.send(
        to,
        more == null
            ? new Behind(from, watermark)
            : new TruncateCommit(reached, fits, more, change));
  }

  /** A replica has reached the watermark; once f+1 have, all partitions learn it. */
  void onAck(ReplicaId from, TruncateAck ack, PrimitiveIterator.OfInt partitions, Effects out) {
    if (from.partition() != self.partition()) {
      return;
    }
    continueWith(from, ack.watermark(), out);
    if (phase != Phase.COMMITTING || !ack.watermark().equals(watermark)) {
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
    if (!countsItself && !isWhole()) {
      base = named;
      ask(out);
    }
  }

  /** A replica that has missed rounds has reached the place up to which it was told of commits. */
  private void continueWith(ReplicaId lagging, TxnId reached, Effects out) {
    TxnId before = applied[lagging.index()];
    if (before != null
        && (phase == Phase.COMMITTING || phase == Phase.IDLE)
        && reached.isAfter(before)
        && reached.isBefore(watermark)) {
      applied[lagging.index()] = reached;
      sendCommits(lagging, out);
    }
  }

  /** Whether f+1 replicas have named all that was asked for. */
  private boolean isWhole() {
    return !named.isBefore(countsItself ? asked : TxnId.HIGHEST);
  }

  /**
   * The first replica that has acknowledged the watermark that was asked for; -1 if none, or if the
   * replicas have more to name.
   */
  int firstAck() {
    return isWhole() ? firstAck : -1;
  }

  /** What the replicas were asked to fence; the initial one if the round was given up. */
  TxnId watermark() {
    return asked;
  }

  /** Where the round begins, or goes on. */
  TxnId base() {
    return base;
  }
}
