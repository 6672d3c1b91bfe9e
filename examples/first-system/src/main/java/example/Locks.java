package example;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;

/** Shared and exclusive locks. Nothing waits for a lock: it is granted at once, or not at all. */
final class Locks {
  private final Map<Key, TxnId> writers = new HashMap<>();
  private final Map<Key, Set<TxnId>> readers = new HashMap<>();

  /** Grants a shared lock unless another transaction holds the exclusive one. */
  boolean read(Key key, TxnId txn) {
    boolean granted = writers.getOrDefault(key, txn).equals(txn);
    if (granted) {
      readers.computeIfAbsent(key, any -> new HashSet<>()).add(txn);
    }
    return granted;
  }

  /** Grants the exclusive lock unless another transaction holds any. */
  boolean write(Key key, TxnId txn) {
    Set<TxnId> reading = readers.getOrDefault(key, Set.of());
    boolean granted =
        writers.getOrDefault(key, txn).equals(txn)
            && (reading.isEmpty() || (reading.size() == 1 && reading.contains(txn)));
    if (granted) {
      writers.put(key, txn);
    }
    return granted;
  }

  /** Releases the locks that a transaction may hold on a key. */
  void release(Key key, TxnId txn) {
    writers.remove(key, txn);
    Set<TxnId> reading = readers.get(key);
    if (reading != null && reading.remove(txn) && reading.isEmpty()) {
      readers.remove(key);
    }
  }

  /** The number of locks held. */
  int size() {
    return writers.size() + readers.values().stream().mapToInt(Set::size).sum();
  }
}
