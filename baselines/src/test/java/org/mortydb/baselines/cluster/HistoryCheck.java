package org.mortydb.baselines.cluster;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.Committed;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Checks that committed transactions are serializable in the order of their positions, and that
 * they are durable when their clients get the result. Each read must return the last write before
 * it.
 */
final class HistoryCheck {

  /** One transaction's operations, with true times. */
  private record Done(Committed what, long beginMicros, long endMicros) {}

  private record Seen(WriteId version, Value value) {}

  /** The replicas that hold a log entry with a transaction's writes, by partition. */
  private final Map<TxnId, Map<Integer, BitSet>> holders = new HashMap<>();

  private final Map<TxnId, Map<Key, Write>> loggedWrites = new HashMap<>();
  private final Map<TxnId, Long> commits = new HashMap<>();
  private final Set<TxnId> aborted = new HashSet<>();
  private final List<Done> done = new ArrayList<>();
  private final Set<TxnId> unknown = new HashSet<>();
  private final int f;
  private int aborts;

  HistoryCheck(int f) {
    this.f = f;
  }

  int committed() {
    return done.size();
  }

  int aborts() {
    return aborts;
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

  void ended(long beginMicros, long endMicros, Completion completion) {
    switch (completion) {
      case Committed committed -> {
        done.add(new Done(committed, beginMicros, endMicros));
        checkHeld(committed);
      }
      case Completion.Aborted a -> {
        aborts++;
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
    Map<Key, Seen> newest = new HashMap<>();
    for (Committed one : order) {
      for (VersionedValue read : one.reads()) {
        Seen expected = newest.getOrDefault(read.key(), new Seen(WriteId.INITIAL, Value.ABSENT));
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
