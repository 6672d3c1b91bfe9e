package org.mortydb.protocol.past;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message.PastLevel;
import org.mortydb.protocol.message.Message.PastReply;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.ToPastReader;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;

/**
 * The client's half of a transaction that reads the past (docs/protocol.md, section 16): each read
 * goes to the closest replica of a partition, at one place for all of them, and nothing is voted
 * on. With {@link PastLevel#LOCAL} each key is read by itself.
 *
 * <p>If a replica has not reached the place, or does not serve, the reader asks the next closest
 * one. Once it has asked all in vain, it waits for a while. A reader that needs a newer place than
 * f+1 replicas have gives up. If a place that the reader has chosen is of no use, it chooses again,
 * unless the application has seen something.
 *
 * <p>A pure machine; see {@link org.mortydb.protocol.machine.StateMachine} for its thread rule.
 */
public final class PastCoordinator implements CoordinatorMachine {
  /** The only execution of an attempt: nothing that was read can become stale. */
  private static final int EXECUTION = 0;

  /** How long a question waits when no replica has reached the place. */
  private static final long PAUSE_MICROS = 20_000;

  /** The most bytes of keys in one question. Those of all keys of a read may not fit in a frame. */
  private static final int MOST_KEY_BYTES = 1024 * 1024;

  private final TxnId txn;
  private final PastGoal goal;
  private final Topology topology;
  private final CoordinatorOptions options;
  private final HeardPlaces heard;
  private final Seen seen;

  /** Deletions up to here may be missing from what was read key by key. */
  private TxnId absentTo = TxnId.INITIAL;

  /** The place that is read; null until it is chosen. */
  private @Nullable TxnId place;

  /** The versions read, in the order of the reads. A later read of a key shows the same. */
  private final LinkedHashMap<Key, VersionedValue> reads = new LinkedHashMap<>();

  /** What scans have shown besides of keys that were read by themselves before. */
  private final ArrayList<VersionedValue> rescanned = new ArrayList<>(0);

  private final ArrayList<KeyRange> ranges = new ArrayList<>();

  /** All questions so far; the request of each is its index. */
  private final ArrayList<PastQuestion> questions = new ArrayList<>();

  /** Questions that wait for the place. */
  private final ArrayList<PastQuestion> held = new ArrayList<>();

  /** The keys that the application waits for; null if it waits for none. */
  private @Nullable List<Key> waitingKeys;

  /** The scan that the application waits for; null if it waits for none. */
  private @Nullable PastScan scan;

  /** How many operations the application has begun. */
  private int operations;

  /** How many questions of the operation that waits have no answer. */
  private int open;

  /** Whether the application has seen something of the place. */
  private boolean shown;

  /** How often another place was chosen. */
  private int choices;

  /** Whether this reader waits before it asks for another place. */
  private boolean pauses;

  /** The replicas that the host cannot reach, as far as it knows. */
  private Set<ReplicaId> unreachable = Collections.emptySet();

  private boolean begun;
  private boolean ended;
  private long nowMicros;

  /**
   * A transaction that has read nothing.
   *
   * @param txn its id, with home 0
   * @param topology the cluster's layout; the closest replicas are read from first
   * @param options its deadline, and when questions are repeated
   * @param heard the places that the client has heard of
   * @param seen what the session has seen; {@link Seen#NOTHING} without a session
   */
  public PastCoordinator(
      TxnId txn,
      PastGoal goal,
      Topology topology,
      CoordinatorOptions options,
      HeardPlaces heard,
      Seen seen) {
    this.txn = txn;
    this.goal = goal;
    this.topology = topology;
    this.options = options;
    this.heard = heard;
    this.seen = seen;
    this.place = goal.level() == PastLevel.NEWEST ? null : goal.place();
  }

  @Override
  public TxnId txn() {
    return txn;
  }

  /**
   * The place of the serial order that was read; null if nothing was, or if each key was read by
   * itself.
   */
  public @Nullable TxnId place() {
    return shown && goal.level() != PastLevel.LOCAL ? place : null;
  }

  /**
   * A place at or above the deletions that may be the reason why a key was absent, of those that
   * were read by themselves. {@link TxnId#INITIAL} if none was absent.
   */
  public TxnId absentTo() {
    return absentTo;
  }

  @Override
  public void step(long now, Event event, CoordinatorEffects out) {
    nowMicros = now;
    if (ended) {
      return;
    }
    switch (event) {
      case Event.Received(ReplicaId from, ToPastReader message) -> onMessage(from, message, out);
      case Event.TimerFired(Timer timer) -> onTimer(timer, out);
      case Event.Call call -> onCall(call, out);
      case Event.Unreachable(Set<ReplicaId> replicas) -> onUnreachable(replicas, out);
      case Event.Received _, Event.BatchEnded _, Event.Forwarded _, Event.Renumber _ -> {}
    }
  }

  // ---- the application ----------------------------------------------------------------------

  private void onCall(Event.Call call, CoordinatorEffects out) {
    if (!begun) {
      begun = true;
      out.armTimer(Timer.DEADLINE, options.deadlineMicros());
      out.armTimer(Timer.RESEND, options.resendMicros());
    }
    switch (call) {
      case Event.CallGet(int _, List<Key> keys) -> {
        operations++;
        waitingKeys = keys;
        begin(out);
      }
      case Event.CallScan(int _, KeyRange range, int limit) -> {
        operations++;
        scan = new PastScan(range, limit);
        begin(out);
      }
      case Event.CallPut put ->
          throw new IllegalStateException(txn + " reads the past and writes key " + put.key());
      case Event.CallCommit _ -> commit(out);
      case Event.CallCommitReads _ -> {
        if (shown) {
          commit(out); // what the application has seen is one state of the store
        } else {
          abort(AbortReason.APPLICATION, out);
        }
      }
      case Event.CallAbort _ -> abort(AbortReason.APPLICATION, out);
      case Event.CallYield _ -> {}
    }
  }

  /** Asks for what the application waits for. */
  private void begin(CoordinatorEffects out) {
    open = 0;
    held.clear();
    if (place == null) {
      place = heard.fresh(txn, goal.place(), nowMicros);
    }
    PastScan scanned = scan;
    if (scanned != null) {
      for (int rank = 0; rank < topology.partitions(); rank++) {
        int partition = topology.partition(rank);
        if (topology.mayHold(partition, scanned.range)) {
          pose(PastQuestion.of(questions.size(), partition, scanned.range, scanned.limit), out);
        }
      }
    } else if (waitingKeys != null && waitingKeys.size() == 1) {
      Key key = waitingKeys.getFirst();
      if (!reads.containsKey(key)) {
        pose(PastQuestion.of(questions.size(), topology.partitionOf(key), List.of(key)), out);
      }
    } else if (waitingKeys != null) {
      TreeMap<Integer, TreeSet<Key>> missing = new TreeMap<>();
      for (Key key : waitingKeys) {
        if (!reads.containsKey(key)) {
          missing.computeIfAbsent(topology.partitionOf(key), _ -> new TreeSet<>()).add(key);
        }
      }
      missing.forEach((partition, keys) -> pose(partition, keys, out));
    }
    resumeIfAnswered(out);
  }

  /** Asks one partition for keys, in as many questions as it takes to keep each of them short. */
  private void pose(int partition, Collection<Key> keys, CoordinatorEffects out) {
    ArrayList<Key> together = new ArrayList<>();
    int bytes = 0;
    for (Key key : keys) {
      if (bytes + key.size() > MOST_KEY_BYTES && !together.isEmpty()) {
        pose(PastQuestion.of(questions.size(), partition, List.copyOf(together)), out);
        together.clear();
        bytes = 0;
      }
      together.add(key);
      bytes += key.size();
    }
    pose(PastQuestion.of(questions.size(), partition, List.copyOf(together)), out);
  }

  /** Asks a question; holds it back while another one finds out the place. */
  private void pose(PastQuestion question, CoordinatorEffects out) {
    questions.add(question);
    open++;
    if (place == null && open > 1) {
      held.add(question);
    } else {
      ask(question, out);
    }
  }

  private void resumeIfAnswered(CoordinatorEffects out) {
    if (open > 0) {
      return;
    }
    PastScan scanned = scan;
    List<Key> keys = waitingKeys;
    if (scanned != null) {
      KeyRange covered = scanned.covered();
      if (covered == null) {
        continueScan(scanned, out);
        return;
      }
      scan = null;
      shown = true;
      ranges.add(covered);
      scanned.versions(covered).forEach(this::takeRow);
      out.resumeScan(EXECUTION, operations - 1, scanned.rows(covered));
    } else if (keys != null) {
      ArrayList<Value> values = new ArrayList<>(keys.size());
      for (Key key : keys) {
        VersionedValue read = reads.get(key);
        if (read == null) {
          throw new IllegalStateException(txn + " has no answer for key " + key);
        }
        values.add(read.value());
      }
      waitingKeys = null;
      shown = true;
      out.resume(EXECUTION, operations - 1, values);
    }
  }

  private void takeRow(VersionedValue row) {
    VersionedValue before = reads.putIfAbsent(row.key(), row);
    if (before != null && goal.level() == PastLevel.LOCAL && !before.equals(row)) {
      rescanned.add(row);
    }
  }

  /** The answers of some partitions end below the others: these go on where they have stopped. */
  private void continueScan(PastScan scanned, CoordinatorEffects out) {
    Key lowest = scanned.unknownFrom();
    if (lowest == null) {
      throw new IllegalStateException(txn + " has all answers of a scan");
    }
    for (int partition : scanned.endingAt(lowest)) {
      KeyRange rest = new KeyRange(lowest, scanned.range.to());
      pose(PastQuestion.of(questions.size(), partition, rest, scanned.limit), out);
    }
  }

  private void commit(CoordinatorEffects out) {
    boolean local = goal.level() == PastLevel.LOCAL;
    TxnId read = place();
    List<VersionedValue> shownVersions = new ArrayList<>(reads.values());
    shownVersions.addAll(rescanned);
    complete(
        new Completion.Committed(
            txn,
            read == null ? txn : read,
            EXECUTION,
            local ? Completion.Path.LOCAL : Completion.Path.PAST,
            List.copyOf(shownVersions),
            List.copyOf(ranges),
            List.of()),
        out);
  }

  private void abort(AbortReason reason, CoordinatorEffects out) {
    complete(new Completion.Aborted(txn, reason), out);
  }

  private void complete(Completion how, CoordinatorEffects out) {
    ended = true;
    out.cancelTimer(Timer.DEADLINE);
    out.cancelTimer(Timer.RESEND);
    out.complete(how);
    out.retire();
  }

  // ---- replicas -----------------------------------------------------------------------------

  private void ask(PastQuestion question, CoordinatorEffects out) {
    question.askedMicros = nowMicros;
    for (int i = 1; i < topology.replicas() && unreachable.contains(replicaFor(question)); i++) {
      question.asked++;
    }
    PastLevel level =
        goal.level() == PastLevel.LOCAL
            ? PastLevel.LOCAL
            : place == null ? PastLevel.NEWEST : PastLevel.AT;
    TxnId asked = place == null ? goal.place() : place;
    out.send(replicaFor(question), question.message(txn, level, asked, topology.map().number()));
  }

  private ReplicaId replicaFor(PastQuestion question) {
    int rank = question.asked % topology.replicas();
    return new ReplicaId(question.partition, topology.nearest(question.partition, rank));
  }

  /** Asks others what those were asked that answer no more. */
  private void onUnreachable(Set<ReplicaId> replicas, CoordinatorEffects out) {
    unreachable = replicas;
    for (PastQuestion question : List.copyOf(questions)) {
      if (isAsked(question) && replicas.contains(replicaFor(question))) {
        ask(question, out);
      }
    }
  }

  /** Whether a replica has been asked the question, and may still answer. */
  private boolean isAsked(PastQuestion question) {
    return !ended && !question.answered && !question.waits && !held.contains(question);
  }

  private void onMessage(ReplicaId from, ToPastReader message, CoordinatorEffects out) {
    switch (message) {
      case PastReply reply -> {
        heard.heard(reply.newest(), nowMicros);
        int request = reply.request();
        PastQuestion question =
            request >= 0 && request < questions.size() ? questions.get(request) : null;
        if (question != null && !question.answered && question.partition == from.partition()) {
          onReply(from, question, reply, out);
        }
      }
      case Refused refused -> onRefused(from, refused.reason(), out);
    }
  }

  private void onReply(
      ReplicaId from, PastQuestion question, PastReply reply, CoordinatorEffects out) {
    switch (reply.state()) {
      case READ -> onRead(from, question, reply, out);
      case BEHIND -> {
        if (replicaFor(question).equals(from) && !question.waits) {
          askElsewhere(question, out);
        }
      }
      case GONE -> {
        question.gone.set(from.index());
        if (mayChooseAgain()) {
          chooseAgain(out);
        } else if (question.gone.cardinality() == topology.replicas()) {
          abort(goal.level() == PastLevel.AT ? AbortReason.PLACE_GONE : AbortReason.TRUNCATED, out);
        } else if (replicaFor(question).equals(from) && !question.waits) {
          askElsewhere(question, out);
        }
      }
    }
  }

  private void onRead(
      ReplicaId from, PastQuestion question, PastReply reply, CoordinatorEffects out) {
    boolean local = goal.level() == PastLevel.LOCAL;
    TxnId known = place;
    boolean fits =
        local
            || (known == null
                ? !reply.place().isBefore(goal.place())
                : reply.place().equals(known));
    if (!fits || !question.isAnsweredBy(reply, local ? null : reply.place())) {
      return; // an answer to an earlier question; if there is no other one, the reader asks again
    }
    if (local) {
      if (!question.isNotBefore(seen, reply)) {
        if (replicaFor(question).equals(from) && !question.waits) {
          askElsewhere(question, out);
        }
        return;
      }
      boolean absent =
          question.range != null || reply.rows().stream().anyMatch(row -> row.lowest().isInitial());
      if (absent && reply.place().isAfter(absentTo)) {
        absentTo = reply.place();
      }
    }
    question.answered = true;
    open--;
    if (known == null) {
      place = reply.place();
      List<PastQuestion> now = List.copyOf(held);
      held.clear();
      now.forEach(one -> ask(one, out));
    }
    PastScan scanned = scan;
    if (scanned != null) {
      scanned.take(question.partition, reply.rows(), reply.next());
    } else {
      reply.rows().forEach(row -> reads.put(row.key(), row));
      int taken = reply.rows().size();
      if (taken < question.keys.size()) {
        List<Key> rest = question.keys.subList(taken, question.keys.size());
        pose(PastQuestion.of(questions.size(), question.partition, List.copyOf(rest)), out);
      }
    }
    resumeIfAnswered(out);
  }

  private void onRefused(Endpoint from, Refusal reason, CoordinatorEffects out) {
    switch (reason) {
      case WRONG_PARTITION, OVERSIZED, INVALID -> abort(AbortReason.REFUSED, out);
      case SEALED, MOVED -> abort(AbortReason.MOVED, out);
      case NOT_AUTHORIZED -> abort(AbortReason.NOT_AUTHORIZED, out);
      case NOT_SERVING, CLOCK_AHEAD, TRUNCATED -> {
        for (PastQuestion question : List.copyOf(questions)) {
          if (isAsked(question) && replicaFor(question).equals(from)) {
            askElsewhere(question, out);
          }
        }
      }
    }
  }

  /** The replica cannot answer: the next one may, or this one later. */
  private void askElsewhere(PastQuestion question, CoordinatorEffects out) {
    question.asked++;
    if (place == null && goal.hasBound() && question.asked > topology.f()) {
      abort(AbortReason.BEHIND, out); // votes are asked for instead
      return;
    }
    while (question.asked % topology.replicas() != 0
        && unreachable.contains(replicaFor(question))) {
      question.asked++; // not beyond the last one: after that one the reader pauses
    }
    if (question.asked % topology.replicas() != 0) {
      ask(question, out);
    } else if (mayChooseAgain()) {
      chooseAgain(out);
    } else {
      question.waits = true;
      out.armTimer(Timer.RESEND, Math.min(PAUSE_MICROS, options.resendMicros()));
    }
  }

  /** Whether another place would do: the application has seen nothing of this one. */
  private boolean mayChooseAgain() {
    return goal.level() == PastLevel.NEWEST && place != null && !shown;
  }

  private void chooseAgain(CoordinatorEffects out) {
    heard.forget();
    place = null;
    reads.clear();
    questions.forEach(question -> question.answered = true);
    PastScan scanned = scan;
    if (scanned != null) {
      scan = new PastScan(scanned.range, scanned.limit);
    }
    if (choices++ == 0) {
      begin(out);
    } else if (!pauses) {
      pauses = true; // partitions may have no place in common until a watermark has moved
      out.armTimer(Timer.RESEND, Math.min(PAUSE_MICROS, options.resendMicros()));
    }
  }

  private void onTimer(Timer timer, CoordinatorEffects out) {
    switch (timer) {
      case DEADLINE -> abort(AbortReason.DEADLINE, out);
      case RESEND -> {
        out.armTimer(Timer.RESEND, options.resendMicros());
        if (pauses) {
          pauses = false;
          begin(out);
          return;
        }
        for (PastQuestion question : List.copyOf(questions)) {
          if (question.answered || held.contains(question)) {
            continue;
          }
          if (question.waits) {
            question.waits = false;
            ask(question, out);
          } else if (Math.abs(nowMicros - question.askedMicros) >= options.resendMicros()) {
            question.asked++;
            ask(question, out);
          }
        }
      }
      case TICK, SLOW_PATH, REVOTE, COMMIT_WAIT, FLUSH -> {}
    }
  }
}
