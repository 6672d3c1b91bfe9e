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
 * YCSB's operations within one transaction. Only the thread of the transaction's body may use them.
 */
public final class TransactionOperations {
  /** The most records that one call of {@link #scan} returns. */
  public static final int MAX_SCANNED = Limits.MAX_SCANS * Limits.MAX_SCAN_ROWS;

  private final SharedStore store;
  private final DirectTransaction txn;

  TransactionOperations(SharedStore store, DirectTransaction txn) {
    this.store = store;
    this.txn = txn;
  }

  /** The fields of a record by name; null if there is no such record. */
  public @Nullable SortedMap<String, byte[]> read(String table, String key) {
    Fields fields = txn.get(store.table(table).key(key));
    return fields == null ? null : fields.byName();
  }

  /** Reads several records in parallel; null for a missing record. */
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

  /** Writes a whole record, which may exist. */
  public void insert(String table, String key, Map<String, byte[]> fields) {
    insert(table, key, Fields.of(fields));
  }

  void insert(String table, String key, Fields fields) {
    txn.put(store.table(table).key(key), fields);
  }

  /**
   * Adds or replaces fields of a record.
   *
   * @return false without any effect if there is no such record
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
   * @return false if there is no such record
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
   * The first records from a key, in the order of the keys' bytes in UTF-8. More than {@link
   * Limits#MAX_SCAN_ROWS} records take several scans.
   *
   * @param count the most records
   * @return the records; fewer than {@code count} at the end of the table
   * @throws LimitExceededException if {@code count} is above {@link #MAX_SCANNED}, or the
   *     transaction has too many scans
   * @throws UnsupportedOperationException if the cluster's system has no scans
   */
  public List<SortedMap<String, byte[]>> scan(String table, String from, int count) {
    if (count > MAX_SCANNED) {
      throw new LimitExceededException(
          "a scan of table '%s' asks for %d records, but a transaction scans at most %d: scan fewer with -p maxscanlength, or use several transactions"
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
