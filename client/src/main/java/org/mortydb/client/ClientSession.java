package org.mortydb.client;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
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

  /** All below is guarded by this object. The versions by themselves, in the order of the keys. */
  private final TreeMap<Key, TxnId> versions = new TreeMap<>();

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
    return later(otherKeys, versions.getOrDefault(key, TxnId.INITIAL));
  }

  @Override
  public synchronized TxnId in(KeyRange range, Predicate<Key> but) {
    TxnId highest = otherKeys;
    for (Map.Entry<Key, TxnId> version : range.in(versions).entrySet()) {
      if (!but.test(version.getKey())) {
        highest = later(highest, version.getValue());
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
        remember(write.key(), position);
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
          boolean absent = done.reads().stream().anyMatch(row -> row.version().isInitial());
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
    remember(row.key(), writer);
  }

  /** Remembers a version; if there are too many, the older half becomes one place. */
  private void remember(Key key, TxnId writer) {
    if (!writer.isAfter(otherKeys)) {
      return;
    }
    versions.merge(key, writer, ClientSession::later);
    if (versions.size() > MOST_KEYS) {
      List<TxnId> ascending = versions.values().stream().sorted(Comparator.naturalOrder()).toList();
      otherKeys = later(otherKeys, ascending.get(MOST_KEYS / 2));
      versions.values().removeIf(version -> !version.isAfter(otherKeys));
    }
  }

  private static TxnId later(TxnId a, TxnId b) {
    return a.isAfter(b) ? a : b;
  }
}
