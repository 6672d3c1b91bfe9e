package org.mortydb.sim;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.mortydb.client.SessionGuarantee;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.sim.Violation.Rule;

/**
 * Judges the guarantees of a session whose transactions follow each other. It has its own record of
 * what they have written and read, and looks at nothing that the client remembers.
 */
final class SessionCheck {
  private final Set<SessionGuarantee> guarantees;
  private final Watch watch;
  private final Marks marks;

  /** The highest place that the session has reached. */
  private TxnId place = TxnId.INITIAL;

  /** The highest place at which it has read each key; other keys may be older later. */
  private final Map<Key, TxnId> readAt = new HashMap<>();

  /** What it has written, and read key by key. */
  private final Map<Key, TxnId> versions = new HashMap<>();

  private final List<LocalRead> local = new ArrayList<>();

  /**
   * A read of a key by itself, to be judged once all commits are known.
   *
   * @param shown the writer of the version
   * @param own the writer of the version that the session knew before
   * @param at the place at which the session had read the key before
   */
  private record LocalRead(TxnId reader, Key key, TxnId shown, TxnId own, TxnId at) {}

  SessionCheck(Set<SessionGuarantee> guarantees, Watch watch, Marks marks) {
    this.guarantees = guarantees;
    this.watch = watch;
    this.marks = marks;
  }

  /**
   * The next transaction of the session has committed.
   *
   * @param keys all keys that there may be
   */
  void committed(Completion.Committed done, Collection<Key> keys) {
    marks.add("session/" + done.path());
    TxnId at = done.position();
    boolean byKey = done.path() == Path.LOCAL;
    if (!byKey && at.isBefore(place)) {
      violated("%s is at %s, its session was at %s".formatted(done.txn(), at, place));
    }
    Map<Key, TxnId> shown = new HashMap<>();
    keys.stream()
        .filter(key -> done.ranges().stream().anyMatch(range -> range.contains(key)))
        .forEach(key -> shown.put(key, TxnId.INITIAL));
    done.reads().forEach(row -> shown.put(row.key(), row.version().writer()));
    if (byKey) {
      shown.forEach((key, writer) -> local.add(read(done.txn(), key, writer)));
    }
    if (guarantees.contains(SessionGuarantee.READ_YOUR_WRITES)) {
      for (Write write : done.writes()) {
        versions.merge(write.key(), at, SessionCheck::later);
        place = later(place, at);
      }
    }
    boolean hasRead = !done.reads().isEmpty() || !done.ranges().isEmpty();
    if (guarantees.contains(SessionGuarantee.MONOTONIC_READS) && hasRead) {
      if (byKey) {
        for (VersionedValue row : done.reads()) {
          TxnId writer = row.version().writer();
          versions.merge(row.key(), writer, SessionCheck::later);
          place = later(place, writer);
        }
      } else {
        // What a transaction has written itself is above what it has read.
        TxnId state = done.writes().isEmpty() ? at : new TxnId(at.timeMicros() - 1, 0, 0);
        shown.keySet().forEach(key -> readAt.merge(key, state, SessionCheck::later));
        place = later(place, at);
      }
    }
  }

  private LocalRead read(TxnId reader, Key key, TxnId shown) {
    return new LocalRead(
        reader,
        key,
        shown,
        versions.getOrDefault(key, TxnId.INITIAL),
        readAt.getOrDefault(key, TxnId.INITIAL));
  }

  private static TxnId later(TxnId a, TxnId b) {
    return a.isAfter(b) ? a : b;
  }

  private void violated(String how) {
    watch.violated(Rule.GUARANTEE, how);
  }

  /** Judges the reads key by key of sessions, when all that has committed is known. */
  static void check(List<SessionCheck> sessions, Watch watch, Marks marks) {
    Map<Key, NavigableMap<TxnId, Boolean>> written = written(watch);
    for (SessionCheck session : sessions) {
      session.local.forEach(read -> session.check(read, written));
      marks.add("checked/" + Rule.GUARANTEE, session.local.size());
    }
  }

  /** For each key the writers that have committed, and whether they have deleted it. */
  private static Map<Key, NavigableMap<TxnId, Boolean>> written(Watch watch) {
    Map<Key, NavigableMap<TxnId, Boolean>> written = new HashMap<>();
    watch
        .outcomes()
        .forEach(
            (txn, outcome) -> {
              if (outcome instanceof Outcome.Commit(int number, List<Integer> _)) {
                for (Write write : watch.prepared().writes(new ExecutionId(txn, number))) {
                  written
                      .computeIfAbsent(write.key(), _ -> new TreeMap<>())
                      .put(txn, write.value().isAbsent());
                }
              }
            });
    return written;
  }

  private void check(LocalRead read, Map<Key, NavigableMap<TxnId, Boolean>> written) {
    if (watch.isLost(read.own) || watch.isLost(read.at)) {
      return;
    }
    NavigableMap<TxnId, Boolean> writers = written.getOrDefault(read.key, new TreeMap<>());
    TxnId atPlace = writers.floorKey(read.at);
    TxnId needed = atPlace == null ? read.own : later(read.own, atPlace);
    // A deletion that was discarded looks as if the key had never been written.
    boolean mayBeDeleted =
        read.shown.equals(TxnId.INITIAL) && writers.tailMap(needed, true).containsValue(true);
    if (read.shown.isBefore(needed) && !mayBeDeleted) {
      violated(
          "%s read the version of %s by %s, its session knew the one by %s"
              .formatted(read.reader, read.key, read.shown, needed));
    }
  }
}
