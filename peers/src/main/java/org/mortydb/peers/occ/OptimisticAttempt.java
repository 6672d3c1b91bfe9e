package org.mortydb.peers.occ;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mortydb.peers.occ.VersionedStore.Answer;
import org.mortydb.peers.occ.VersionedStore.Found;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Value;

/**
 * An attempt of an optimistic transaction. It remembers the versions read and buffers its writes;
 * one atomic step checks and writes them. It reuses the values of a previous conflict. Not
 * thread-safe.
 */
final class OptimisticAttempt {
  private final VersionedStore store;
  private final Map<Key, Versioned> told;
  private final long toldMoment;
  private final Map<Key, Versioned> reads = new LinkedHashMap<>();
  private final Map<Key, Value> writes = new LinkedHashMap<>();

  /** The point in time of the newest read, and of the next one. */
  private long moment;

  private boolean oneMoment = true;

  /**
   * @param conflict the end of the previous attempt; null for the first
   */
  OptimisticAttempt(VersionedStore store, Answer.@Nullable Conflict conflict) {
    this.store = store;
    this.told = conflict == null ? Map.of() : conflict.current();
    this.toldMoment = conflict == null ? VersionedStore.NEWEST : conflict.moment();
    this.moment = toldMoment;
  }

  /** Reads keys, including own writes. Keys may repeat. */
  CompletableFuture<List<Value>> read(List<Key> keys) {
    List<Key> missing = new ArrayList<>();
    for (Key key : keys) {
      if (!writes.containsKey(key) && !reads.containsKey(key)) {
        Versioned known = told.get(key);
        if (known != null) {
          note(toldMoment);
          reads.put(key, known);
        } else if (!missing.contains(key)) {
          missing.add(key);
        }
      }
    }
    if (missing.isEmpty()) {
      return CompletableFuture.completedFuture(values(keys));
    }
    return store
        .read(missing, moment)
        .thenApply(
            answer -> {
              absorb(missing, answer);
              return values(keys);
            });
  }

  private void absorb(List<Key> keys, Found answer) {
    note(answer.moment());
    for (int i = 0; i < keys.size(); i++) {
      reads.put(keys.get(i), answer.found().get(i));
    }
  }

  private void note(long momentOfRead) {
    oneMoment &= momentOfRead == moment || reads.isEmpty();
    moment = momentOfRead;
  }

  private List<Value> values(List<Key> keys) {
    List<Value> values = new ArrayList<>(keys.size());
    for (Key key : keys) {
      Value written = writes.get(key);
      values.add(
          written != null ? written : Objects.requireNonNull(reads.get(key), "not read").value());
    }
    return values;
  }

  void write(Key key, Value value) {
    writes.put(key, value);
  }

  /** Commits; without a request if one is not necessary. */
  CompletableFuture<Answer> commit() {
    if (writes.isEmpty() && oneMoment) {
      return CompletableFuture.completedFuture(new Answer.Committed(store.readAt(moment, reads)));
    }
    return store.commit(reads, writes);
  }
}
