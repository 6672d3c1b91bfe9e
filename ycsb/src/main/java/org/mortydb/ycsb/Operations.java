package org.mortydb.ycsb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Entry;
import org.mortydb.client.KeySpace;
import org.mortydb.client.LimitExceededException;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.protocol.model.Limits;

/**
 * YCSB's operations within one transaction: they take effect together, or not at all. Used by the
 * thread that runs the body, while it runs it.
 */
public final class Operations {
  /** The most records that one call of {@link #scan} returns. */
  public static final int MAX_SCANNED = Limits.MAX_SCANS * Limits.MAX_SCAN_ROWS;

  private final Store store;
  private final DirectTransaction txn;

  Operations(Store store, DirectTransaction txn) {
    this.store = store;
    this.txn = txn;
  }

  /** The record's fields by name, null when there is no such record. */
  public @Nullable SortedMap<String, byte[]> read(String table, String key) {
    Fields fields = txn.get(store.table(table).key(key));
    return fields == null ? null : fields.byName();
  }

  /** Reads several records in parallel; null for one that does not exist. */
  public List<@Nullable SortedMap<String, byte[]>> readAll(String table, List<String> keys) {
    List<@Nullable SortedMap<String, byte[]>> found = new ArrayList<>(keys.size());
    if (!keys.isEmpty()) {
      List<TypedKey<Fields>> records = keys.stream().map(store.table(table)::key).toList();
      for (@Nullable Fields fields : txn.<Fields>getAll(records)) {
        found.add(fields == null ? null : fields.byName());
      }
    }
    return found;
  }

  /** Writes a whole record, whether there was one or not. */
  public void insert(String table, String key, Map<String, byte[]> fields) {
    insert(table, key, Fields.of(fields));
  }

  void insert(String table, String key, Fields fields) {
    txn.put(store.table(table).key(key), fields);
  }

  /**
   * Adds fields to a record, or replaces those that it has.
   *
   * @return false when there is no such record, and nothing was done
   */
  public boolean update(String table, String key, Map<String, byte[]> fields) {
    return update(table, key, Fields.of(fields));
  }

  boolean update(String table, String key, Fields fields) {
    TypedKey<Fields> record = store.table(table).key(key);
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
    TypedKey<Fields> record = store.table(table).key(key);
    if (txn.get(record) == null) {
      return false;
    }
    txn.delete(record);
    return true;
  }

  /**
   * The first records whose keys are not below {@code from}, in the order of their keys' bytes in
   * UTF-8. For more than {@link Limits#MAX_SCAN_ROWS} records it scans several times.
   *
   * @param count how many at most
   * @return the records; fewer than {@code count} when the table has no more
   * @throws LimitExceededException when {@code count} is above {@link #MAX_SCANNED}, or the
   *     transaction has too many scans altogether
   * @throws UnsupportedOperationException when the cluster's system has no scans
   */
  public List<SortedMap<String, byte[]>> scan(String table, String from, int count) {
    if (count > MAX_SCANNED) {
      throw new LimitExceededException(
          "a scan of table '%s' asks for %d records, a transaction reads %d at most that way: scan fewer, with -p maxscanlength or in several transactions"
              .formatted(table, count, MAX_SCANNED));
    }
    KeySpace<String, Fields> records = store.table(table);
    List<SortedMap<String, byte[]>> found = new ArrayList<>();
    TypedRange<String, Fields> range = records.from(from);
    while (found.size() < count) {
      int limit = Math.min(count - found.size(), Limits.MAX_SCAN_ROWS);
      List<Entry<String, Fields>> entries = txn.scan(range, limit);
      entries.forEach(entry -> found.add(entry.value().byName()));
      if (entries.size() < limit) {
        break;
      }
      range = records.after(entries.getLast().key());
    }
    return found;
  }
}
