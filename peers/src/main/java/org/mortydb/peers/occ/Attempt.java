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
 * One attempt of an optimistic transaction: remembers the versions that it reads, keeps its writes
 * to itself, and has them checked and made in one step. What a conflict told is not asked for
 * again. Used by one thread at a time.
 */
final class Attempt {
  private final VersionedStore store;
  private final Map<Key, Versioned> told;
  private final long toldMoment;
  private final Map<Key, Versioned> reads = new LinkedHashMap<>();
  private final Map<Key, Value> writes = new LinkedHashMap<>();

  /** Of the newest read, and where the next should read as of. */
  private long moment;

  private boolean oneMoment = true;

  /**
   * @param conflict how the attempt before ended; null for the first
   */
  Attempt(VersionedStore store, Answer.@Nullable Conflict conflict) {
    this.store = store;
    this.told = conflict == null ? Map.of() : conflict.current();
    this.toldMoment = conflict == null ? VersionedStore.NEWEST : conflict.moment();
    this.moment = toldMoment;
  }

  /** Reads keys, its own writes included; repetitions are allowed. */
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

  /** Asks to commit; does without asking when it need not. */
  CompletableFuture<Answer> commit() {
    if (writes.isEmpty() && oneMoment) {
      return CompletableFuture.completedFuture(new Answer.Committed(store.readAt(moment, reads)));
    }
    return store.commit(reads, writes);
  }
}
