package org.mortydb.baselines.snapshot;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.message.Conflicts;
import org.mortydb.baselines.twophase.BaselineRules;
import org.mortydb.baselines.twophase.Participation;
import org.mortydb.baselines.twophase.Versions;
import org.mortydb.baselines.twophase.Versions.Version;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/**
 * The anti-dependencies at one partition, for serializable snapshot isolation (Cahill, Fekete,
 * Ports; docs/reference/baselines.md).
 *
 * <p>A cycle under snapshot isolation has two consecutive anti-dependencies between concurrent
 * transactions, T1 to T2 to T3, where T3 commits first of the cycle. So no T2 may commit with both,
 * as far as the second leads to a transaction that commits before it. Each transaction learns its
 * conflicts when it prepares:
 *
 * <ul>
 *   <li><i>out</i>: a key that it has read has a version that its snapshot does not show;
 *   <li><i>in</i>: a concurrent transaction has read a key that it writes.
 * </ul>
 *
 * <p>They are complete, except that a T1 which prepares after T2 gives T2 a conflict too late. Such
 * a T1 aborts if T2 has an <i>out</i>. While the outcome of T2 is unknown here, so may be its other
 * conflicts: then the later of two transactions in conflict aborts.
 */
final class AntiDependencies {

  /** The last committed reader of a key when this was queued, or a writer. */
  private record Dated<T>(T what, long commitMicros) {}

  private final Versions versions;
  private final BaselineRules rules;

  /** The prepared transactions that have read a key. */
  private final HashMap<Key, LinkedHashSet<Participation>> readers = new HashMap<>();

  /** The prepared transaction that writes a key. */
  private final HashMap<Key, Participation> writers = new HashMap<>();

  private final LinkedHashSet<Participation> prepared = new LinkedHashSet<>();

  /** The highest timestamp of a committed reader, by key. */
  private final HashMap<Key, Long> lastRead = new HashMap<>();

  /** Each key of {@link #lastRead} once. */
  private final ArrayDeque<Dated<Key>> readKeys = new ArrayDeque<>();

  /** The committed writers with a conflict <i>out</i>. */
  private final Set<TxnId> out = new LinkedHashSet<>();

  private final ArrayDeque<Dated<TxnId>> outByTime = new ArrayDeque<>();

  /** What only transactions with snapshots at or below it could ask for is forgotten. */
  private long horizonMicros;

  AntiDependencies(Versions versions, BaselineRules rules) {
    this.versions = versions;
    this.rules = rules;
  }

  /**
   * Notes the conflicts of a transaction that is about to prepare.
   *
   * @return whether it may prepare
   */
  boolean admit(Participation transaction) {
    long snapshotMicros = transaction.snapshotMicros();
    if (snapshotMicros != 0 && snapshotMicros <= horizonMicros) {
      return false;
    }
    boolean isOut = false;
    for (Read read : transaction.reads()) {
      @Nullable Participation writer = writers.get(read.key());
      if (writer != null && (!writer.isCommitting() || writer.conflicts().out())) {
        return false;
      }
      @Nullable List<Version> newer = versions.above(read.key(), snapshotMicros);
      if (newer == null) {
        return false;
      }
      for (Version version : newer) {
        if (out.contains(version.id().writer())) {
          return false;
        }
      }
      isOut |= writer != null || !newer.isEmpty();
    }
    boolean isIn = false;
    for (Write write : transaction.writes()) {
      for (Participation reader : readers.getOrDefault(write.key(), new LinkedHashSet<>(0))) {
        if (!reader.isCommitting()) {
          return false;
        }
        isIn = true;
      }
      isIn |= lastRead.getOrDefault(write.key(), 0L) > snapshotMicros;
    }
    transaction.add(new Conflicts(isIn, isOut));
    if (transaction.conflicts().isPivot()) {
      return false;
    }
    note(transaction);
    return true;
  }

  private void note(Participation transaction) {
    prepared.add(transaction);
    if (rules.marksReads()) {
      for (Read read : transaction.reads()) {
        readers.computeIfAbsent(read.key(), ignored -> new LinkedHashSet<>(2)).add(transaction);
      }
    }
    for (Write write : transaction.writes()) {
      writers.put(write.key(), transaction);
    }
  }

  /** A transaction has its outcome; it need not have been admitted. */
  void ended(Participation transaction) {
    if (!prepared.remove(transaction)) {
      return;
    }
    long commitMicros = transaction.commitMicros();
    for (Read read : transaction.reads()) {
      readers.computeIfPresent(
          read.key(), (key, all) -> all.remove(transaction) && all.isEmpty() ? null : all);
      if (commitMicros != 0 && rules.marksReads()) {
        if (lastRead.merge(read.key(), commitMicros, Math::max) == commitMicros) {
          readKeys.add(new Dated<>(read.key(), commitMicros));
        }
      }
    }
    for (Write write : transaction.writes()) {
      writers.remove(write.key());
    }
    if (commitMicros != 0 && transaction.conflicts().out() && !transaction.writes().isEmpty()) {
      out.add(transaction.txn());
      outByTime.add(new Dated<>(transaction.txn(), commitMicros));
    }
  }

  /** Forgets what only snapshots at or below a timestamp need. */
  void forget(long micros) {
    horizonMicros = Math.max(horizonMicros, micros);
    for (int i = readKeys.size(); i > 0 && readKeys.getFirst().commitMicros <= horizonMicros; i--) {
      Key key = readKeys.removeFirst().what;
      long latestMicros = lastRead.getOrDefault(key, 0L);
      if (latestMicros <= horizonMicros) {
        lastRead.remove(key);
      } else {
        readKeys.addLast(new Dated<>(key, latestMicros));
      }
    }
    while (!outByTime.isEmpty() && outByTime.getFirst().commitMicros <= horizonMicros) {
      out.remove(outByTime.removeFirst().what);
    }
  }

  /**
   * Checks that nothing is noted for a transaction that is over.
   *
   * @throws IllegalStateException when an invariant is broken
   */
  void checkInvariants(Predicate<TxnId> isOpen) {
    HashMap<Key, LinkedHashSet<Participation>> read = new HashMap<>();
    HashMap<Key, Participation> written = new HashMap<>();
    for (Participation one : prepared) {
      check(isOpen.test(one.txn()), one + " is over and prepared");
      if (rules.marksReads()) {
        one.reads()
            .forEach(r -> read.computeIfAbsent(r.key(), k -> new LinkedHashSet<>()).add(one));
      }
      one.writes().forEach(w -> written.put(w.key(), one));
    }
    check(read.equals(readers), "readers are " + read + ", noted " + readers);
    check(written.equals(writers), "writers are " + written + ", noted " + writers);
    check(out.size() == outByTime.size(), out.size() + " conflicts, noted " + outByTime.size());
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException("broken invariant: " + otherwise);
    }
  }
}
