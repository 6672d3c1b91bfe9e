package org.mortydb.check.history;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.objects.ObjectArrayList;
import java.util.List;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;

/**
 * The transactions of a run, in the order of their ends: reads (except of own writes), writes, and
 * the outcome that the client learnt. Values are {@link ValueHash}es.
 *
 * <p>Stored by column, about 32 bytes per read and 16 per write, so that millions of transactions
 * fit into memory. Transactions, reads, writes and keys have indexes. The reads of transaction
 * {@code t} are those from {@code readsFrom(t)} up to, but not including, {@code readsFrom(t + 1)};
 * its writes likewise. Reads and writes of an aborted or unknown transaction are those of its last
 * known execution, or none.
 *
 * <p>Immutable and thread-safe. A {@link HistoryRecorder} creates it.
 */
public final class History {
  final ObjectArrayList<Key> keys = new ObjectArrayList<>();
  final LongArrayList timeMicros = new LongArrayList();
  final LongArrayList clientId = new LongArrayList();
  final IntArrayList home = new IntArrayList();
  final IntArrayList session = new IntArrayList();
  final LongArrayList beginMicros = new LongArrayList();
  final LongArrayList endMicros = new LongArrayList();
  final ObjectArrayList<Status> status = new ObjectArrayList<>();
  final IntArrayList readsFrom = new IntArrayList();
  final IntArrayList writesFrom = new IntArrayList();
  final IntArrayList readKey = new IntArrayList();
  final LongArrayList readWriterTime = new LongArrayList();
  final LongArrayList readWriterClient = new LongArrayList();
  final IntArrayList readValueId = new IntArrayList();
  final LongArrayList readHash = new LongArrayList();
  final IntArrayList writeKey = new IntArrayList();
  final IntArrayList writeValueId = new IntArrayList();
  final LongArrayList writeHash = new LongArrayList();
  final Long2ObjectOpenHashMap<Value> values = new Long2ObjectOpenHashMap<>();

  History() {
    readsFrom.add(0);
    writesFrom.add(0);
  }

  /**
   * Adds reads of initial versions while the history is recorded.
   *
   * @param transactions the readers, ascending
   * @param keys the keys of each reader
   * @param absent the hash of the absent value
   */
  void addInitialReads(int[] transactions, List<IntArrayList> keys, long absent) {
    IntArrayList oldKey = readKey.clone();
    LongArrayList oldTime = readWriterTime.clone();
    LongArrayList oldClient = readWriterClient.clone();
    IntArrayList oldValueId = readValueId.clone();
    LongArrayList oldHash = readHash.clone();
    IntArrayList oldFrom = readsFrom.clone();
    readKey.clear();
    readWriterTime.clear();
    readWriterClient.clear();
    readValueId.clear();
    readHash.clear();
    readsFrom.clear();
    readsFrom.add(0);
    int next = 0;
    for (int t = 0; t < size(); t++) {
      int from = oldFrom.getInt(t);
      int count = oldFrom.getInt(t + 1) - from;
      readKey.addAll(oldKey.subList(from, from + count));
      readWriterTime.addAll(oldTime.subList(from, from + count));
      readWriterClient.addAll(oldClient.subList(from, from + count));
      readValueId.addAll(oldValueId.subList(from, from + count));
      readHash.addAll(oldHash.subList(from, from + count));
      if (next < transactions.length && transactions[next] == t) {
        IntArrayList added = keys.get(next++);
        for (int i = 0; i < added.size(); i++) {
          readKey.add(added.getInt(i));
          readWriterTime.add(0);
          readWriterClient.add(0);
          readValueId.add(0);
          readHash.add(absent);
        }
      }
      readsFrom.add(readKey.size());
    }
  }

  /** The number of transactions. */
  public int size() {
    return timeMicros.size();
  }

  /** The number of different keys. */
  public int keys() {
    return keys.size();
  }

  /** The number of reads of all transactions. */
  public int reads() {
    return readKey.size();
  }

  /** The number of writes of all transactions. */
  public int writes() {
    return writeKey.size();
  }

  /** A key by its index. */
  public Key key(int key) {
    return keys.get(key);
  }

  /** The serial position of a committed transaction, and the id of any other. */
  public TxnId txn(int t) {
    return new TxnId(timeMicros.getLong(t), clientId.getLong(t), home.getInt(t));
  }

  /** The time in the id of a transaction, in microseconds. */
  public long timeMicros(int t) {
    return timeMicros.getLong(t);
  }

  /** The client in the id of a transaction. */
  public long clientId(int t) {
    return clientId.getLong(t);
  }

  /** The session of a transaction. A session runs one transaction at a time. */
  public int session(int t) {
    return session.getInt(t);
  }

  /** The begin of a transaction at its client, in microseconds of one clock for all. */
  public long beginMicros(int t) {
    return beginMicros.getLong(t);
  }

  /** The time at which the client learnt the outcome, in microseconds of the same clock. */
  public long endMicros(int t) {
    return endMicros.getLong(t);
  }

  /** The outcome of a transaction. */
  public Status status(int t) {
    return status.get(t);
  }

  /** The first read of a transaction; {@code t} may be {@link #size}. */
  public int readsFrom(int t) {
    return readsFrom.getInt(t);
  }

  /** The key of a read. */
  public int readKey(int read) {
    return readKey.getInt(read);
  }

  /** The time in the id of the version's writer; 0 for the initial version. */
  public long readWriterTime(int read) {
    return readWriterTime.getLong(read);
  }

  /** The client in the id of the version's writer; 0 for the initial version. */
  public long readWriterClient(int read) {
    return readWriterClient.getLong(read);
  }

  /** The number of the version among its writer's; 0 for the initial version. */
  public int readValueId(int read) {
    return readValueId.getInt(read);
  }

  /** The {@link ValueHash} of the value read. */
  public long readHash(int read) {
    return readHash.getLong(read);
  }

  /** The version of a read as text, without the writer's home partition. */
  public String readVersion(int read) {
    if (readValueId(read) == 0) {
      return WriteId.INITIAL.toString();
    }
    String writer = readWriterTime(read) + "." + Long.toHexString(readWriterClient(read));
    return writer + "/" + readValueId(read);
  }

  /** The first write of a transaction; {@code t} may be {@link #size}. */
  public int writesFrom(int t) {
    return writesFrom.getInt(t);
  }

  /** The key of a write. */
  public int writeKey(int write) {
    return writeKey.getInt(write);
  }

  /** The number of the value among its writer's. */
  public int writeValueId(int write) {
    return writeValueId.getInt(write);
  }

  /** The {@link ValueHash} of the written value. */
  public long writeHash(int write) {
    return writeHash.getLong(write);
  }

  /** The value of a hash as text. */
  public String showValue(long hash) {
    if (hash == ValueHash.ABSENT) {
      return Value.ABSENT.toString();
    }
    return "'" + values.get(hash) + "'";
  }
}
