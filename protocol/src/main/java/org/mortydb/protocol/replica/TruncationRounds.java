package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.message.Message.TruncateAck;
import org.mortydb.protocol.message.Message.TruncateCommit;
import org.mortydb.protocol.message.Message.TruncatePrepare;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.recovery.Recoveries;

/**
 * Truncation at one replica (docs/protocol.md, section 6): the replica proposes rounds when its
 * turn has come, and takes part in the rounds of others.
 */
final class TruncationRounds {
  /** The longest time that one round covers, so that its messages and steps stay short. */
  private static final long MAX_TRUNCATED_MICROS = 1_000_000;

  /** The longest time that one round covers where rounds take long, too. */
  private static final long MAX_BEHIND_MICROS = 10 * MAX_TRUNCATED_MICROS;

  /** After so many rounds in vain, the next one covers no more than usual. */
  private static final int MOST_FAILURES = 10;

  /** The most open transactions that a round asks about. */
  private static final int MOST_ASKED = 1_024;

  /** A watermark to reach, and the commits below it that are not installed here yet. */
  private record Applying(ReplicaId proposer, TxnId watermark, ArrayList<TxnId> missing) {}

  private final ReplicaState state;
  private final Outcomes outcomes;
  private final Forgetting forgetting;
  private final Truncation truncation;

  /** When the watermark last rose or a round was last tried; 0 before the first tick. */
  private long advancedMicros;

  /** When the watermark rose last, or had no need to; 0 before the first time. */
  private long risenMicros;

  /** The time between the last two times that the watermark rose, while it had to. */
  private long tookMicros;

  /** How often this replica has begun a round again since the watermark rose last. */
  private int failures;

  /** The replica whose round has succeeded last. */
  private int leader;

  /** The watermark that this replica is about to reach. */
  private @Nullable Applying applying;

  /** The lowest open transaction that each peer has reported; null before its first report. */
  private final @Nullable TxnId[] reportedOpen;

  /** When each peer has reported last, and when any of them has, by the elapsed time. */
  private final long[] reportedMicros;

  private long lastReportMicros;

  TruncationRounds(
      ReplicaState state, Outcomes outcomes, Forgetting forgetting, Recoveries recoveries) {
    this.state = state;
    this.outcomes = outcomes;
    this.forgetting = forgetting;
    RoundOutcomes roundOutcomes = new RoundOutcomes(state, outcomes, recoveries, false);
    this.truncation = new Truncation(state.self, state.maps.f(), roundOutcomes, true);
    this.reportedOpen = new TxnId[2 * state.maps.f() + 1];
    this.reportedMicros = new long[reportedOpen.length];
  }

  /**
   * Goes on with rounds that this replica proposes or takes part in.
   *
   * @param mayPropose false while the replica catches up
   */
  void onTick(boolean mayPropose, Effects out) {
    boolean atCut = state.maps.isCut(truncation.watermark());
    truncation.onTick(0, state.elapsedMicros, resendMicros(atCut), out);
    apply(out);
    if (advancedMicros == 0) {
      advancedMicros = state.elapsedMicros;
    }
    TxnId cut = state.maps.cutAbove(state.horizon.watermark());
    if (cut != null && waitsForEnds(cut)) {
      cut = null;
    }
    long interval = cut == null ? intervalMicros() : state.options.tickMicros();
    // The first replica proposes; the next ones step in after a while without progress. The one
    // that has stepped in keeps to the usual interval until a replica before it succeeds. With the
    // longer wait before each round, the watermark could fall behind: a round covers little time.
    int rank = state.self.index() <= leader ? 0 : state.self.index();
    if (!mayPropose || applying != null || state.elapsedMicros - advancedMicros < interval) {
      return;
    }
    long patience = interval + rank * (cut == null ? takeOverMicros() : takeOverAtCutMicros());
    if (state.elapsedMicros - advancedMicros < patience) {
      return;
    }
    boolean isOther = cut != null && !cut.equals(truncation.watermark());
    if (!truncation.isIdle()
        && !isOther
        && state.elapsedMicros - advancedMicros < 5 * takeOverMicros()) {
      return;
    }
    long bucket = RecordTable.BUCKET_MICROS;
    long from =
        Math.max(
            state.horizon.watermark().timeMicros(),
            Math.min(state.records.oldestMicros(), state.nowMicros));
    askClients(out);
    long target = Math.min(targetMicros(), from + coveredMicros()) / bucket * bucket;
    boolean rises = cut != null || target - 1 > state.horizon.watermark().timeMicros();
    if (!rises) {
      risenMicros = state.elapsedMicros; // it stands still, but not because rounds take long
      if (!waitsForOpen()) {
        return;
      }
    }
    if (state.self.index() > 0) {
      mark(state.horizon.watermark(), Branch.TRUNCATION_TAKEN_OVER, out);
    }
    advancedMicros =
        state.elapsedMicros - patience + interval; // the next attempt, if this one fails
    TxnId proposed = state.horizon.watermark(); // only asks which transactions are open
    if (rises) {
      // A new partition waits for what has committed up to the cut.
      proposed = cut != null ? cut : new TxnId(target - 1, Long.MAX_VALUE, 0);
    }
    failures += truncation.isIdle() || isOther ? 0 : 1;
    truncation.propose(proposed, 0, state.elapsedMicros, resendMicros(cut != null), out);
  }

  /**
   * The longest time that the next round covers. Rounds that cover less than they take would fall
   * ever farther behind: where disks and networks are that slow, a round covers twice as much. But
   * a round may also fail for good because its messages are longer than a frame.
   */
  private long coveredMicros() {
    if (hasFailedOften()) {
      return MAX_TRUNCATED_MICROS;
    }
    return Math.clamp(2 * tookMicros, MAX_TRUNCATED_MICROS, MAX_BEHIND_MICROS);
  }

  private boolean hasFailedOften() {
    return failures >= MOST_FAILURES;
  }

  /** Whether the watermark stays behind its lag for transactions that are open. */
  private boolean waitsForOpen() {
    return state.options.watermarkLagMicros() < state.options.retentionMicros();
  }

  /**
   * Below which time the watermark may be: the lag behind the clock, and below all transactions
   * that are open as far as is known, but not further behind than the retention.
   */
  private long targetMicros() {
    long target = state.nowMicros - state.options.watermarkLagMicros();
    if (!waitsForOpen()) {
      return target;
    }
    TxnId watermark = state.horizon.watermark();
    TxnId own = state.records.lowestOpen(watermark, target);
    if (own != null) {
      target = Math.min(target, own.timeMicros());
    }
    int reports = 0;
    for (int i = 0; i < reportedOpen.length; i++) {
      TxnId reported = reportedOpen[i];
      if (reported == null || isOutdated(i)) {
        continue;
      }
      reports++;
      if (reported.isAfter(watermark)) {
        target = Math.min(target, reported.timeMicros());
      }
    }
    if (reports < state.maps.f()) {
      target = watermark.timeMicros(); // asks first
    }
    return Math.max(target, state.nowMicros - state.options.retentionMicros());
  }

  /**
   * Whether a peer has been silent for so long, while another one has answered, that nobody will
   * say when what it has reported ends: as long as clients may be silent.
   */
  private boolean isOutdated(int peer) {
    return lastReportMicros - reportedMicros[peer] > 4 * state.options.inquireMicros();
  }

  /** Asks clients whether they still work on the transactions for which the watermark waits. */
  private void askClients(Effects out) {
    if (!waitsForOpen()) {
      return;
    }
    long lagging = state.nowMicros - state.options.watermarkLagMicros();
    for (TxnRecord txn : state.records.open(state.horizon.watermark(), lagging, MOST_ASKED)) {
      if (txn.coordinator() instanceof ClientId client
          && txn.asksClient(state.elapsedMicros, state.options.inquireMicros())) {
        out.send(client, new Inquire(txn.id()));
      }
    }
  }

  /**
   * When messages of a round are repeated. Everybody waits for what moves at a cut, and replicas
   * refuse the round that have not heard of the map yet.
   */
  private long resendMicros(boolean atCut) {
    return atCut ? Math.max(1, state.options.inquireMicros() / 8) : state.options.inquireMicros();
  }

  /** Rounds are frequent, so that each has little to do: a step that is long delays clients. */
  private long intervalMicros() {
    return Math.max(state.options.tickMicros(), state.options.retentionMicros() / 150);
  }

  /**
   * Whether transactions below the cut of a map may still go on. Everybody waits for the round at
   * the cut, so those that are open here get only some time before they are shut out, and those
   * that may be on their way an eighth of it.
   */
  private boolean waitsForEnds(TxnId cut) {
    long grace = Math.min(state.options.allowedSkewMicros(), state.options.inquireMicros()) / 2;
    long passed = state.nowMicros - cut.timeMicros();
    return passed < grace && (passed < grace / 8 || isOpenBelow(cut));
  }

  private boolean isOpenBelow(TxnId cut) {
    TxnId open = state.records.lowestOpen(state.horizon.watermark(), cut.timeMicros());
    return open != null && open.isBefore(cut);
  }

  /** For how long each further replica waits for the progress of those before it. */
  private long takeOverMicros() {
    return 4 * Math.max(state.options.tickMicros(), state.options.retentionMicros() / 30);
  }

  /** Everybody waits for what moves at a cut: two rounds at once cost less. */
  private long takeOverAtCutMicros() {
    return Math.min(takeOverMicros(), state.options.inquireMicros() / 4);
  }

  void onPrepare(ReplicaId from, TruncatePrepare prepare, Effects out) {
    if (!refuses(from, prepare, out)) {
      fence(from, prepare.base(), prepare.watermark(), prepare.joinerMicros() != 0, out);
    }
  }

  /**
   * Fences a watermark, and reports what this replica knows up to there; or up to a lower place, if
   * that fills a message.
   *
   * @param base the proposer needs nothing at or below it
   * @param joins whether the proposer joins. It may have promised views, and accepted outcomes, for
   *     transactions above, too.
   */
  private void fence(ReplicaId proposer, TxnId base, TxnId asked, boolean joins, Effects out) {
    if (state.rules.fencesWhenTruncating()) {
      state.horizon.fence(asked, out);
    }
    TxnId from = ReplicaState.later(base, state.horizon.watermark());
    TxnId all = joins ? TxnId.HIGHEST : asked;
    TxnId end = state.records.upTo(from, all, state.options.namedBytes());
    if (end.isBefore(all)) {
      mark(end, Branch.ROUND_DIVIDED, out);
    }
    ArrayList<Standing> standings = new ArrayList<>();
    for (TxnRecord txn : state.records.between(from, asked.isAfter(end) ? end : asked)) {
      if (txn.isDecided() || txn.isPrepared() || txn.isFenced()) {
        standings.add(new Standing(txn.id(), txn.outcome()));
      }
    }
    if (joins) {
      for (TxnRecord txn : state.records.between(ReplicaState.later(from, asked), end)) {
        if (txn.isFenced() || txn.isDecided()) {
          standings.add(new Standing(txn.id(), txn.outcome()));
        }
      }
    }
    askClients(out);
    TxnId open =
        waitsForOpen() ? state.records.lowestOpen(state.horizon.fence(), state.nowMicros) : null;
    state.holdUntilDurable(out);
    out.send(
        proposer,
        new TruncateReply(
            asked,
            base,
            state.horizon.watermark(),
            end,
            standings,
            joins && end.equals(all) ? state.maps.knowledge() : null,
            open == null ? TxnId.INITIAL : open,
            state.maps.changeTo(asked)));
  }

  /**
   * Whether a fence does not fit the clock, so that it would shut out transactions that are new.
   * The usual fence is the watermark's lag behind the proposer's clock. A joining replica asks for
   * the future, and must not be far behind: it would begin to serve below its earlier votes.
   */
  private boolean refuses(ReplicaId from, TruncatePrepare prepare, Effects out) {
    long skew = state.options.allowedSkewMicros();
    long joiner = prepare.joinerMicros();
    boolean isUsual = joiner == 0 && !state.maps.isCut(prepare.watermark());
    long highest = state.nowMicros + skew - (isUsual ? state.options.watermarkLagMicros() : 0);
    if (prepare.watermark().timeMicros() > highest) {
      state.refuseFence(from, prepare.watermark(), prepare.watermark().timeMicros() - highest, out);
      return true;
    }
    // The message has travelled, perhaps slowly.
    long lowest = state.nowMicros - skew - state.options.inquireMicros();
    if (joiner != 0 && joiner < lowest) {
      state.refuseFence(from, prepare.watermark(), joiner - lowest, out);
      return true;
    }
    return false;
  }

  /**
   * A replica has answered a proposal of this replica.
   *
   * @return whether it has a higher watermark than this replica, so that the round is given up
   */
  boolean onReply(ReplicaId from, TruncateReply reply, Effects out) {
    if (from.partition() == state.self.partition()
        && !from.equals(state.self)
        && from.index() < reportedOpen.length) {
      reportedOpen[from.index()] = reply.open();
      lastReportMicros = state.elapsedMicros;
      reportedMicros[from.index()] = lastReportMicros;
    }
    return truncation.onReply(from, reply, out);
  }

  void onCommit(ReplicaId from, TruncateCommit commit, Effects out) {
    if (state.isAhead(commit.watermark())) {
      long highest = state.nowMicros + state.options.allowedSkewMicros();
      state.refuseFence(from, commit.watermark(), commit.watermark().timeMicros() - highest, out);
      return;
    }
    state.maps.toldOf(commit.watermark(), commit.change());
    if (!commit.watermark().isAfter(state.horizon.watermark())) {
      if (commit.watermark().equals(state.horizon.watermark())) {
        leader = from.index(); // the round has only asked which transactions are open
        advanced();
      }
      acknowledge(from, commit.watermark(), out);
      return;
    }
    if (commit.base().isAfter(state.horizon.watermark())) {
      // The proposer sends the rounds that were missed, if it keeps them; otherwise it says so. It
      // may also count this answer in a later round at the same watermark, so it has the fence.
      boolean joins = commit.watermark().timeMicros() > state.nowMicros;
      fence(from, TxnId.INITIAL, commit.watermark(), joins, out);
      return;
    }
    if (applying != null && applying.watermark().isAfter(commit.watermark())) {
      return;
    }
    state.horizon.fence(commit.watermark(), out);
    ArrayList<TxnId> missing = new ArrayList<>();
    for (Standing standing : commit.commits()) {
      if (standing.txn().isAfter(state.horizon.watermark()) && standing.outcome() != null) {
        outcomes.onDecide(new Decide(standing.txn(), standing.outcome()), out);
        missing.add(standing.txn());
      }
    }
    applying = new Applying(from, commit.watermark(), missing);
    apply(out);
    if (applying != null) {
      mark(commit.watermark(), Branch.TRUNCATION_FETCHES, out);
    }
  }

  /** Reaches the watermark once all commits below it are installed. */
  private void apply(Effects out) {
    if (applying == null) {
      return;
    }
    applying
        .missing()
        .removeIf(
            id -> {
              TxnRecord txn = state.records.get(id);
              // A copy that was faster has brought what it wrote, perhaps without its outcome.
              return state.horizon.isTruncated(id) || (txn != null && txn.isInstalled());
            });
    if (!applying.missing().isEmpty()) {
      return;
    }
    ReplicaId proposer = applying.proposer();
    TxnId reached = applying.watermark();
    applying = null;
    if (reached.isAfter(state.horizon.watermark())) {
      leader = proposer.index();
      forgetting.reach(reached, out);
      long tookOrNone = risenMicros == 0 ? 0 : state.elapsedMicros - risenMicros;
      tookMicros = hasFailedOften() ? 0 : tookOrNone;
      risenMicros = state.elapsedMicros;
      failures = 0;
      advanced();
    }
    acknowledge(proposer, reached, out);
  }

  private void acknowledge(ReplicaId to, TxnId reached, Effects out) {
    state.holdUntilDurable(out);
    out.send(to, new TruncateAck(reached));
  }

  /**
   * A peer takes this replica to be behind. If it is not, the peer knows only an earlier watermark
   * of it: its answer was on its way while it reached the next one. A proposer would leave it out
   * of its round.
   */
  void onBehind(ReplicaId from, Behind behind, Effects out) {
    TxnId reached = state.horizon.watermark();
    if (!behind.txn().isAfter(reached)) {
      acknowledge(from, ReplicaState.earlier(reached, behind.watermark()), out);
    }
  }

  void onAck(ReplicaId from, TruncateAck ack, Effects out) {
    truncation.onAck(from, ack, state.maps.partitions(), out);
  }

  /** Gives up all rounds: a copy of a peer brings more. */
  void abandon() {
    truncation.abandon();
    applying = null;
  }

  /** The watermark has risen: the next round is due after the usual time. */
  void advanced() {
    advancedMicros = state.elapsedMicros;
  }
}
