package org.mortydb.baselines.occ;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.function.Predicate;
import org.mortydb.baselines.twophase.BaselineRules;
import org.mortydb.baselines.twophase.ConcurrencyControl;
import org.mortydb.baselines.twophase.Participation;
import org.mortydb.baselines.twophase.Versions;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/**
 * Optimistic concurrency control. Reads take no locks. A transaction prepares if all its reads are
 * still the newest versions and no prepared transaction conflicts with it. Otherwise it aborts. No
 * transaction ever waits.
 */
public final class Optimistic implements ConcurrencyControl {

  /** Leaders validate reads that any replica may have served. */
  public static final Factory FACTORY =
      new Factory() {
        @Override
        public boolean readsAnywhere() {
          return true;
        }

        @Override
        public boolean hasSnapshots() {
          return false;
        }

        @Override
        public ConcurrencyControl create(Grants grants, Versions versions, BaselineRules rules) {
          return new Optimistic(grants, versions, rules);
        }
      };

  private record PreparedSets(List<Read> reads, List<Write> writes) {}

  private final Grants grants;
  private final Versions versions;
  private final BaselineRules rules;
  private final HashMap<TxnId, PreparedSets> prepared = new HashMap<>();

  /** The number of prepared transactions that have read a key. */
  private final HashMap<Key, Integer> readers = new HashMap<>();

  /** The prepared transactions that write a key: one, or several that only add to it. */
  private final HashMap<Key, Writers> writers = new HashMap<>();

  /**
   * @param sums whether they only add to the key's number
   */
  private record Writers(boolean sums, HashSet<TxnId> txns) {}

  private Optimistic(Grants grants, Versions versions, BaselineRules rules) {
    this.grants = grants;
    this.versions = versions;
    this.rules = rules;
  }

  @Override
  public void read(long nowMicros, Participation transaction, Key key) {
    grants.readGranted(transaction, key);
  }

  @Override
  public void prepare(long nowMicros, Participation transaction) {
    if (!isValid(transaction)) {
      grants.abort(transaction);
      return;
    }
    prepared.put(transaction.txn(), new PreparedSets(transaction.reads(), transaction.writes()));
    for (Read read : transaction.reads()) {
      readers.merge(read.key(), 1, Integer::sum);
    }
    for (Write write : transaction.writes()) {
      boolean isSum = Merge.isSum(write.value());
      writers
          .computeIfAbsent(write.key(), key -> new Writers(isSum, new HashSet<>()))
          .txns
          .add(transaction.txn());
    }
    grants.prepareGranted(transaction);
  }

  private boolean isValid(Participation transaction) {
    for (Read read : transaction.reads()) {
      boolean isStale = !versions.newest(read.key()).id().equals(read.version());
      if (isStale && rules.validatesReads()) {
        return false;
      }
      if (writers.containsKey(read.key()) && rules.checksPrepared()) {
        return false;
      }
    }
    for (Write write : transaction.writes()) {
      // Two prepared writers of one key break an invariant, even with weakened rules; but sums of
      // transactions that have not read it commute.
      Writers others = writers.get(write.key());
      boolean commutes = others == null || (others.sums && Merge.isSum(write.value()));
      if (!commutes || (readers.containsKey(write.key()) && rules.checksPrepared())) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void release(Participation transaction) {
    PreparedSets sets = prepared.remove(transaction.txn());
    if (sets == null) {
      return;
    }
    for (Read read : sets.reads) {
      readers.computeIfPresent(read.key(), (key, count) -> count == 1 ? null : count - 1);
    }
    for (Write write : sets.writes) {
      writers.computeIfPresent(
          write.key(),
          (key, all) -> {
            all.txns.remove(transaction.txn());
            return all.txns.isEmpty() ? null : all;
          });
    }
  }

  @Override
  public void tick(long nowMicros, long patienceMicros, long horizonMicros) {}

  @Override
  public void checkInvariants(Predicate<TxnId> isOpen) {
    HashMap<Key, Integer> readersFound = new HashMap<>();
    HashMap<Key, HashSet<TxnId>> writersFound = new HashMap<>();
    HashMap<Key, HashSet<TxnId>> writersNoted = new HashMap<>();
    writers.forEach((key, all) -> writersNoted.put(key, all.txns));
    prepared.forEach(
        (txn, sets) -> {
          check(isOpen.test(txn), txn + " is over and prepared");
          sets.reads.forEach(read -> readersFound.merge(read.key(), 1, Integer::sum));
          sets.writes.forEach(
              write -> writersFound.computeIfAbsent(write.key(), key -> new HashSet<>()).add(txn));
        });
    check(readersFound.equals(readers), "readers are " + readersFound + ", counted " + readers);
    check(
        writersFound.equals(writersNoted),
        "writers are " + writersFound + ", noted " + writersNoted);
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException("broken invariant: " + otherwise);
    }
  }
}
