package org.mortydb.sim;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.sim.Violation.Rule;

/**
 * Commits that applications have heard of before they were durable (docs/protocol.md, section 8,
 * Durability of a transaction). One may be lost, but only if more than f replicas of a participant
 * crash before its outcome is known; or if at least one crashes, and a recovery has waited in vain
 * for the others. Everything else is checked like the commit of any transaction: what replicas
 * decide is durable, and never half.
 */
final class AsyncCommits {
  /** From this round of views on, a recovery counts the promises of replicas that have crashed. */
  private static final int PATIENT_ROUNDS = 4;

  private final Watch watch;
  private final int f;
  private final Marks marks;
  private final Map<TxnId, Completion.Committed> acknowledged = new LinkedHashMap<>();

  /** For each async transaction without a known outcome the replicas that have crashed since. */
  private final Map<TxnId, Set<ReplicaId>> open = new HashMap<>();

  private final Map<TxnId, Set<ReplicaId>> crashed = new HashMap<>();

  /** When the first recovery of a transaction began. */
  private final Map<TxnId, Long> recovered = new HashMap<>();

  /** How long after that the first recovery began that counts all promises. */
  private final Map<TxnId, Long> waited = new HashMap<>();

  private Consumer<Completion.Committed> onAcknowledged = _ -> {};

  AsyncCommits(Watch watch, int f, Marks marks) {
    this.watch = watch;
    this.f = f;
    this.marks = marks;
  }

  /** A client asks for votes that it will hear of before they are durable. */
  void prepared(Message.Prepare prepare) {
    if (prepare.async() && watch.outcomeOf(prepare.txn()).isEmpty()) {
      open.computeIfAbsent(prepare.txn(), _ -> new HashSet<>());
    }
  }

  /** A replica's process ends, and may lose what is not durable. */
  void crashed(ReplicaId replica) {
    open.values().forEach(each -> each.add(replica));
  }

  /** A replica begins to recover a transaction. */
  void recovers(TxnId txn, View view, long nowMicros) {
    long first = recovered.computeIfAbsent(txn, _ -> nowMicros);
    if (view.round() >= PATIENT_ROUNDS) {
      waited.putIfAbsent(txn, nowMicros - first);
    }
  }

  /** Some process knows the outcome of a transaction. */
  void decided(TxnId txn) {
    Set<ReplicaId> those = open.remove(txn);
    if (those != null) {
      crashed.put(txn, those);
    }
  }

  /** An application has heard of a commit that is not durable yet. */
  void acknowledged(Completion.Committed commit) {
    acknowledged.put(commit.txn(), commit);
    onAcknowledged.accept(commit);
  }

  /** Calls a fault in the step in which an application hears of a commit. */
  void onAcknowledged(Consumer<Completion.Committed> fault) {
    onAcknowledged = fault;
  }

  /** Whether an application has heard of a commit that is lost. */
  boolean isLost(TxnId txn) {
    Completion.Committed commit = acknowledged.get(txn);
    return commit != null && !isKept(commit);
  }

  private boolean isKept(Completion.Committed commit) {
    Optional<Outcome> outcome = watch.outcomeOf(commit.txn());
    return outcome.isPresent()
        && outcome.get() instanceof Outcome.Commit(int number, List<Integer> _)
        && number == commit.execution();
  }

  /**
   * Judges all of them, once nothing is undecided any more.
   *
   * @param inquireMicros how long the first attempt of a recovery may take
   */
  void check(long inquireMicros) {
    for (Completion.Committed commit : acknowledged.values()) {
      if (watch.isLost(commit.txn())) {
        continue;
      }
      marks.add("async/acknowledged");
      if (isKept(commit)) {
        watch.rest().acknowledged(commit);
        continue;
      }
      marks.add("async/lost");
      if (!mayBeLost(commit, inquireMicros)) {
        watch.violated(
            Rule.LOST,
            "%s was acknowledged and ended with %s, although only %s have crashed"
                .formatted(
                    commit.txn(), watch.outcomeOf(commit.txn()), crashedSince(commit.txn())));
      }
    }
  }

  private Set<ReplicaId> crashedSince(TxnId txn) {
    return crashed.getOrDefault(txn, open.getOrDefault(txn, Collections.emptySet()));
  }

  private boolean mayBeLost(Completion.Committed commit, long inquireMicros) {
    Set<ReplicaId> those = crashedSince(commit.txn());
    int most = 0;
    ExecutionId execution = new ExecutionId(commit.txn(), commit.execution());
    for (int partition : watch.prepared().participants(execution)) {
      int count = (int) those.stream().filter(each -> each.partition() == partition).count();
      most = Math.max(most, count);
    }
    // Rounds of one, two and four times the first one; clocks are too fast by 2 % at most.
    boolean inVain = waited.getOrDefault(commit.txn(), 0L) >= 7 * inquireMicros * 49 / 50;
    return most > f || (most > 0 && inVain);
  }
}
