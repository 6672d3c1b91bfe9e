package org.mortydb.ycsb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.TypedKey;

/**
 * YCSB's operations within one transaction: they take effect together, or not at all. Used by the
 * thread that runs the body, while it runs it.
 */
public final class Operations {
  private final Store store;
  private final DirectTransaction txn;

  /** Drawn before the transaction, so that every run of its body uses the same. */
  private final long[] newIds;

  private int usedIds;

  Operations(Store store, DirectTransaction txn, long[] newIds) {
    this.store = store;
    this.txn = txn;
    this.newIds = newIds;
  }

  /** The record's fields by name, null when there is no such record. */
  public @Nullable SortedMap<String, byte[]> read(String table, String key) {
    Fields fields = txn.get(store.table(table).records().key(key));
    return fields == null ? null : fields.byName();
  }

  /** Reads several records in parallel; null for one that does not exist. */
  public List<@Nullable SortedMap<String, byte[]>> readAll(String table, List<String> keys) {
    return readRecords(store.table(table), keys);
  }

  private List<@Nullable SortedMap<String, byte[]>> readRecords(
      Store.Table table, List<String> keys) {
    List<@Nullable SortedMap<String, byte[]>> found = new ArrayList<>(keys.size());
    if (!keys.isEmpty()) {
      List<TypedKey<Fields>> records = keys.stream().map(table.records()::key).toList();
      for (@Nullable Fields fields : txn.<Fields>getAll(records)) {
        found.add(fields == null ? null : fields.byName());
      }
    }
    return found;
  }

  /** Writes a whole record, which becomes part of scans. */
  public void insert(String table, String key, Map<String, byte[]> fields) {
    insert(store.table(table), key, Fields.of(fields), List.of());
  }

  void insert(Store.Table table, String key, Fields fields, List<TypedKey<Node>> guessed) {
    OrderedIndex index = table.index();
    if (index != null) {
      index.prefetch(txn, guessed);
      index.add(txn, key, this::nextId);
    }
    txn.put(table.records().key(key), fields);
  }

  private long nextId() {
    if (usedIds == newIds.length) {
      throw new IllegalStateException("too many inserts in one transaction");
    }
    return newIds[usedIds++];
  }

  /**
   * Adds fields to a record, or replaces those that it has.
   *
   * @return false when there is no such record, and nothing was done
   */
  public boolean update(String table, String key, Map<String, byte[]> fields) {
    return update(store.table(table), key, Fields.of(fields));
  }

  boolean update(Store.Table table, String key, Fields fields) {
    TypedKey<Fields> record = table.records().key(key);
    Fields old = txn.get(record);
    if (old == null) {
      return false;
    }
    txn.put(record, old.with(fields));
    return true;
  }

  /**
   * Deletes a record.
   *
   * @return false when there was none
   */
  public boolean delete(String table, String key) {
    return delete(store.table(table), key, List.of());
  }

  boolean delete(Store.Table table, String key, List<TypedKey<Node>> guessed) {
    TypedKey<Fields> record = table.records().key(key);
    txn.getAsync(record);
    OrderedIndex index = table.index();
    if (index != null) {
      index.prefetch(txn, guessed);
      index.remove(txn, key);
    }
    if (txn.get(record) == null) {
      return false;
    }
    txn.delete(record);
    return true;
  }

  /**
   * The first records whose keys are not below {@code from}, in the order of their keys.
   *
   * @param count how many at most
   * @return null when the table has no index, because it was loaded without {@code morty.scans}
   * @throws IllegalStateException when this run has no {@code morty.scans}
   */
  public @Nullable List<SortedMap<String, byte[]>> scan(String table, String from, int count) {
    return scan(store.table(table), from, count, List.of());
  }

  @Nullable List<SortedMap<String, byte[]>> scan(
      Store.Table table, String from, int count, List<TypedKey<Node>> guessed) {
    OrderedIndex index = table.index();
    if (index == null) {
      throw new IllegalStateException("scans need -p " + Settings.SCANS + "=true");
    }
    index.prefetch(txn, guessed);
    List<String> keys = index.scan(txn, from, count);
    if (keys == null) {
      return null;
    }
    List<SortedMap<String, byte[]>> records = new ArrayList<>(keys.size());
    for (@Nullable SortedMap<String, byte[]> fields : readRecords(table, keys)) {
      if (fields != null) { // null only while the reads belong to different moments
        records.add(fields);
      }
    }
    return records;
  }
}
