package org.mortydb.protocol.recovery;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Finalize;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.message.RecoverAnswer.Promised;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;

/**
 * Decides one transaction whose coordinator seems dead (docs/protocol.md, section 5). It runs in a
 * replica that the transaction hinders, as a part of the replica's machine. Each attempt has a view
 * of its own. Promises keep apart competing recoveries, and a coordinator that is alive after all.
 */
final class RecoveryCoordinator {

  private enum Phase {
    /** No attempt has begun. */
    IDLE,
    /** Gathers promises of the home partition. */
    HOME,
    /** All promises hold votes to commit one execution: gathers promises of other participants. */
    PARTICIPANTS,
    /** Has proposed an outcome in this view. */
    PROPOSING,
    /** The outcome is known. */
    DONE
  }

  private static final int MAX_DOUBLINGS = 6;

  /** How often an attempt asks silent replicas again. */
  private static final int RESENDS = 4;

  /** From this round of views on, vague promises count as others do. */
  private static final int PATIENT_ROUNDS = 4;

  private final TxnId txn;

  /** The failures that each partition tolerates. */
  private final IntUnaryOperator f;

  private final long proposer;
  private final long timeoutMicros;
  private final boolean asksOthers;
  private final BiPredicate<TxnId, List<Integer>> mayCommit;

  private Phase phase = Phase.IDLE;

  /**
   * Whether the attempt was outranked or took too long, or none has begun: the next one begins
   * after a pause. Late answers count until then: under overload, all answers are late.
   */
  private boolean paused = true;

  /** The view of the last attempt. */
  private View view;

  /** The highest view known of others. If it is above the attempt's, the attempt is outranked. */
  private View otherView;

  private int attempts;
  private long dueMicros;
  private long resendMicros;

  /** Promises of this view by partition. */
  private final TreeMap<Integer, ArrayList<Promised>> promises = new TreeMap<>();

  private final TreeMap<Integer, BitSet> promisers = new TreeMap<>();

  /** Every partition that takes part in some execution, as far as is known. */
  private final BitSet involved = new BitSet();

  private boolean chosen;
  private int execution;
  private List<Integer> participants = List.of();
  private @Nullable Outcome proposed;
  private final BitSet accepted = new BitSet();

  /**
   * A recovery that has not begun.
   *
   * @param self the replica that recovers
   * @param after the highest view that this replica knows, including views of its earlier
   *     processes: the recovery uses higher ones
   * @param proposer identifies this replica; also its process, if the replica has lost its memory
   * @param f the failures that each partition tolerates
   * @param timeoutMicros how long the first attempt may take; later ones may take longer
   * @param asksOthers whether the other participants have to promise as well; false in tests only
   * @param mayCommit as in {@link Recoveries}
   */
  RecoveryCoordinator(
      TxnId txn,
      View after,
      ReplicaId self,
      long proposer,
      IntUnaryOperator f,
      long timeoutMicros,
      boolean asksOthers,
      BiPredicate<TxnId, List<Integer>> mayCommit) {
    this.txn = txn;
    this.view = after;
    this.otherView = after;
    this.proposer = proposer;
    this.f = f;
    this.timeoutMicros = timeoutMicros;
    this.asksOthers = asksOthers;
    this.mayCommit = mayCommit;
    involved.set(txn.home());
    involved.set(self.partition());
  }

  /** The transaction. */
  TxnId txn() {
    return txn;
  }

  /** Whether the outcome is decided and sent, so that the replica may forget this recovery. */
  boolean isDone() {
    return phase == Phase.DONE;
  }

  /** Whether the proposal of this recovery has decided the outcome. */
  boolean hasChosen() {
    return chosen;
  }

  /** Whether an attempt runs. */
  boolean isRunning() {
    return !paused && phase != Phase.DONE;
  }

  /** Whether no attempt runs, and the next tick begins one. */
  boolean isDue(long elapsedMicros) {
    return paused && phase != Phase.DONE && elapsedMicros >= dueMicros;
  }

  /** Copies the view of the last attempt for a checkpoint: no later process may use it again. */
  void copy(Consumer<LogRecord> to) {
    if (attempts > 0) {
      to.accept(new LogRecord.Promised(txn, view));
    }
  }

  /** Begins an attempt if it is due: the first one at once, later ones after a pause. */
  void onTick(long elapsedMicros, Effects out) {
    if (phase == Phase.DONE) {
      return;
    }
    if (elapsedMicros < dueMicros) {
      if (elapsedMicros >= resendMicros && !paused) {
        resendMicros = elapsedMicros + patienceMicros() / RESENDS;
        resend(out);
      }
      return;
    }
    if (!paused) {
      pause(elapsedMicros, 0);
      return;
    }
    attempt(elapsedMicros, out);
  }

  private void attempt(long elapsedMicros, Effects out) {
    attempts++;
    if (attempts > 1) {
      mark(Branch.RECOVERY_REPEATED, out);
    }
    view = new View(Math.max(view.round(), otherView.round()) + 1, proposer);
    // No later process may use this view again: two values in one view could both be accepted.
    out.append(new LogRecord.Promised(txn, view));
    out.holdUntilDurable();
    phase = Phase.HOME;
    paused = false;
    promises.clear();
    promisers.clear();
    proposed = null;
    accepted.clear();
    dueMicros = elapsedMicros + patienceMicros();
    resendMicros = elapsedMicros + patienceMicros() / RESENDS;
    if (out.probing()) {
      out.probe(new Probe.RecoveryStarted(txn, view));
    }
    out.broadcast(txn.home(), new Recover(txn, view));
  }

  /** Asks the replicas again that have not answered in this phase. */
  private void resend(Effects out) {
    switch (phase) {
      case HOME -> askAgain(txn.home(), out);
      case PARTICIPANTS -> {
        for (int partition : participants) {
          if (!hasQuorum(partition)) {
            askAgain(partition, out);
          }
        }
      }
      case PROPOSING -> {
        Outcome value = proposed;
        for (int i = 0; value != null && i <= 2 * f.applyAsInt(txn.home()); i++) {
          if (!accepted.get(i)) {
            out.send(new ReplicaId(txn.home(), i), new Finalize(txn, view, value));
          }
        }
      }
      case IDLE, DONE -> {}
    }
  }

  private void askAgain(int partition, Effects out) {
    BitSet known = promisers.get(partition);
    for (int i = 0; i <= 2 * f.applyAsInt(partition); i++) {
      if (known == null || !known.get(i)) {
        out.send(new ReplicaId(partition, i), new Recover(txn, view));
      }
    }
  }

  /**
   * How long an attempt may take. It doubles with the round of the highest view known, so that all
   * replicas agree on it, however many attempts each of them has begun.
   */
  private long patienceMicros() {
    int round = Math.max(view.round(), otherView.round());
    return timeoutMicros << Math.clamp(round - 1, 0, MAX_DOUBLINGS);
  }

  /**
   * Pauses for {@code leastMicros} and a time that differs from those of competing recoveries, but
   * no longer than the longest attempt may take: the replica asks nobody for the outcome meanwhile,
   * and the other recovery may be dead, or may have told its outcome in vain.
   */
  private void pause(long elapsedMicros, long leastMicros) {
    paused = true;
    long mostMicros = Math.min(leastMicros + patienceMicros(), longestMicros());
    long mixed = (txn.timeMicros() + 31L * attempts + view.proposer()) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 31)) * 0xBF58476D1CE4E5B9L;
    long random = Math.floorMod(mixed ^ (mixed >>> 29), Math.max(1, mostMicros - leastMicros));
    dueMicros = elapsedMicros + leastMicros + random;
  }

  private long longestMicros() {
    return timeoutMicros << MAX_DOUBLINGS;
  }

  /** A replica has answered a Recover. */
  void onRecoverReply(long elapsedMicros, ReplicaId from, RecoverReply reply, Effects out) {
    if (phase == Phase.DONE) {
      return;
    }
    switch (reply.answer()) {
      case RecoverAnswer.Decided(Outcome outcome) -> finish(outcome, out);
      case RecoverAnswer.Fenced(View higher) -> outranked(elapsedMicros, reply.view(), higher, out);
      case Promised promise -> {
        if (!reply.view().equals(view) || otherView.isAbove(view)) {
          return;
        }
        for (int partition : promise.participants()) {
          involved.set(partition);
        }
        BitSet known = promisers.computeIfAbsent(from.partition(), p -> new BitSet());
        if (!known.get(from.index())) {
          known.set(from.index());
          ArrayList<Promised> gathered =
              promises.computeIfAbsent(from.partition(), p -> new ArrayList<>());
          gathered.add(promise);
          int needed = f.applyAsInt(from.partition()) + 1;
          if (promise.vague() && counted(gathered, needed).size() < gathered.size()) {
            mark(Branch.VAGUE_PROMISE_SET_ASIDE, out);
          }
          advance(out);
        }
      }
    }
  }

  private void outranked(long elapsedMicros, View asked, View higher, Effects out) {
    if (asked.equals(view) && higher.isAbove(otherView)) {
      onPromised(elapsedMicros, higher, out);
    }
  }

  /**
   * A replica has promised a view. If it is above that of the attempt, or no attempt has begun,
   * this recovery leaves the other one alone for as long as an attempt may take, even if it pauses
   * already: recoveries that begin while another one runs outrank each other, and would do so for
   * long. (The longest pauses are half of that, so that they differ.) The attempt takes no more
   * promises, as its proposal would be refused. What it has proposed before may still be accepted
   * by f+1 replicas.
   */
  void onPromised(long elapsedMicros, View promised, Effects out) {
    if (promised.isAbove(otherView)) {
      otherView = promised;
    }
    if (promised.isAbove(view)) {
      if (!paused) {
        mark(Branch.RECOVERY_OUTRANKED, out);
      }
      pause(elapsedMicros, Math.min(patienceMicros(), longestMicros() / 2));
    }
  }

  private void advance(Effects out) {
    if (phase == Phase.HOME && hasQuorum(txn.home())) {
      onHomeQuorum(out);
    } else if (phase == Phase.PARTICIPANTS) {
      boolean all = true;
      for (int partition : participants) {
        all &= hasQuorum(partition);
      }
      if (all) {
        boolean commit = true;
        for (int partition : participants) {
          commit &= allCommit(partition, execution);
        }
        propose(commit ? Outcome.commit(execution, participants) : Outcome.ABORT, out);
      }
    }
  }

  /** Steps 2 and 3: adopts an outcome that may be chosen already, or asks other participants. */
  private void onHomeQuorum(Effects out) {
    List<Promised> home = quorum(txn.home());
    RecoverAnswer.Accepted adopted = acceptedInHighestView(home, out);
    if (adopted != null) {
      mark(Branch.RECOVERY_ADOPTED, out);
      propose(adopted.value(), out);
      return;
    }
    Promised first = home.getFirst();
    execution = first.execution();
    if (execution == RecoverAnswer.NO_EXECUTION) {
      mark(Branch.RECOVERY_OF_UNKNOWN, out);
    }
    if (execution == RecoverAnswer.NO_EXECUTION || !allCommit(txn.home(), execution)) {
      propose(Outcome.ABORT, out);
      return;
    }
    participants = first.participants();
    if (!mayCommit.test(txn, participants)) {
      propose(Outcome.ABORT, out); // whoever would have to say so may be gone
      return;
    }
    if (!asksOthers) {
      propose(Outcome.commit(execution, participants), out);
      return;
    }
    phase = Phase.PARTICIPANTS;
    for (int partition : participants) {
      if (partition != txn.home()) {
        out.broadcast(partition, new Recover(txn, view));
      }
    }
    advance(out);
  }

  /** The outcome that one of the promises reports as accepted, of the highest view; or null. */
  private RecoverAnswer.@Nullable Accepted acceptedInHighestView(List<Promised> home, Effects out) {
    RecoverAnswer.Accepted adopted = null;
    boolean chose = false;
    for (Promised promise : home) {
      RecoverAnswer.Accepted candidate = promise.accepted();
      if (candidate != null) {
        chose |= adopted != null && !candidate.value().equals(adopted.value());
        adopted = adopted == null || candidate.view().isAbove(adopted.view()) ? candidate : adopted;
      }
    }
    if (chose) {
      mark(Branch.RECOVERY_CHOSE, out);
    }
    return adopted;
  }

  private boolean hasQuorum(int partition) {
    return quorum(partition).size() > f.applyAsInt(partition);
  }

  /**
   * The first f+1 promises of a partition that count; later ones change nothing. Fewer if there are
   * not so many yet.
   */
  private List<Promised> quorum(int partition) {
    ArrayList<Promised> gathered = promises.get(partition);
    if (gathered == null) {
      return List.of();
    }
    int needed = f.applyAsInt(partition) + 1;
    List<Promised> counted = counted(gathered, needed);
    return counted.size() <= needed ? counted : counted.subList(0, needed);
  }

  /**
   * The promises that count. A vague one that contradicts a vote counts only if f+1 of them do, or
   * after some rounds in vain: the vote may be one that an application has heard of (section 8,
   * Durability of a transaction). One with an accepted outcome says nothing of the vote while its
   * condition is open, so it contradicts none.
   */
  private List<Promised> counted(List<Promised> gathered, int needed) {
    Promised voted = null;
    boolean accepted = false;
    for (Promised promise : gathered) {
      if (promise.votedCommit()) {
        voted = voted == null || isSurer(promise, voted) ? promise : voted;
      } else if (promise.accepted() != null) {
        accepted = true;
      } else if (!promise.vague()) {
        return gathered; // no application has heard of a commit
      }
    }
    if (voted == null && accepted) {
      return gathered; // nothing contradicts a vote
    }
    ArrayList<Promised> counted = new ArrayList<>();
    for (Promised promise : gathered) {
      if (!promise.vague()
          || (voted != null && promise.votedCommit() && promise.execution() == voted.execution())) {
        counted.add(promise);
      }
    }
    int contrary = gathered.size() - counted.size();
    return contrary >= needed || view.round() >= PATIENT_ROUNDS ? gathered : counted;
  }

  /**
   * Whether an application has heard rather of this vote than of another one: a replica that may
   * have forgotten votes may have an older one.
   */
  private static boolean isSurer(Promised vote, Promised other) {
    return vote.vague() == other.vague() ? vote.execution() > other.execution() : other.vague();
  }

  private boolean allCommit(int partition, int number) {
    for (Promised promise : quorum(partition)) {
      if (promise.execution() != number || !promise.votedCommit()) {
        return false;
      }
    }
    return true;
  }

  private void propose(Outcome value, Effects out) {
    phase = Phase.PROPOSING;
    proposed = value;
    accepted.clear();
    if (out.probing()) {
      out.probe(new Probe.Proposed(txn, value));
    }
    out.broadcast(txn.home(), new Finalize(txn, view, value));
  }

  /** A home replica has answered the proposal. */
  void onFinalizeReply(long elapsedMicros, ReplicaId from, FinalizeReply reply, Effects out) {
    if (phase == Phase.DONE) {
      return;
    }
    switch (reply.answer()) {
      case FinalizeAnswer.Decided(Outcome outcome) -> finish(outcome, out);
      case FinalizeAnswer.Fenced(View higher) ->
          outranked(elapsedMicros, reply.view(), higher, out);
      case FinalizeAnswer.Accepted ignored -> {
        Outcome value = proposed;
        if (phase == Phase.PROPOSING
            && value != null
            && reply.view().equals(view)
            && from.partition() == txn.home()) {
          accepted.set(from.index());
          if (accepted.cardinality() > f.applyAsInt(txn.home())) {
            mark(
                value instanceof Outcome.Commit
                    ? Branch.RECOVERY_COMMITTED
                    : Branch.RECOVERY_ABORTED,
                out);
            chosen = true;
            finish(value, out);
          }
        }
      }
    }
  }

  /** Ends the recovery: the replica has learnt the outcome in another way. */
  void abandon() {
    phase = Phase.DONE;
  }

  private void finish(Outcome outcome, Effects out) {
    phase = Phase.DONE;
    for (int p = involved.nextSetBit(0); p >= 0; p = involved.nextSetBit(p + 1)) {
      out.broadcast(p, new Decide(txn, outcome));
    }
    // A coordinator that was fenced would only ask again after its resend interval.
    out.send(new ClientId(txn.clientId()), new Decide(txn, outcome));
  }

  private void mark(Branch branch, Effects out) {
    if (out.probing()) {
      out.probe(new Probe.Mark(txn, branch));
    }
  }
}
