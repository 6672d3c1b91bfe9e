package org.mortydb.ycsb;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/** The accounts of a closed economy within one transaction. */
interface EconomyAccounts {
  /** The field of a record with the balance, as decimal digits. */
  String BALANCE = "balance";

  /** The balances of several accounts; null for one that does not exist. */
  List<@Nullable Long> balances(List<String> keys);

  /** Changes the balance of an existing account. */
  void set(String key, long balance);

  /** Opens a new account. */
  void open(String key, long balance);

  /** Deletes an account. */
  void close(String key);

  /** All calls are part of one transaction. */
  record Together(TransactionOperations operations, String table) implements EconomyAccounts {
    @Override
    public List<@Nullable Long> balances(List<String> keys) {
      List<@Nullable Long> balances = new ArrayList<>();
      for (@Nullable SortedMap<String, byte[]> fields : operations.readAll(table, keys)) {
        byte[] balance = fields == null ? null : fields.get(BALANCE);
        balances.add(
            balance == null ? null : Long.valueOf(new String(balance, StandardCharsets.US_ASCII)));
      }
      return balances;
    }

    @Override
    public void set(String key, long balance) {
      operations.update(table, key, fields(balance));
    }

    @Override
    public void open(String key, long balance) {
      operations.insert(table, key, fields(balance));
    }

    @Override
    public void close(String key) {
      operations.delete(table, key);
    }

    private static Map<String, byte[]> fields(long balance) {
      return Map.of(BALANCE, Long.toString(balance).getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** Each call is a transaction of its own, as without {@code transactional}. */
  record OneByOne(DB db, String table) implements EconomyAccounts {
    @Override
    public List<@Nullable Long> balances(List<String> keys) {
      List<@Nullable Long> balances = new ArrayList<>();
      for (String key : keys) {
        Map<String, ByteIterator> fields = new HashMap<>();
        Status status = db.read(table, key, Set.of(BALANCE), fields);
        ByteIterator balance = fields.get(BALANCE);
        balances.add(!status.isOk() || balance == null ? null : Long.valueOf(balance.toString()));
      }
      return balances;
    }

    @Override
    public void set(String key, long balance) {
      db.update(table, key, fields(balance));
    }

    @Override
    public void open(String key, long balance) {
      db.insert(table, key, fields(balance));
    }

    @Override
    public void close(String key) {
      db.delete(table, key);
    }

    static Map<String, ByteIterator> fields(long balance) {
      Map<String, ByteIterator> fields = new HashMap<>();
      fields.put(BALANCE, new StringByteIterator(Long.toString(balance)));
      return fields;
    }
  }
}
