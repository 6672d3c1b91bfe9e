package org.mortydb.protocol.replica;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.table.HashIndex;
import org.mortydb.protocol.table.SortedIndex;

/**
 * The keys of a replica, by name, in order, and by slot. A key keeps its slot as long as it has any
 * state, so a checkpoint of all keys can go on where it stopped while the replica serves.
 *
 * <p>Few keys are in use at a time. The others are <em>at rest</em>: they are rows of bytes, which
 * take less memory than objects, and which the collector does not look at. A key that is asked for
 * by name wakes up. It is the same {@link KeyState} for everybody until it rests again, and that is
 * only between steps ({@link #rest}), and while no open transaction points to it.
 */
final class KeyTable {
  /** So many rows are touched at once when many are read. */
  static final int AHEAD = 64;

  /** So many keys that have not changed are passed before one is looked at. */
  static final int PASSED_AT_ONCE = 10_000;

  /** So many keys are looked at by {@link #restSome} for each key that has woken up. */
  private static final int LOOKS = 4;

  /** The most keys that are added to the order together. */
  static final int MOST_UNORDERED = 256;

  /** So many slots, about, tell the size of all keys. */
  private static final int SAMPLED = 256;

  /** So many keys may be awake in any case. */
  private final int warm;

  private final KeyHash hash;
  private final KeyRows rows;

  private final HashIndex<Key> byName =
      new HashIndex<>() {
        @Override
        protected int hash(int slot) {
          return rows.hash(slot);
        }

        @Override
        protected boolean isNamed(int slot, Key name) {
          return rows.isNamed(slot, name);
        }
      };

  /** For scans; changes only when a key is added or removed. Lacks the keys that are unordered. */
  private final SortedIndex<Key> inOrder =
      new SortedIndex<>() {
        @Override
        protected int compare(int slot, Key name) {
          return rows.compare(slot, name);
        }
      };

  /** Whether {@link #inOrder} is out of date until {@link #order}. */
  private boolean deferring;

  /**
   * The slots that {@link #inOrder} gets together, unless a scan comes first. Many keys are added
   * next to each other, such as the lines of an order, and then most of them are not searched for.
   */
  private final int[] unordered = new int[MOST_UNORDERED];

  private int unorderedCount;

  private final AwakeKeys awake;
  private final BitSet awakeSlots = new BitSet();

  /** The keys that are awake, but for those that are too long to rest. */
  private final ArrayDeque<KeyState> mayRest = new ArrayDeque<>();

  /** The keys that have begun to wait for rest since the last {@link #restSome}. */
  private int woken;

  /** The hashes of the keys that are expected, and then their slots. */
  private final int[] expected = new int[AHEAD];

  private int expecting;

  KeyTable(RowLimits limits) {
    warm = limits.warmKeys();
    hash = new KeyHash(limits.secret());
    rows = new KeyRows(limits.pageBytes(), hash);
    awake = new AwakeKeys(hash);
  }

  /** The key with a name, which wakes up; null if there is none. */
  @Nullable KeyState get(Key name) {
    int hashOfName = hash.of(name);
    KeyState key = awake.get(name, hashOfName);
    if (key == null) {
      int slot = byName.find(name, hashOfName);
      if (slot == HashIndex.NONE) {
        return null;
      }
      return wake(slot);
    }
    key.use();
    return key;
  }

  /**
   * The key with a name, to be read once; null if there is none. As {@link #at}, this wakes no key:
   * to wake one and to put it to rest again costs more than to read it.
   */
  @Nullable KeyState look(Key name) {
    int hashOfName = hash.of(name);
    KeyState key = awake.get(name, hashOfName);
    if (key != null) {
      return key;
    }
    int slot = byName.find(name, hashOfName);
    return slot == HashIndex.NONE ? null : rows.load(slot);
  }

  /** The key with a name, if it is awake; otherwise null. */
  @Nullable KeyState awake(Key name) {
    return awake.get(name, hash.of(name));
  }

  /** The key with a name will be asked for, and others, too; see {@link #touchExpected}. */
  void expect(Key name) {
    if (expecting < AHEAD) {
      expected[expecting++] = hash.of(name);
    }
  }

  /**
   * Loads the rows of the keys that are expected into the caches of the processor. Most of the time
   * that it takes to find a key is spent waiting for memory, and this waits for all of them at
   * once.
   */
  void touchExpected() {
    int count = expecting;
    expecting = 0;
    int slots = 0;
    for (int i = 0; i < count; i++) {
      expected[i] = byName.likely(expected[i]);
    }
    for (int i = 0; i < count; i++) {
      int slot = expected[i];
      if (slot != HashIndex.NONE && !awakeSlots.get(slot)) {
        expected[slots++] = slot;
      }
    }
    rows.touch(expected, slots);
  }

  /** Loads the rows of keys that will be read; see {@link #touchExpected}. */
  void touch(int[] slots, int count) {
    rows.touch(slots, count);
  }

  /** Adds a key that is not in the table. */
  void add(KeyState key) {
    rows.add(key);
    byName.add(key.slot());
    if (!deferring) {
      unordered[unorderedCount++] = key.slot();
      if (unorderedCount == MOST_UNORDERED) {
        orderAdded();
      }
    }
    wakes(key);
  }

  /** Removes a key that is awake. */
  void remove(KeyState key) {
    byName.remove(key.slot());
    if (!deferring && !removeUnordered(key.slot())) {
      inOrder.remove(key.slot(), key.key());
    }
    rows.remove(key.slot());
    sleeps(key);
    key.leave();
  }

  /** Removes a slot from those without an order, and says whether it was among them. */
  private boolean removeUnordered(int slot) {
    for (int i = 0; i < unorderedCount; i++) {
      if (unordered[i] == slot) {
        unordered[i] = unordered[--unorderedCount];
        return true;
      }
    }
    return false;
  }

  // ---- rest ---------------------------------------------------------------------------------

  /** The key in a slot, which wakes up. There is one. */
  KeyState wake(int slot) {
    KeyState key = at(slot);
    if (key == null) {
      throw new IllegalStateException("no key has slot " + slot);
    }
    if (!awakeSlots.get(slot)) {
      wakes(key);
    }
    return key;
  }

  private void wakes(KeyState key) {
    awake.add(key);
    awakeSlots.set(key.slot());
    mayRest(key);
  }

  private void sleeps(KeyState key) {
    awake.remove(key);
    awakeSlots.clear(key.slot());
  }

  /** A key that is awake may have become short enough to rest. */
  void mayRest(KeyState key) {
    if (key.beginWaitForRest()) {
      mayRest.add(key);
      woken++;
    }
  }

  /**
   * Puts to rest the keys that nobody has asked for since the last call, and that no open
   * transaction points to. To be called between two steps, or at the end of one.
   */
  void rest() {
    for (int left = mayRest.size(); left > 0; left--) {
      restFirst();
    }
  }

  /**
   * Puts to rest some of the keys that {@link #rest} would, if many are awake; first those that
   * have been awake for longest. To be called as often, but it takes less time: most keys are not
   * asked for again soon, and a key that has been used just now is still in the processor's cache.
   */
  void restSome() {
    for (int left = Math.min(LOOKS * woken, mayRest.size() - warm); left > 0; left--) {
      restFirst();
    }
    woken = 0;
  }

  private void restFirst() {
    KeyState key = mayRest.remove();
    if (key.endUse() || !key.isIdle()) {
      mayRest.add(key);
      return;
    }
    key.endWaitForRest();
    if (key.isPlaced() && rows.save(key)) {
      sleeps(key);
    }
  }

  /**
   * Prunes a key without waking it; see {@link KeyState#copyPruned}.
   *
   * @return {@link KeyState.Pruned#NOT} also if the key is awake
   */
  KeyState.Pruned pruneAtRest(int slot, TxnId forgotten, TxnId fence) {
    return awakeSlots.get(slot) ? KeyState.Pruned.NOT : rows.prune(slot, forgotten, fence);
  }

  // ---- all keys -----------------------------------------------------------------------------

  /**
   * Very many keys are about to be added, in any order, and probably no scan comes before {@link
   * #order}. Keys in order take less time than keys in any order.
   */
  void defer() {
    deferring = true;
    unorderedCount = 0; // the order is made of all keys then
  }

  private void orderAdded() {
    if (unorderedCount > 0) {
      int[] slots = Arrays.copyOf(unordered, unorderedCount);
      unorderedCount = 0;
      new SlotSorter(rows).sort(slots);
      inOrder.addAll(slots, Arrays.stream(slots).mapToObj(rows::name).toList());
    }
  }

  /** Ends {@link #defer}, and puts the keys in order that were added since. */
  void order() {
    orderAdded();
    if (deferring) {
      deferring = false;
      int[] slots = IntStream.range(0, slots()).filter(slot -> !rows.isFree(slot)).toArray();
      new SlotSorter(rows).sort(slots);
      inOrder.replaceAll(slots);
    }
  }

  /**
   * The keys of a range, ascending. The table must not change while the caller iterates. As {@link
   * #at}, this wakes no key.
   */
  Iterable<KeyState> in(KeyRange range) {
    order();
    return () -> new InRange(range);
  }

  private final class InRange implements Iterator<KeyState> {
    private final SortedIndex<Key>.Cursor cursor;
    private final @Nullable Key end;
    private int next = HashIndex.NONE;

    InRange(KeyRange range) {
      cursor = inOrder.from(range.from());
      end = range.to();
      advance();
    }

    private void advance() {
      next = cursor.hasNext() ? cursor.next() : HashIndex.NONE;
      if (next != HashIndex.NONE && end != null && rows.compare(next, end) >= 0) {
        next = HashIndex.NONE;
      }
    }

    @Override
    public boolean hasNext() {
      return next != HashIndex.NONE;
    }

    @Override
    public KeyState next() {
      KeyState key = hasNext() ? at(next) : null;
      if (key == null) {
        throw new NoSuchElementException();
      }
      advance();
      return key;
    }
  }

  /**
   * The keys from a name on, inclusive and ascending, for a caller that reads very many of them.
   * Keys that follow each other may lie anywhere in memory, so this loads some at a time. Otherwise
   * as {@link #in}.
   */
  Iterable<KeyState> from(Key name) {
    order();
    return () -> new From(name);
  }

  private final class From implements Iterator<KeyState> {
    private final SortedIndex<Key>.Cursor cursor;
    private final int[] slots = new int[AHEAD];
    private int count;
    private int at;

    From(Key name) {
      cursor = inOrder.from(name);
    }

    @Override
    public boolean hasNext() {
      return at < count || cursor.hasNext();
    }

    @Override
    public KeyState next() {
      if (at == count) {
        load();
      }
      KeyState key = at < count ? KeyTable.this.at(slots[at++]) : null;
      if (key == null) {
        throw new NoSuchElementException();
      }
      return key;
    }

    private void load() {
      at = 0;
      count = 0;
      while (count < AHEAD && cursor.hasNext()) {
        slots[count++] = cursor.next();
      }
      rows.touch(slots, count);
    }
  }

  /**
   * The keys from a name on, as {@link #from}, without those at rest that have no committed version
   * at or above a time. After very many such keys, the next one is among them, so that the caller
   * may end there.
   */
  Changed changedFrom(Key name, long sinceMicros) {
    order();
    return new Changed(name, sinceMicros);
  }

  /** See {@link #changedFrom}. */
  final class Changed implements Iterator<KeyState> {
    private final SortedIndex<Key>.Cursor cursor;
    private final long sinceMicros;
    private int next;
    private int passed;

    private Changed(Key name, long sinceMicros) {
      this.cursor = inOrder.from(name);
      this.sinceMicros = sinceMicros;
      advance();
    }

    /** How many keys were left out so far. */
    int passed() {
      return passed;
    }

    private void advance() {
      next = cursor.hasNext() ? cursor.next() : HashIndex.NONE;
      for (int i = 0; i < PASSED_AT_ONCE && next != HashIndex.NONE && isOld(next); i++) {
        passed++;
        next = cursor.hasNext() ? cursor.next() : HashIndex.NONE;
      }
    }

    private boolean isOld(int slot) {
      return !awakeSlots.get(slot) && !rows.mayHaveSince(slot, sinceMicros);
    }

    @Override
    public boolean hasNext() {
      return next != HashIndex.NONE;
    }

    @Override
    public KeyState next() {
      KeyState key = hasNext() ? at(next) : null;
      if (key == null) {
        throw new NoSuchElementException();
      }
      advance();
      return key;
    }
  }

  int size() {
    return byName.size();
  }

  /** The name of the key in a slot, or null. As {@link #at}, this wakes no key. */
  @Nullable Key nameAt(int slot) {
    return rows.isFree(slot) ? null : rows.name(slot);
  }

  /**
   * The size of all keys and their newest committed values, in bytes, by a sample of the slots. It
   * does not take longer for many keys.
   */
  long roughBytes() {
    int slots = slots();
    int step = Math.max(1, slots / SAMPLED);
    long bytes = 0;
    int looked = 0;
    for (int slot = 0; slot < slots; slot += step) {
      KeyState key = at(slot);
      if (key != null) {
        bytes += key.newestBytes();
        looked++;
      }
    }
    return looked == 0 ? 0 : Math.round((double) bytes / looked * size());
  }

  /** The number of slots; they count from 0. */
  int slots() {
    return rows.slots();
  }

  /** The number of keys that are awake. */
  int awake() {
    return awake.size();
  }

  /**
   * The key in a slot, or null. This wakes no key: the caller must not change one that is at rest,
   * and must not keep it.
   */
  @Nullable KeyState at(int slot) {
    if (rows.isFree(slot)) {
      return null;
    }
    return awakeSlots.get(slot) ? awake(rows.name(slot)) : rows.load(slot);
  }

  /** All keys, in the order of their slots. As {@link #at}, this wakes no key. */
  Iterable<KeyState> all() {
    return () ->
        IntStream.range(0, slots())
            .filter(slot -> !rows.isFree(slot))
            .mapToObj(this::at)
            .iterator();
  }
}
