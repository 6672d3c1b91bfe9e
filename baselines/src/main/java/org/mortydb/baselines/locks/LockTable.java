package org.mortydb.baselines.locks;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.twophase.Participation;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;

/**
 * Shared, increment and exclusive locks of one partition, with wound-wait. A request wounds every
 * younger, unprepared holder whose lock conflicts, and waits for the other holders. Waiting
 * requests are served by age, oldest first. No request overtakes an older conflicting one.
 *
 * <p>So a transaction waits only for older or prepared ones. A prepared holder that delays an older
 * transaction for long is asked to give way, because it may itself wait at another partition. Hence
 * no deadlock lasts, and the oldest transaction is never aborted.
 */
public final class LockTable {

  /** What a lock permits. */
  public enum Mode {
    /** To read, as others may. */
    SHARED,
    /** To add to a number without reading it, as others may. */
    INCREMENT,
    /** To read and write, as nobody else may. */
    EXCLUSIVE;

    /** Whether two transactions may hold these locks at a time. */
    boolean agreesWith(Mode other) {
      return this == other && this != EXCLUSIVE;
    }
  }

  /** Receives the results of requests, during calls on the table. */
  public interface Listener {

    /** A lock was granted. */
    void granted(Participation owner, Key key, Mode mode);

    /** An unprepared holder must be aborted and released before this call returns. */
    void wound(Participation holder);

    /** A prepared holder delays an older transaction. */
    void hasten(Participation holder);
  }

  private static final class Request {
    final Participation owner;
    final Mode mode;
    long askedMicros;
    boolean hasAsked;

    Request(Participation owner, Mode mode, long nowMicros) {
      this.owner = owner;
      this.mode = mode;
      this.askedMicros = nowMicros;
    }
  }

  private static final class Lock {
    /** One exclusive holder, or any number of holders that share or increment. */
    final LinkedHashMap<Participation, Mode> holders = new LinkedHashMap<>(2);

    /** Ordered by age, oldest first. */
    final ArrayList<Request> waiting = new ArrayList<>(0);
  }

  private final Listener listener;
  private final HashMap<Key, Lock> locks = new HashMap<>();

  /** The keys that a transaction holds or waits for. */
  private final HashMap<Participation, LinkedHashSet<Key>> keysOf = new HashMap<>();

  /** Keys with waiting requests, in the order in which they got them. */
  private final LinkedHashSet<Key> contended = new LinkedHashSet<>();

  /** Keys on which a request may now be granted. */
  private final ArrayDeque<Key> changed = new ArrayDeque<>();

  private boolean settling;

  /** An empty table. */
  public LockTable(Listener listener) {
    this.listener = listener;
  }

  /**
   * Requests a lock, which is granted at once or later. A repeated request for the same or a weaker
   * lock changes nothing.
   */
  public void acquire(long nowMicros, Participation owner, Key key, Mode mode) {
    Lock lock = locks.computeIfAbsent(key, ignored -> new Lock());
    Mode held = lock.holders.get(owner);
    if (held == Mode.EXCLUSIVE || held == mode) {
      listener.granted(owner, key, mode);
      return;
    }
    for (Request request : lock.waiting) {
      if (request.owner == owner && (request.mode == Mode.EXCLUSIVE || request.mode == mode)) {
        return;
      }
    }
    keysOf.computeIfAbsent(owner, ignored -> new LinkedHashSet<>()).add(key);
    enqueue(lock, new Request(owner, mode, nowMicros));
    contended.add(key);
    changed.add(key);
    settle();
  }

  private static void enqueue(Lock lock, Request request) {
    int at = lock.waiting.size();
    while (at > 0 && request.owner.isOlderThan(lock.waiting.get(at - 1).owner)) {
      at--;
    }
    lock.waiting.add(at, request);
  }

  /** Whether a transaction holds a lock or waits for one. */
  public boolean concerns(Participation owner, Key key) {
    return isKeyOf(owner, key);
  }

  /** Whether a transaction holds at least a shared lock. */
  public boolean holds(Participation owner, Key key) {
    Lock lock = locks.get(key);
    return lock != null && lock.holders.containsKey(owner);
  }

  /** Whether another transaction holds a lock. */
  public boolean isHeldByOther(Participation owner, Key key) {
    Lock lock = locks.get(key);
    return lock != null && lock.holders.keySet().stream().anyMatch(holder -> !holder.equals(owner));
  }

  /** Releases all locks of a transaction, and withdraws its requests. */
  public void release(Participation owner) {
    LinkedHashSet<Key> keys = keysOf.remove(owner);
    if (keys == null) {
      return;
    }
    for (Key key : keys) {
      Lock lock = locks.get(key);
      if (lock != null) {
        lock.holders.remove(owner);
        lock.waiting.removeIf(request -> request.owner == owner);
        changed.add(key);
      }
    }
    settle();
  }

  /** Grants all requests that can be granted. A nested call only queues its keys. */
  private void settle() {
    if (settling) {
      return;
    }
    settling = true;
    try {
      for (Key key = changed.poll(); key != null; key = changed.poll()) {
        settle(key);
      }
    } finally {
      settling = false;
    }
  }

  private void settle(Key key) {
    while (true) {
      Lock lock = locks.get(key);
      if (lock == null) {
        return;
      }
      if (lock.waiting.isEmpty()) {
        contended.remove(key);
        if (lock.holders.isEmpty()) {
          locks.remove(key);
        }
        return;
      }
      Request first = lock.waiting.getFirst();
      Participation victim = victimOf(first, lock);
      if (victim != null) {
        listener.wound(victim);
        if (lock.holders.containsKey(victim)) {
          throw new IllegalStateException(victim + " was wounded and still holds " + key);
        }
      } else if (isFree(first, lock)) {
        lock.waiting.removeFirst();
        lock.holders.put(first.owner, first.mode);
        listener.granted(first.owner, key, first.mode);
      } else if (!first.hasAsked) {
        first.hasAsked = true;
        youngerHolders(first, lock).forEach(listener::hasten);
      } else {
        return;
      }
    }
  }

  /** The younger holders that delay the first request. They are prepared. */
  private static List<Participation> youngerHolders(Request first, Lock lock) {
    List<Participation> younger = new ArrayList<>(0);
    for (var holder : lock.holders.entrySet()) {
      if (conflicts(first, holder.getKey(), holder.getValue())
          && first.owner.isOlderThan(holder.getKey())) {
        younger.add(holder.getKey());
      }
    }
    return younger;
  }

  private static boolean conflicts(Request request, Participation holder, Mode held) {
    return holder != request.owner && !request.mode.agreesWith(held);
  }

  private static @Nullable Participation victimOf(Request request, Lock lock) {
    for (var holder : lock.holders.entrySet()) {
      Participation other = holder.getKey();
      if (conflicts(request, other, holder.getValue())
          && request.owner.isOlderThan(other)
          && other.isWoundable()) {
        return other;
      }
    }
    return null;
  }

  private static boolean isFree(Request request, Lock lock) {
    for (var holder : lock.holders.entrySet()) {
      if (conflicts(request, holder.getKey(), holder.getValue())) {
        return false;
      }
    }
    return true;
  }

  /**
   * Asks prepared holders again to give way to older transactions.
   *
   * @param patienceMicros the time since the last request to them
   */
  public void tick(long nowMicros, long patienceMicros) {
    List<Participation> slow = new ArrayList<>();
    for (Key key : contended) {
      Lock lock = locks.get(key);
      if (lock != null && !lock.waiting.isEmpty()) {
        Request first = lock.waiting.getFirst();
        if (nowMicros - first.askedMicros >= patienceMicros) {
          first.askedMicros = nowMicros;
          slow.addAll(youngerHolders(first, lock));
        }
      }
    }
    slow.forEach(listener::hasten);
  }

  /**
   * Checks all invariants.
   *
   * @param isOpen whether a transaction has no outcome
   * @throws IllegalStateException when an invariant is broken
   */
  public void checkInvariants(Predicate<TxnId> isOpen) {
    locks.forEach(
        (key, lock) -> {
          boolean agree =
              lock.holders.size() <= 1
                  || lock.holders.values().stream()
                      .allMatch(mode -> mode.agreesWith(lock.holders.values().iterator().next()));
          check(agree, key, lock);
          for (Participation holder : lock.holders.keySet()) {
            check(isOpen.test(holder.txn()) && isKeyOf(holder, key), key, lock);
          }
          for (Request request : lock.waiting) {
            check(isOpen.test(request.owner.txn()) && isKeyOf(request.owner, key), key, lock);
          }
          check(lock.waiting.isEmpty() || contended.contains(key), key, lock);
        });
  }

  private boolean isKeyOf(Participation owner, Key key) {
    LinkedHashSet<Key> keys = keysOf.get(owner);
    return keys != null && keys.contains(key);
  }

  private static void check(boolean holds, Key key, Lock lock) {
    if (!holds) {
      throw new IllegalStateException(
          "broken invariant: %s is held by %s, %d wait"
              .formatted(key, lock.holders, lock.waiting.size()));
    }
  }

  /** The number of keys that are locked or waited for. */
  int size() {
    return locks.size();
  }
}
