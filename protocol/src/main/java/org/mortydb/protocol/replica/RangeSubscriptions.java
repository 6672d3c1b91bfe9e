package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;

/**
 * The subscriptions of readers that have scanned ranges, in the order of the readers. A reader gets
 * pushes until it is decided (docs/protocol.md, section 2).
 */
final class RangeSubscriptions {

  /** One scan of one reader. */
  static final class Subscription {
    private final TxnRecord reader;
    private final KeyRange range;
    private final int request;
    private int sequence;
    private final HashMap<Key, VersionedValue> seen = new HashMap<>();
    private final RangeSubscriptions owner;

    private Subscription(RangeSubscriptions owner, TxnRecord reader, KeyRange range, int request) {
      this.owner = owner;
      this.reader = reader;
      this.range = range;
      this.request = request;
    }

    TxnRecord reader() {
      return reader;
    }

    KeyRange range() {
      return range;
    }

    /** The number of the request that the pushes belong to. */
    int request() {
      return request;
    }

    /** What the reader was shown last of a key; null if no reply and no push has shown it. */
    @Nullable VersionedValue seen(Key key) {
      return seen.get(key);
    }

    /** The reply to the scan shows a row. */
    void shows(VersionedValue row) {
      seen.put(row.key(), row);
    }

    /**
     * A push tells the reader a row.
     *
     * @return the sequence number of the push
     */
    int push(VersionedValue row) {
      shows(row);
      return ++sequence;
    }

    /** Ends all subscriptions of the reader, which is decided. */
    void endAll() {
      owner.remove(reader);
    }
  }

  private final TreeMap<TxnId, ArrayList<Subscription>> byReader = new TreeMap<>();

  /** Subscribes a reader to a range. */
  Subscription add(TxnRecord reader, KeyRange range, int request) {
    Subscription subscription = new Subscription(this, reader, range, request);
    byReader.computeIfAbsent(reader.id(), id -> new ArrayList<>(1)).add(subscription);
    reader.addScan(subscription);
    return subscription;
  }

  private void remove(TxnRecord reader) {
    ArrayList<Subscription> all = byReader.get(reader.id());
    if (all != null && all.removeIf(one -> one.reader == reader) && all.isEmpty()) {
      byReader.remove(reader.id());
    }
  }

  /** Whether no reader subscribes to a range. */
  boolean isEmpty() {
    return byReader.isEmpty();
  }

  /** The subscriptions of readers above a transaction, ascending. */
  Collection<ArrayList<Subscription>> above(TxnId txn) {
    return byReader.tailMap(txn, false).values();
  }

  /** All subscriptions. */
  Collection<ArrayList<Subscription>> all() {
    return byReader.values();
  }
}
