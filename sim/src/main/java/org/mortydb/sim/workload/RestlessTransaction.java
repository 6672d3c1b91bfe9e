package org.mortydb.sim.workload;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.history.ValueHash;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Entry;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;

/**
 * A transaction in the direct style that makes more of its calls. It reads ahead, some of it in
 * vain; it begins reads before the writes that precede them, and waits for them later; it pauses
 * between calls, so that other transactions come in between. What its body sees stays the same.
 *
 * <p>Its choices, except for pauses, depend on the seed and on the number of the call. So a run of
 * the body that repeats another one reads the same keys.
 */
public final class RestlessTransaction implements DirectTransaction {
  private static final int PAUSES_ONE_OF = 8;

  private final DirectTransaction txn;
  private final long seed;
  private final List<TypedKey<String>> keys;
  private final Pauses pauses;
  private final Map<TypedKey<?>, Runnable> writes = new LinkedHashMap<>();
  private final Set<TypedKey<?>> written = new HashSet<>();
  private final Map<TypedKey<String>, PendingRead<String>> ahead = new LinkedHashMap<>();
  private Journal journal = Journal.EMPTY;
  private int calls;

  /** The pauses of a body's thread. */
  @FunctionalInterface
  public interface Pauses {
    /**
     * Pauses, or not.
     *
     * @param oneOf the mean number of calls for each pause
     */
    void maybe(int oneOf);
  }

  /**
   * @param keys the keys to read ahead
   */
  RestlessTransaction(
      DirectTransaction txn, long seed, List<TypedKey<String>> keys, Pauses pauses) {
    this.txn = txn;
    this.seed = seed;
    this.keys = keys;
    this.pauses = pauses;
  }

  /** Makes the writes that are left; the body returns now. */
  void end() {
    enter();
    write();
  }

  /**
   * A journal of this transaction, with what it has read ahead before the body's own operations.
   */
  Journal complete(Journal ofBody) {
    Journal complete = journal;
    for (TypedKey<String> key : ahead.keySet()) {
      complete = complete.with(new Journal.Entry.Begun(key.toString()));
    }
    for (Journal.Entry entry : ofBody.entries()) {
      complete = complete.with(entry);
    }
    return complete;
  }

  private void enter() {
    calls++;
    pauses.maybe(PAUSES_ONE_OF);
  }

  private int pick(int draw, int bound) {
    long dice = ValueHash.combine(ValueHash.combine(seed, calls), draw);
    return (int) Long.remainderUnsigned(dice, bound);
  }

  /** Begins a read of some key, or waits for one that was begun. */
  private void lookAhead() {
    if (pick(1, 4) == 0) {
      TypedKey<String> key = keys.get(pick(2, keys.size()));
      if (!written.contains(key) && !ahead.containsKey(key)) {
        ahead.put(key, txn.getAsync(key));
      }
    }
    if (pick(3, 4) == 0 && !ahead.isEmpty()) {
      TypedKey<String> key = ahead.keySet().iterator().next();
      PendingRead<String> read = Objects.requireNonNull(ahead.remove(key));
      journal = journal.with(new Journal.Entry.Got(key.toString(), read.await()));
      pauses.maybe(PAUSES_ONE_OF);
    }
  }

  /** Makes the writes that have waited for a read. */
  private void write() {
    writes.values().forEach(Runnable::run);
    writes.clear();
  }

  @Override
  public int attempt() {
    return txn.attempt();
  }

  @Override
  public <V> @Nullable V get(TypedKey<V> key) {
    return this.<V>read(List.of(key)).getFirst();
  }

  @Override
  public <V> List<@Nullable V> getAll(List<? extends TypedKey<? extends V>> toRead) {
    return read(toRead);
  }

  private <V> List<@Nullable V> read(List<? extends TypedKey<? extends V>> toRead) {
    enter();
    lookAhead();
    if (toRead.stream().anyMatch(writes::containsKey)) {
      write();
    }
    if (pick(4, 3) == 0) {
      write();
      return toRead.size() == 1
          ? Collections.singletonList(txn.get(toRead.getFirst()))
          : txn.getAll(toRead);
    }
    List<PendingRead<? extends V>> reads = new ArrayList<>();
    for (TypedKey<? extends V> key : toRead) {
      reads.add(txn.getAsync(key));
    }
    write();
    pauses.maybe(2);
    boolean backwards = pick(5, 2) == 0;
    List<@Nullable V> values = new ArrayList<>();
    for (PendingRead<? extends V> read : backwards ? reads.reversed() : reads) {
      values.add(read.await());
    }
    return backwards ? values.reversed() : values;
  }

  @Override
  public <K, V> List<Entry<K, V>> scan(TypedRange<K, V> range, int limit) {
    enter();
    lookAhead();
    write();
    return txn.scan(range, limit);
  }

  @Override
  public <V> PendingRead<V> getAsync(TypedKey<V> key) {
    throw new UnsupportedOperationException("programs read with get and getAll");
  }

  @Override
  public <V> void put(TypedKey<V> key, V value) {
    write(key, () -> txn.put(key, value));
  }

  @Override
  public void add(TypedKey<Long> key, long n) {
    enter();
    txn.add(key, n);
  }

  @Override
  public void max(TypedKey<Long> key, long n) {
    enter();
    txn.max(key, n);
  }

  @Override
  public <V> void putIfAbsent(TypedKey<V> key, V value) {
    enter();
    txn.putIfAbsent(key, value);
  }

  @Override
  public <T> void append(TypedKey<List<T>> key, T item, int atMost) {
    enter();
    txn.append(key, item, atMost);
  }

  @Override
  public void delete(TypedKey<?> key) {
    write(key, () -> txn.delete(key));
  }

  private void write(TypedKey<?> key, Runnable write) {
    enter();
    if (writes.containsKey(key)) {
      write();
    }
    written.add(key);
    writes.put(key, write);
  }

  @Override
  public Error abort() {
    enter();
    throw txn.abort();
  }
}
