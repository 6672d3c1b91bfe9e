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
 * The transactions that ended in one run, in the order in which they ended: what each read (own
 * writes left out), what it wrote, and what its client was told. Values are kept as {@link
 * ValueHash}es.
 *
 * <p>Stored by column, about 32 bytes for a read and 16 for a write, so that millions of
 * transactions fit. Transactions, reads, writes and keys are named by their index. The reads of
 * transaction {@code t} are those from {@code readsFrom(t)} to before {@code readsFrom(t + 1)}, and
 * likewise its writes. What an aborted or unknown transaction read and wrote is what its last known
 * execution did, or nothing.
 *
 * <p>Immutable, hence safe for use by several threads. Made by a {@link HistoryRecorder}.
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
   * Adds reads of initial versions, while the history is made.
   *
   * @param transactions whose, ascending
   * @param keys for each of them the keys
   * @param absent the hash of no value
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

  /** The id of a transaction, or its position in the serial order if it has committed. */
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

  /** The session that ran a transaction; a session runs one after the other. */
  public int session(int t) {
    return session.getInt(t);
  }

  /** When the client began a transaction, in microseconds of one clock for all. */
  public long beginMicros(int t) {
    return beginMicros.getLong(t);
  }

  /** When the client knew how a transaction ended, in microseconds of one clock for all. */
  public long endMicros(int t) {
    return endMicros.getLong(t);
  }

  /** How a transaction ended. */
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

  /** The time in the id of the writer whose version was read, 0 for the initial version. */
  public long readWriterTime(int read) {
    return readWriterTime.getLong(read);
  }

  /** The client in the id of the writer whose version was read, 0 for the initial version. */
  public long readWriterClient(int read) {
    return readWriterClient.getLong(read);
  }

  /** The number of the version that was read among its writer's, 0 for the initial version. */
  public int readValueId(int read) {
    return readValueId.getInt(read);
  }

  /** The {@link ValueHash} of what was read. */
  public long readHash(int read) {
    return readHash.getLong(read);
  }

  /** The version that was read, in words; the writer's home partition is not kept. */
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

  /** The {@link ValueHash} of what was written. */
  public long writeHash(int write) {
    return writeHash.getLong(write);
  }

  /** A value in words: itself if the recorder kept values, else its hash. */
  public String showValue(long hash) {
    if (hash == ValueHash.ABSENT) {
      return Value.ABSENT.toString();
    }
    Value value = values.get(hash);
    return value == null ? "#" + Long.toHexString(hash) : "'" + value + "'";
  }
}
