package org.mortydb.protocol.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;

/**
 * A tiny transaction: a pure function from what was read so far to the next thing to do. Everything
 * depends on everything read: other values lead to other keys, other writes, another length. Values
 * are few, so that different writers often write the same.
 */
record Program(long seed, List<Key> keys, boolean scans, boolean merges) {

  /** What a program does next. */
  sealed interface Action {}

  record Get(List<Key> keys) implements Action {}

  record Scan(KeyRange range, int limit) implements Action {}

  record Put(Key key, Value value) implements Action {}

  record Commit() implements Action {}

  record Abort() implements Action {}

  private static final int MAX_OPERATIONS = 6;
  private static final int VALUES = 4;

  /**
   * @param operations how many operations the execution has done
   * @param seen a digest of all that it has read, see {@link #digest}
   */
  Action next(int operations, long seen) {
    long dice = mix(seed ^ mix(seen + operations));
    int kind = pick(dice, 0, 100);
    if (operations >= MAX_OPERATIONS || (operations > 0 && kind < 15)) {
      return pick(dice, 1, 40) == 0 ? new Abort() : new Commit();
    }
    if (scans && kind >= 35 && kind < 55) {
      Key to = pick(dice, 6, 2) == 0 ? null : key(dice, 3);
      return new Scan(new KeyRange(key(dice, 2), to), 1 + pick(dice, 8, keys.size()));
    }
    if (kind < 55) {
      return new Get(List.of(key(dice, 2)));
    }
    if (kind < 65) {
      return new Get(List.of(key(dice, 2), key(dice, 3)));
    }
    if (merges && pick(dice, 9, 8) > 0) {
      return new Put(key(dice, 2), merge(dice));
    }
    boolean delete = pick(dice, 4, 12) == 0;
    return new Put(key(dice, 2), delete ? Value.ABSENT : Value.of("v" + pick(dice, 5, VALUES)));
  }

  /** A merge; or a number that is put, so that merges find one. */
  private static Value merge(long dice) {
    int n = 1 + pick(dice, 10, 5);
    return switch (pick(dice, 11, 8)) {
      case 0 -> Merge.apply(Value.ABSENT, Merge.add(n));
      case 1 -> Merge.max(10L * n);
      case 2 -> Merge.putIfAbsent(Merge.apply(Value.ABSENT, Merge.add(n)));
      case 3 -> Merge.then(Merge.add(-n), Merge.max(n));
      default -> Merge.add(n);
    };
  }

  /** Some keys are more popular than others. */
  private Key key(long dice, int salt) {
    return keys.get(Math.min(pick(dice, salt, keys.size()), pick(dice, salt + 7, keys.size())));
  }

  static long digest(long seen, List<Value> values) {
    for (Value value : values) {
      seen = mix(seen * 31 + value.hashCode());
    }
    return seen;
  }

  /** What a scan has shown, as values. */
  static List<Value> shown(List<Row> rows) {
    List<Value> values = new ArrayList<>();
    for (Row row : rows) {
      values.add(Value.copyOf(row.key().bytes()));
      values.add(row.value());
    }
    return values;
  }

  private static int pick(long dice, int salt, int bound) {
    return (int) Math.floorMod(mix(dice + salt * 0x632BE59BD9B4E019L), (long) bound);
  }

  static long mix(long z) {
    z += 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /**
   * What an execution with nobody beside it reads from the store, and writes.
   *
   * @param scanned the keys that scans tell of, shown or not
   */
  record Effect(Map<Key, Value> reads, Set<Key> scanned, Map<Key, Value> writes, boolean commits) {}

  /** The value that a write leaves in the place of another one. */
  static Value applied(Value stored, Value write) {
    return write.isMerge() ? Merge.apply(stored, write) : write;
  }

  /** Runs the program alone on a store. */
  Effect run(Map<Key, Value> store) {
    Map<Key, Value> reads = new HashMap<>();
    Map<Key, Value> writes = new HashMap<>();
    Set<Key> scanned = new HashSet<>();
    long seen = 0;
    for (int operations = 0; ; operations++) {
      switch (next(operations, seen)) {
        case Get(List<Key> asked) -> {
          List<Value> values = new ArrayList<>();
          for (Key key : asked) {
            @Nullable Value own = writes.get(key);
            Value stored = store.getOrDefault(key, Value.ABSENT);
            if (own == null || own.isMerge()) {
              reads.put(key, stored);
            }
            values.add(own == null ? stored : applied(stored, own));
          }
          seen = digest(seen, values);
        }
        case Scan(KeyRange range, int limit) -> {
          List<Row> rows = new ArrayList<>();
          for (Key key : keys.stream().filter(range::contains).sorted().toList()) {
            @Nullable Value own = writes.get(key);
            Value stored = store.getOrDefault(key, Value.ABSENT);
            Value value = own == null ? stored : applied(stored, own);
            if (rows.size() < limit) {
              scanned.add(key);
              if (!value.isAbsent()) {
                rows.add(new Row(key, value));
              }
            }
          }
          seen = digest(seen, shown(rows));
        }
        case Put(Key key, Value value) ->
            writes.merge(key, value, (own, then) -> then.isMerge() ? Merge.then(own, then) : then);
        case Commit() -> {
          return new Effect(reads, scanned, writes, true);
        }
        case Abort() -> {
          return new Effect(reads, scanned, writes, false);
        }
      }
    }
  }
}
