package org.mortydb.sim;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.mortydb.client.SessionGuarantee;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.Key;
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

  /**
   * The highest place at which it has read each key, or the highest base of a read of the key by
   * itself; other keys may be older later.
   */
  private final Map<Key, TxnId> readAt = new HashMap<>();

  /**
   * The writers of what it has written, and read key by key: also of the versions that a value was
   * made of.
   */
  private final Map<Key, NavigableSet<TxnId>> versions = new HashMap<>();

  private final List<LocalRead> local = new ArrayList<>();

  /**
   * A read of a key by itself, to be judged once all commits are known.
   *
   * @param shown the writers of the versions that the value is made of; the lowest is the base
   * @param own the writers that the session knew before
   * @param at the place at which the session had read the key before, or a base
   */
  private record LocalRead(
      TxnId reader, Key key, NavigableSet<TxnId> shown, Set<TxnId> own, TxnId at) {}

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
    Map<Key, NavigableSet<TxnId>> shown = new HashMap<>();
    keys.stream()
        .filter(key -> done.ranges().stream().anyMatch(range -> range.contains(key)))
        .forEach(key -> shown.put(key, new TreeSet<>(List.of(TxnId.INITIAL))));
    done.reads().forEach(row -> shown.put(row.key(), writers(row)));
    if (byKey) {
      shown.forEach((key, writers) -> local.add(read(done.txn(), key, writers)));
      done.reads().stream() // a scan may show what an earlier read of the key has not
          .filter(row -> !writers(row).equals(shown.get(row.key())))
          .forEach(row -> local.add(read(done.txn(), row.key(), writers(row))));
    }
    if (guarantees.contains(SessionGuarantee.READ_YOUR_WRITES)) {
      for (Write write : done.writes()) {
        knows(write.key(), List.of(at));
        place = later(place, at);
      }
    }
    boolean hasRead = !done.reads().isEmpty() || !done.ranges().isEmpty();
    if (guarantees.contains(SessionGuarantee.MONOTONIC_READS) && hasRead) {
      if (byKey) {
        for (VersionedValue row : done.reads()) {
          knows(row.key(), writers(row));
          // The base may be a folded merge: then all below is in what was read.
          readAt.merge(row.key(), row.lowest().writer(), SessionCheck::later);
          place = later(place, row.version().writer());
        }
      } else {
        // What a transaction has written itself is above what it has read.
        TxnId state = done.writes().isEmpty() ? at : new TxnId(at.timeMicros() - 1, 0, 0);
        shown.keySet().forEach(key -> readAt.merge(key, state, SessionCheck::later));
        place = later(place, at);
      }
    }
  }

  private static NavigableSet<TxnId> writers(VersionedValue row) {
    NavigableSet<TxnId> writers = new TreeSet<>();
    row.forEachRead(read -> writers.add(read.version().writer()));
    return writers;
  }

  private void knows(Key key, Collection<TxnId> writers) {
    versions.computeIfAbsent(key, _ -> new TreeSet<>()).addAll(writers);
  }

  private LocalRead read(TxnId reader, Key key, NavigableSet<TxnId> shown) {
    return new LocalRead(
        reader,
        key,
        shown,
        new TreeSet<>(versions.getOrDefault(key, new TreeSet<>())),
        readAt.getOrDefault(key, TxnId.INITIAL));
  }

  private static TxnId later(TxnId a, TxnId b) {
    return a.isAfter(b) ? a : b;
  }

  private void violated(String how) {
    watch.violated(Rule.GUARANTEE, how);
  }

  /**
   * Judges the reads key by key of sessions, when all that has committed is known.
   *
   * @param written what has committed of each key, in the serial order
   */
  static void check(
      List<SessionCheck> sessions,
      Map<Key, NavigableMap<TxnId, Write>> written,
      Watch watch,
      Marks marks) {
    for (SessionCheck session : sessions) {
      session.local.forEach(
          read -> session.check(read, written.getOrDefault(read.key, new TreeMap<>())));
      marks.add("checked/" + Rule.GUARANTEE, session.local.size());
    }
  }

  /** Each version that the session knows is in the value, or at or below its base. */
  private void check(LocalRead read, NavigableMap<TxnId, Write> written) {
    if (watch.isLost(read.at)
        || read.shown.stream()
            .anyMatch(writer -> !writer.equals(TxnId.INITIAL) && watch.isLost(writer))) {
      return;
    }
    NavigableSet<TxnId> needed = new TreeSet<>(written.headMap(read.at, true).keySet());
    read.own.stream().filter(written::containsKey).forEach(needed::add);
    needed.removeIf(writer -> !writer.isAfter(read.shown.first()) || read.shown.contains(writer));
    // A deletion that was discarded looks as if the key had never been written.
    boolean mayBeDeleted =
        read.shown.first().equals(TxnId.INITIAL)
            && !needed.isEmpty()
            && written.tailMap(needed.last(), true).values().stream()
                .anyMatch(write -> write.value().isAbsent());
    if (!needed.isEmpty() && !mayBeDeleted) {
      violated(
          "%s read %s as made of the versions by %s, its session knew those by %s"
              .formatted(read.reader, read.key, read.shown, needed));
    }
  }
}
