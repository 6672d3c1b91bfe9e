package org.mortydb.baselines.cluster;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.check.anomaly.Anomaly;
import org.mortydb.check.anomaly.OutcomeSource;
import org.mortydb.check.anomaly.Verdict;
import org.mortydb.check.anomaly.VersionOrderChecker;
import org.mortydb.check.history.HistoryRecorder;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Committed;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.system.Guarantee;

/**
 * Checks that committed transactions keep the guarantee of their system, and that they are durable
 * when their clients get the result. If they are serializable in the order of their positions, each
 * read must return the last write before it.
 */
final class HistoryCheck {

  /** One transaction's operations, with true times. */
  private record Done(Committed what, long beginMicros, long endMicros, long snapshotMicros) {}

  private record Seen(WriteId version, Value value) {
    static final Seen NOTHING = new Seen(WriteId.INITIAL, Value.ABSENT);
  }

  /** The replicas that hold a log entry with a transaction's writes, by partition. */
  private final Map<TxnId, Map<Integer, BitSet>> holders = new HashMap<>();

  private final Map<TxnId, Map<Key, Write>> loggedWrites = new HashMap<>();
  private final Map<TxnId, Long> commits = new HashMap<>();
  private final Set<TxnId> aborted = new HashSet<>();
  private final List<Done> done = new ArrayList<>();
  private final Set<TxnId> unknown = new HashSet<>();
  private final int f;
  private final Guarantee guarantee;
  private final EnumMap<AbortReason, Integer> aborts = new EnumMap<>(AbortReason.class);
  private List<Anomaly> anomalies = List.of();

  HistoryCheck(int f, Guarantee guarantee) {
    this.f = f;
    this.guarantee = guarantee;
  }

  /** The anomalies that the guarantee permits. */
  List<Anomaly> anomalies() {
    return anomalies;
  }

  int committed() {
    return done.size();
  }

  /** The number of aborted attempts by reason. */
  Map<AbortReason, Integer> aborts() {
    return aborts;
  }

  /** The transactions whose clients do not know the outcome. */
  Set<TxnId> unknown() {
    return unknown;
  }

  void decided(TxnId txn, long commitMicros) {
    Long before = commits.put(txn, commitMicros);
    if (before != null && before != commitMicros) {
      throw new AssertionError(txn + " commits at " + before + " and at " + commitMicros);
    }
    if (aborted.contains(txn)) {
      throw new AssertionError(txn + " commits after its client was told of an abort");
    }
  }

  void held(ReplicaId replica, LogEntry entry) {
    List<Write> writes =
        switch (entry) {
          case LogEntry.Prepared e -> e.writes();
          case LogEntry.Committed e -> e.writes();
          case LogEntry.Aborted e -> List.of();
        };
    for (Write write : writes) {
      loggedWrites.computeIfAbsent(entry.txn(), txn -> new HashMap<>()).put(write.key(), write);
    }
    if (!writes.isEmpty()) {
      holders
          .computeIfAbsent(entry.txn(), txn -> new HashMap<>())
          .computeIfAbsent(replica.partition(), partition -> new BitSet())
          .set(replica.index());
    }
  }

  void abandoned(TxnId txn) {
    unknown.add(txn);
  }

  void ended(long beginMicros, long endMicros, long snapshotMicros, Completion completion) {
    switch (completion) {
      case Committed committed -> {
        done.add(new Done(committed, beginMicros, endMicros, snapshotMicros));
        checkHeld(committed);
      }
      case Completion.Aborted a -> {
        aborts.merge(a.reason(), 1, Integer::sum);
        aborted.add(a.txn());
        if (commits.containsKey(a.txn())) {
          throw new AssertionError(a.txn() + " aborts for its client and has committed");
        }
      }
      case Completion.Unknown u -> unknown.add(u.txn());
    }
  }

  private void checkHeld(Committed committed) {
    Map<Integer, BitSet> byPartition = holders.getOrDefault(committed.txn(), Map.of());
    if (committed.writes().isEmpty()) {
      return;
    }
    if (byPartition.isEmpty()) {
      throw new AssertionError(committed.txn() + " was told to have committed and is in no log");
    }
    byPartition.forEach(
        (partition, replicas) -> {
          if (replicas.cardinality() < f + 1) {
            throw new AssertionError(
                committed.txn()
                    + " was told to have committed when "
                    + replicas.cardinality()
                    + " replicas of partition "
                    + partition
                    + " held it");
          }
        });
  }

  void check() {
    List<Committed> order = new ArrayList<>();
    for (Done one : done) {
      order.add(one.what);
    }
    for (TxnId txn : unknown) {
      Long commitMicros = commits.get(txn);
      if (commitMicros != null) {
        TxnId position = new TxnId(commitMicros, txn.clientId(), txn.home());
        List<Write> writes = List.copyOf(loggedWrites.getOrDefault(txn, Map.of()).values());
        order.add(new Committed(txn, position, 0, Completion.Path.SLOW, List.of(), writes));
      }
    }
    order.sort(Comparator.comparing(Committed::position));
    if (guarantee == Guarantee.SERIALIZABLE_BY_POSITION) {
      checkSerial(order);
    } else {
      checkSnapshots(order);
      checkDependencies(order);
    }
  }

  private static void checkSerial(List<Committed> order) {
    Map<Key, Seen> newest = new HashMap<>();
    for (Committed one : order) {
      for (VersionedValue read : one.reads()) {
        Seen expected = newest.getOrDefault(read.key(), Seen.NOTHING);
        if (!expected.equals(new Seen(read.version(), read.value()))) {
          throw new AssertionError(
              one.txn()
                  + " at "
                  + one.position()
                  + " read "
                  + read.key()
                  + " = "
                  + read.version()
                  + " instead of "
                  + expected.version);
        }
      }
      for (Write write : one.writes()) {
        newest.put(write.key(), new Seen(new WriteId(one.txn(), write.valueId()), write.value()));
      }
    }
  }

  /**
   * Checks snapshot isolation by the timestamps that clients have used: each read returns the last
   * write below the snapshot, and nobody else writes a key between the snapshot of a writer and its
   * commit.
   */
  private void checkSnapshots(List<Committed> order) {
    Map<Key, TreeMap<Long, Seen>> versions = new HashMap<>();
    for (Committed one : order) {
      for (Write write : one.writes()) {
        versions
            .computeIfAbsent(write.key(), key -> new TreeMap<>(Map.of(0L, Seen.NOTHING)))
            .put(
                one.position().timeMicros(),
                new Seen(new WriteId(one.txn(), write.valueId()), write.value()));
      }
    }
    for (Done one : done) {
      for (VersionedValue read : one.what.reads()) {
        Seen expected = last(versions, read.key(), one.snapshotMicros).getValue();
        if (!expected.equals(new Seen(read.version(), read.value()))) {
          throw new AssertionError(
              "%s with the snapshot %d read %s = %s instead of %s"
                  .formatted(
                      one.what.txn(),
                      one.snapshotMicros,
                      read.key(),
                      read.version(),
                      expected.version));
        }
      }
      long commitMicros = one.what.position().timeMicros();
      for (Write write : one.what.writes()) {
        long before = last(versions, write.key(), commitMicros).getKey();
        if (one.snapshotMicros != 0 && before >= one.snapshotMicros) {
          throw new AssertionError(
              "lost update: %s with the snapshot %d wrote %s at %d, as another did at %d"
                  .formatted(
                      one.what.txn(), one.snapshotMicros, write.key(), commitMicros, before));
        }
        if (commitMicros <= one.snapshotMicros) {
          throw new AssertionError(one.what.txn() + " has committed below its snapshot");
        }
      }
    }
  }

  private static Map.Entry<Long, Seen> last(
      Map<Key, TreeMap<Long, Seen>> versions, Key key, long belowMicros) {
    Map.@Nullable Entry<Long, Seen> last =
        versions.getOrDefault(key, new TreeMap<>()).lowerEntry(belowMicros);
    return last == null ? Map.entry(0L, Seen.NOTHING) : last;
  }

  /** Checks the guarantee by the dependencies between transactions. */
  private void checkDependencies(List<Committed> order) {
    HistoryRecorder recorder = new HistoryRecorder();
    for (Committed one : order) {
      recorder.record(recorder.size(), 0, 0, one);
    }
    Verdict verdict = VersionOrderChecker.check(recorder.finish(), OutcomeSource.NONE);
    if (!verdict.satisfies(guarantee)) {
      throw new AssertionError(verdict.toString());
    }
    anomalies = verdict instanceof Verdict.Violated violated ? violated.first() : List.of();
  }

  /**
   * Checks that a transaction that began after a writer had ended comes after the writer in the
   * serial order. Readers are not checked: a reader's position may be ahead of the clock, where
   * real time gives no order.
   */
  void checkRealTime() {
    List<Done> byBegin = new ArrayList<>(done);
    byBegin.sort(Comparator.comparingLong(Done::beginMicros));
    List<Done> byEnd = new ArrayList<>(done);
    byEnd.sort(Comparator.comparingLong(Done::endMicros));
    int ended = 0;
    @Nullable Done latest = null;
    for (Done one : byBegin) {
      while (byEnd.get(ended).endMicros < one.beginMicros) {
        Done other = byEnd.get(ended++);
        if (other.what.writes().isEmpty()) {
          continue;
        }
        if (latest == null || other.what.position().isAfter(latest.what.position())) {
          latest = other;
        }
      }
      if (latest != null && one.what.position().isBefore(latest.what.position())) {
        throw new AssertionError(
            one.what.txn()
                + " began after "
                + latest.what.txn()
                + " had ended, and is before it: "
                + one.what.position()
                + ", "
                + latest.what.position());
      }
    }
  }
}
