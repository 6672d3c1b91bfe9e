package org.mortydb.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.sim.Violation.Rule;

/** Checks what must hold after the faults, once all activity has ended. */
final class RestCheck {
  private final TransactionSystem system;
  private final Watch watch;

  /** The acknowledged writes of each key. */
  private final Map<Key, List<Acknowledged>> acknowledged = new TreeMap<>();

  private record Acknowledged(TxnId position, Write write) {}

  RestCheck(TransactionSystem system, Watch watch) {
    this.system = system;
    this.watch = watch;
  }

  /** Notes that a client received the acknowledgement of a commit. */
  void acknowledged(Completion.Committed committed) {
    for (Write write : committed.writes()) {
      acknowledged
          .computeIfAbsent(write.key(), _ -> new ArrayList<>())
          .add(new Acknowledged(committed.position(), write));
    }
  }

  /**
   * I5: for each key, f+1 replicas hold the newest acknowledged write, or a newer committed one.
   * What the operator has undone does not count.
   */
  void checkNothingLost() {
    acknowledged.forEach(
        (key, writes) -> {
          @Nullable Acknowledged newest =
              writes.stream()
                  .filter(write -> !watch.isLost(write.position))
                  .max(Comparator.comparing(Acknowledged::position))
                  .orElse(null);
          if (newest == null) {
            return;
          }
          int partition = watch.partitionOf(key, Long.MAX_VALUE);
          if (watch.isLeftBehind(key)) {
            return;
          }
          int holders = 0;
          List<String> found = new ArrayList<>();
          int f = watch.f(partition);
          for (int i = 0; i < 2 * f + 1; i++) {
            ReplicaId id = new ReplicaId(partition, i);
            @Nullable VersionedValue held = watch.newestCommitted(id, key);
            holders += watch.isGone(id) || holds(held, newest) ? 1 : 0; // it has its disk
            found.add(id + " has " + (held == null ? "nothing" : held.version()));
          }
          if (holders < f + 1) {
            watch.violated(
                Rule.LOST,
                "%s of %s was acknowledged, but only %d replicas hold it: %s"
                    .formatted(newest.position, key, holders, found));
          }
        });
  }

  private boolean holds(@Nullable VersionedValue held, Acknowledged newest) {
    if (held == null) {
      return isDeletedSince(newest);
    }
    TxnId position = watch.positionOf(held.version().writer());
    return position.isAfter(newest.position)
        || (position.equals(newest.position)
            && (isRenumbered(newest.write) || held.version().valueId() == newest.write.valueId())
            && (newest.write.value().isMerge() || held.value().equals(remaining(newest))));
  }

  private Value remaining(Acknowledged newest) {
    return watch.remaining(newest.write.key(), newest.position, newest.write.value());
  }

  /** A baseline renumbers a sum when another one is installed below it. */
  private boolean isRenumbered(Write write) {
    return Merge.isSum(write.value()) && !system.isDurable();
  }

  /**
   * Whether the key was deleted by this write or a later one, so that replicas may hold nothing.
   */
  private boolean isDeletedSince(Acknowledged newest) {
    if (newest.write.value().isAbsent()) {
      return true;
    }
    for (Map.Entry<TxnId, Outcome> known : watch.outcomes().entrySet()) {
      TxnId txn = known.getKey();
      if (known.getValue() instanceof Outcome.Commit(int number, _)
          && watch.positionOf(txn).isAfter(newest.position)) {
        for (Write write : watch.prepared().writes(new ExecutionId(txn, number))) {
          if (write.key().equals(newest.write.key()) && write.value().isAbsent()) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** All replicas of a partition must hold the same state, if the system promises that. */
  void checkAlike() {
    differences().forEach(difference -> watch.violated(Rule.SETTLED, difference));
  }

  private List<String> differences() {
    List<String> differences = new ArrayList<>();
    if (!system.hasEqualReplicas()) {
      return differences;
    }
    for (Key key : acknowledged.keySet()) {
      int partition = watch.partitionOf(key, Long.MAX_VALUE);
      int lowest = 0;
      while (watch.isGone(new ReplicaId(partition, lowest))) {
        lowest++;
      }
      ReplicaId first = new ReplicaId(partition, lowest);
      @Nullable VersionedValue expected = watch.newestCommitted(first, key);
      for (int i = lowest + 1; i < 2 * watch.f(partition) + 1; i++) {
        ReplicaId id = new ReplicaId(partition, i);
        if (watch.isGone(id)) {
          continue;
        }
        @Nullable VersionedValue held = watch.newestCommitted(id, key);
        if (!Objects.equals(present(expected), present(held))) {
          differences.add(
              "replicas differ in %s: %s holds %s and %s holds %s"
                  .formatted(key, first, expected, id, held));
        }
      }
    }
    return differences;
  }

  /** A replica may have dropped a deletion that another one still holds. */
  private static @Nullable VersionedValue present(@Nullable VersionedValue held) {
    return held == null || held.value().isAbsent() ? null : held;
  }

  /** Transactions without a known outcome at a replica that has voted for or accepted them. */
  TreeSet<TxnId> undecided() {
    TreeSet<TxnId> open = new TreeSet<>();
    // Where a partition has ended, what an old client has left open hinders nobody.
    watch.replicas().stream()
        .filter(replica -> !replica.hasEnded())
        .forEach(replica -> open.addAll(replica.undecided()));
    watch.others().forEach(replica -> open.addAll(replica.undecided()));
    return open;
  }

  /** Whether all replicas serve, and every transaction is decided and installed. */
  boolean isReached() {
    return notServing().isEmpty()
        && undecided().isEmpty()
        && notInstalled().isEmpty()
        && differences().isEmpty();
  }

  /** The replicas that are down or joining. */
  List<ReplicaId> notServing() {
    return watch.members().stream()
        .filter(
            id -> {
              @Nullable Replica replica = watch.replica(id);
              return replica == null || !(replica.isServing() || replica.hasEnded());
            })
        .toList();
  }

  /** The time of the lowest watermark of all running replicas. */
  long lowestWatermarkMicros() {
    return watch.replicas().stream()
        .filter(replica -> !replica.hasEnded())
        .mapToLong(replica -> replica.census().watermarkMicros())
        .min()
        .orElse(0);
  }

  /** What replicas keep of transactions that have ended long ago; and those that do not end. */
  List<String> leftovers() {
    List<String> left = new ArrayList<>();
    MapHistory maps = watch.maps();
    for (ReplicaId id : watch.members()) {
      @Nullable Replica replica = watch.replica(id);
      if (replica == null || replica.hasEnded()) {
        continue;
      }
      ClusterMap without = maps.firstWithout(id.partition());
      if (without != null && without.number() <= maps.closed()) {
        left.add(id + " goes on, although its partition has no buckets");
      }
      replica.leftovers().forEach(text -> left.add(id + " keeps " + text));
    }
    return left;
  }

  void checkServing() {
    List<ReplicaId> away = notServing();
    if (!away.isEmpty()) {
      watch.violated(Rule.SERVING, away + " do not serve");
    }
  }

  /** A replica that knows a commit of its partition must hold it, if any peer holds it. */
  void checkInstalled() {
    notInstalled().forEach(lack -> watch.violated(Rule.SETTLED, lack));
  }

  private List<String> notInstalled() {
    List<String> lacks = new ArrayList<>();
    if (watch.replicas().isEmpty()) {
      return lacks;
    }
    watch
        .outcomes()
        .forEach(
            (txn, outcome) -> {
              if (outcome instanceof Outcome.Commit(int number, var concerned)) {
                ExecutionId execution = new ExecutionId(txn, number);
                concerned.forEach(partition -> addLacking(execution, partition, lacks));
              }
            });
    return lacks;
  }

  private void addLacking(ExecutionId execution, int partition, List<String> lacks) {
    List<ReplicaId> lacking = new ArrayList<>();
    boolean held = false;
    for (int i = 0; i < 2 * watch.f(partition) + 1; i++) {
      ReplicaId id = new ReplicaId(partition, i);
      @Nullable Replica replica = watch.replica(id);
      if (replica == null) {
        continue;
      }
      held |= replica.holds(execution);
      // Where a partition has ended, a replica that hears late of a commit fetches nothing.
      if (!replica.hasEnded()
          && replica.outcomeOf(execution.txn()) != null
          && !replica.holds(execution)
          && !Watch.isComplete(replica, execution.txn())) {
        lacking.add(id);
      }
    }
    if (held && !lacking.isEmpty()) {
      lacks.add(lacking + " know that " + execution + " committed, but do not hold it");
    }
  }
}
