package org.mortydb.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.past.Seen;

/**
 * Transactions that follow each other, for instance those of one user. Each sees at least what the
 * guarantees say of those that committed before it began, at every level of reads and through
 * whichever client (docs/protocol.md, section 16, Sessions). {@link TransactionOptions#inSession}
 * makes a transaction a part of a session.
 *
 * <p>A session remembers the versions of a bounded number of keys, and one place for all others.
 * Safe to use on any thread.
 */
public final class ClientSession implements Seen {
  /** How many versions a session remembers one by one. */
  static final int MOST_KEYS = 1_024;

  private final Set<SessionGuarantee> guarantees;

  /**
   * The writers of the versions of a key that were seen. A later value must be made of all merges,
   * and its base must not be below this one. Whether the base is among its versions says nothing:
   * the base may be a merge that a replica has folded, and another replica, which has not folded
   * it, may lack merges below.
   *
   * @param base the highest base; {@link TxnId#INITIAL} for none
   * @param merges those above the base, ascending
   */
  private record Versions(TxnId base, List<TxnId> merges) {
    private static final Versions NONE = new Versions(TxnId.INITIAL, List.of());

    TxnId newest() {
      return merges.isEmpty() ? base : merges.getLast();
    }

    int count() {
      return merges.size() + (base.equals(TxnId.INITIAL) ? 0 : 1);
    }

    Stream<TxnId> writers() {
      return Stream.concat(Stream.of(base), merges.stream()).filter(TxnId.INITIAL::isBefore);
    }

    /** Those that are above all that is remembered as one place. */
    Versions above(TxnId place) {
      return new Versions(
          base.isAfter(place) ? base : TxnId.INITIAL,
          merges.stream().filter(writer -> writer.isAfter(place)).toList());
    }
  }

  /** All below is guarded by this object. The versions that were seen of each key. */
  private final TreeMap<Key, Versions> versions = new TreeMap<>();

  /** How many versions there are. */
  private int count;

  private TxnId place = TxnId.INITIAL;
  private TxnId otherKeys = TxnId.INITIAL;

  /**
   * A session that has seen nothing.
   *
   * @throws IllegalArgumentException without a guarantee
   */
  public ClientSession(SessionGuarantee... guarantees) {
    if (guarantees.length == 0) {
      throw new IllegalArgumentException(
          "a session needs a guarantee: " + Arrays.toString(SessionGuarantee.values()));
    }
    this.guarantees = Set.of(Arrays.stream(guarantees).distinct().toArray(SessionGuarantee[]::new));
  }

  /** What the session guarantees. */
  public Set<SessionGuarantee> guarantees() {
    return guarantees;
  }

  /**
   * The place that a later read of the session reaches at least. Another process can go on from it
   * with {@link #advanceTo}.
   */
  @Override
  public synchronized TxnId place() {
    return place;
  }

  /** The session goes on from a place, such as that of another process's session. */
  public synchronized void advanceTo(TxnId reached) {
    place = later(place, reached);
    otherKeys = later(otherKeys, reached);
  }

  /** The place that reads of any key by itself reach at least. */
  public synchronized TxnId placeOfKeys() {
    return otherKeys;
  }

  @Override
  public synchronized TxnId of(Key key) {
    return later(otherKeys, versions.getOrDefault(key, Versions.NONE).newest());
  }

  @Override
  public synchronized boolean isIn(VersionedValue row, TxnId complete) {
    Versions seen = versions.getOrDefault(row.key(), Versions.NONE);
    TxnId base = later(otherKeys, seen.base);
    if (base.isAfter(complete) && base.isAfter(row.lowest().writer())) {
      return false;
    }
    for (TxnId writer : seen.merges) {
      if (writer.isAfter(complete) && !row.takesIn(writer)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public synchronized TxnId in(KeyRange range, Predicate<Key> but) {
    TxnId highest = otherKeys;
    for (Map.Entry<Key, Versions> seen : range.in(versions).entrySet()) {
      if (!but.test(seen.getKey())) {
        highest = later(highest, seen.getValue().newest());
      }
    }
    return highest;
  }

  /**
   * A transaction of the session has committed. Engines call it before they report the result.
   *
   * @param absentTo for reads key by key, a place at or above the deletions that may be the reason
   *     why a key was absent
   */
  public synchronized void committed(Completion.Committed done, TxnId absentTo) {
    TxnId position = done.position();
    if (guarantees.contains(SessionGuarantee.READ_YOUR_WRITES) && !done.writes().isEmpty()) {
      place = later(place, position);
      for (Write write : done.writes()) {
        boolean merges = write.value().isMerge();
        remember(write.key(), merges ? TxnId.INITIAL : position, List.of(position));
      }
    }
    boolean hasRead = !done.reads().isEmpty() || !done.ranges().isEmpty();
    if (guarantees.contains(SessionGuarantee.MONOTONIC_READS) && hasRead) {
      switch (done.path()) {
        case PAST -> advanceTo(position);
        case LOCAL -> {
          done.reads().forEach(this::rememberRead);
          advanceTo(absentTo);
        }
        case READ_ONLY, FAST, SLOW, LEARNT, ASYNC -> {
          place = later(place, position);
          done.reads().forEach(this::rememberRead);
          boolean absent = done.reads().stream().anyMatch(row -> row.lowest().isInitial());
          if (absent || !done.ranges().isEmpty()) {
            otherKeys = later(otherKeys, position);
          }
        }
      }
    }
  }

  private void rememberRead(VersionedValue row) {
    TxnId writer = row.version().writer();
    place = later(place, writer);
    List<TxnId> seen = new ArrayList<>();
    row.forEachRead(read -> seen.add(read.version().writer()));
    remember(row.key(), seen.getFirst(), seen);
  }

  /**
   * Remembers versions; if there are too many, the older half becomes one place.
   *
   * @param base what is below it counts no more: a later value is made of the base, or of one above
   * @param seen ascending
   */
  private void remember(Key key, TxnId base, List<TxnId> seen) {
    Versions before = versions.getOrDefault(key, Versions.NONE);
    TxnId newBase = later(base, before.base);
    TreeSet<TxnId> merges = new TreeSet<>(seen);
    merges.addAll(before.merges);
    put(key, new Versions(newBase, List.copyOf(merges.tailSet(newBase, false))));
    if (count > MOST_KEYS) {
      TxnId[] ascending =
          versions.values().stream().flatMap(Versions::writers).sorted().toArray(TxnId[]::new);
      otherKeys = later(otherKeys, ascending[count - MOST_KEYS / 2 - 1]);
      Map<Key, Versions> old = new TreeMap<>(versions);
      old.forEach(this::put);
    }
  }

  /** Keeps those of some versions that are above all that is remembered as one place. */
  private void put(Key key, Versions seen) {
    Versions before = versions.remove(key);
    count -= before == null ? 0 : before.count();
    Versions kept = seen.above(otherKeys);
    if (kept.count() > 0) {
      versions.put(key, kept);
      count += kept.count();
    }
  }

  private static TxnId later(TxnId a, TxnId b) {
    return a.isAfter(b) ? a : b;
  }
}
