package org.mortydb.baselines.spanner;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.function.Predicate;
import org.mortydb.baselines.locks.LockTable;
import org.mortydb.baselines.locks.LockTable.Mode;
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
 * Strict two-phase locking: shared locks for reads, and exclusive locks for writes when the
 * transaction prepares. All locks are held until the outcome. Read-only transactions use snapshots.
 *
 * <p>If two transactions have read a key and want to write it, one of them must be aborted. So if
 * the last reader of a key also wrote it, the next reader takes an exclusive lock; see {@link
 * UpdatedKeys}.
 */
public final class Locking implements ConcurrencyControl, LockTable.Listener {

  /** Locks for transactions that write, snapshots for read-only ones. */
  public static final Factory FACTORY =
      new Factory() {
        @Override
        public boolean readsAnywhere() {
          return false;
        }

        @Override
        public boolean hasSnapshots() {
          return true;
        }

        @Override
        public ConcurrencyControl create(Grants grants, Versions versions, BaselineRules rules) {
          return new Locking(grants, rules);
        }
      };

  private final Grants grants;
  private final BaselineRules rules;
  private final LockTable locks = new LockTable(this);

  private final UpdatedKeys updated = new UpdatedKeys();

  /** Keys whose exclusive locks a preparing transaction still waits for. */
  private final HashMap<Participation, LinkedHashSet<Key>> missing = new HashMap<>();

  private Locking(Grants grants, BaselineRules rules) {
    this.grants = grants;
    this.rules = rules;
  }

  @Override
  public void read(long nowMicros, Participation transaction, Key key) {
    if (rules.locksReads()) {
      boolean isFirst = !locks.concerns(transaction, key);
      Mode mode = isFirst && updated.contains(key) ? Mode.EXCLUSIVE : Mode.SHARED;
      locks.acquire(nowMicros, transaction, key, mode);
    } else {
      grants.readGranted(transaction, key);
    }
  }

  @Override
  public void prepare(long nowMicros, Participation transaction) {
    for (Read read : transaction.reads()) {
      if (rules.locksReads() && !locks.holds(transaction, read.key())) {
        grants.abort(transaction);
        return;
      }
    }
    LinkedHashSet<Key> keys = new LinkedHashSet<>();
    for (Write write : transaction.writes()) {
      keys.add(write.key());
    }
    for (Read read : transaction.reads()) {
      updated.learn(read.key(), keys.contains(read.key()));
    }
    if (keys.isEmpty()) {
      grants.prepareGranted(transaction);
      return;
    }
    missing.put(transaction, keys);
    for (Write write : transaction.writes()) {
      if (!missing.containsKey(transaction)) {
        return; // it is prepared, or an older one has wounded it meanwhile
      }
      locks.acquire(nowMicros, transaction, write.key(), modeOf(transaction, write));
    }
  }

  /** The lock of a write: sums that the transaction has not read may be made at a time. */
  private Mode modeOf(Participation transaction, Write write) {
    boolean isBlindSum =
        Merge.isSum(write.value())
            && transaction.reads().stream().noneMatch(read -> read.key().equals(write.key()));
    return isBlindSum ? Mode.INCREMENT : Mode.EXCLUSIVE;
  }

  @Override
  public void granted(Participation owner, Key key, Mode mode) {
    grants.readGranted(owner, key);
    if (mode == Mode.SHARED) {
      return;
    }
    LinkedHashSet<Key> keys = missing.get(owner);
    if (keys != null && keys.remove(key) && keys.isEmpty()) {
      missing.remove(owner);
      grants.prepareGranted(owner);
    }
  }

  @Override
  public void wound(Participation holder) {
    grants.abort(holder);
  }

  @Override
  public void hasten(Participation holder) {
    grants.askToGiveWay(holder);
  }

  @Override
  public void release(Participation transaction) {
    missing.remove(transaction);
    locks.release(transaction);
  }

  @Override
  public void checkInvariants(Predicate<TxnId> isOpen) {
    locks.checkInvariants(isOpen);
    for (Participation waiting : missing.keySet()) {
      if (!waiting.isWoundable()) {
        throw new IllegalStateException("broken invariant: " + waiting + " waits for locks");
      }
    }
  }

  @Override
  public void tick(long nowMicros, long patienceMicros, long horizonMicros) {
    locks.tick(nowMicros, patienceMicros);
  }
}
