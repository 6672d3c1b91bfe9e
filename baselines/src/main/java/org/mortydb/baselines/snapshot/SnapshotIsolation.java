package org.mortydb.baselines.snapshot;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.locks.LockTable;
import org.mortydb.baselines.locks.LockTable.Mode;
import org.mortydb.baselines.twophase.BaselineRules;
import org.mortydb.baselines.twophase.ConcurrencyControl;
import org.mortydb.baselines.twophase.Participation;
import org.mortydb.baselines.twophase.Versions;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/**
 * Snapshot isolation: a transaction reads at one timestamp without locks, and the first updater of
 * a key wins. A transaction locks the keys that it writes until its outcome. It aborts if a key has
 * a version that its snapshot does not show.
 *
 * <p>{@link Level#SERIALIZABLE} adds {@link AntiDependencies}, which rule out the cycles that
 * snapshots alone permit.
 */
public final class SnapshotIsolation implements ConcurrencyControl, LockTable.Listener {

  /** What happens to a transaction that writes a key which another one is writing. */
  public enum OnConflict {
    /** It aborts at once. */
    FAIL,
    /**
     * It waits for the other's outcome, and continues if the other aborts. Keys are then locked
     * when a transaction prepares: it waits for no read any more, and {@link LockTable} prevents
     * deadlocks by age.
     */
    WAIT
  }

  /** What transactions may see of each other. */
  public enum Level {
    /** Snapshot isolation, which permits write skew. */
    SNAPSHOT,
    /** Serializable snapshot isolation. */
    SERIALIZABLE
  }

  private final Grants grants;
  private final Versions versions;
  private final BaselineRules rules;
  private final OnConflict onConflict;
  private final LockTable locks = new LockTable(this);
  private final @Nullable AntiDependencies antiDependencies;

  /** Keys whose locks a preparing transaction still waits for. */
  private final HashMap<Participation, LinkedHashSet<Key>> missing = new HashMap<>();

  private SnapshotIsolation(
      Grants grants,
      Versions versions,
      BaselineRules rules,
      OnConflict onConflict,
      @Nullable AntiDependencies antiDependencies) {
    this.grants = grants;
    this.versions = versions;
    this.rules = rules;
    this.onConflict = onConflict;
    this.antiDependencies = antiDependencies;
  }

  /** Creates the concurrency control of leaders. */
  public static Factory factory(Level level, OnConflict onConflict) {
    return new Factory() {
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
        AntiDependencies antiDependencies =
            level == Level.SERIALIZABLE ? new AntiDependencies(versions, rules) : null;
        return new SnapshotIsolation(grants, versions, rules, onConflict, antiDependencies);
      }
    };
  }

  /** Clients read from snapshots, so nothing here orders a read of the newest version. */
  @Override
  public void read(long nowMicros, Participation transaction, Key key) {
    grants.readGranted(transaction, key);
  }

  @Override
  public void update(long nowMicros, Participation transaction, Key key) {
    if (hasLost(transaction, key)) {
      grants.abort(transaction);
    } else {
      locks.acquire(nowMicros, transaction, key, Mode.EXCLUSIVE);
    }
  }

  @Override
  public void prepare(long nowMicros, Participation transaction) {
    LinkedHashSet<Key> keys = new LinkedHashSet<>();
    for (Write write : transaction.writes()) {
      keys.add(write.key());
    }
    if (keys.isEmpty()) {
      admit(transaction);
      return;
    }
    missing.put(transaction, keys);
    for (Key key : new ArrayList<>(keys)) {
      if (!missing.containsKey(transaction)) {
        return; // it has lost a key meanwhile
      }
      if (hasLost(transaction, key)) {
        grants.abort(transaction);
        return;
      }
      locks.acquire(nowMicros, transaction, key, Mode.EXCLUSIVE);
    }
  }

  /** Whether the transaction cannot write the key any more. */
  private boolean hasLost(Participation transaction, Key key) {
    return isReplaced(transaction, key)
        || (onConflict == OnConflict.FAIL && locks.isHeldByOther(transaction, key));
  }

  /** Whether a version was committed that the transaction's snapshot does not show. */
  private boolean isReplaced(Participation transaction, Key key) {
    long snapshotMicros = transaction.snapshotMicros();
    return rules.checksUpdates()
        && snapshotMicros != 0
        && versions.newest(key).commitMicros() >= snapshotMicros;
  }

  @Override
  public void granted(Participation owner, Key key, Mode mode) {
    if (isReplaced(owner, key)) {
      grants.abort(owner);
      return;
    }
    LinkedHashSet<Key> keys = missing.get(owner);
    if (keys != null && keys.remove(key) && keys.isEmpty()) {
      missing.remove(owner);
      admit(owner);
    }
  }

  private void admit(Participation transaction) {
    if (antiDependencies == null || antiDependencies.admit(transaction)) {
      grants.prepareGranted(transaction);
    } else {
      grants.abort(transaction);
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
    if (antiDependencies != null) {
      antiDependencies.ended(transaction);
    }
    // Last, because it admits others.
    locks.release(transaction);
  }

  @Override
  public void tick(long nowMicros, long patienceMicros, long horizonMicros) {
    locks.tick(nowMicros, patienceMicros);
    if (antiDependencies != null) {
      antiDependencies.forget(horizonMicros);
    }
  }

  @Override
  public void checkInvariants(Predicate<TxnId> isOpen) {
    locks.checkInvariants(isOpen);
    for (Participation waiting : missing.keySet()) {
      if (!waiting.isWoundable()) {
        throw new IllegalStateException("broken invariant: " + waiting + " waits for locks");
      }
    }
    if (antiDependencies != null) {
      antiDependencies.checkInvariants(isOpen);
    }
  }
}
