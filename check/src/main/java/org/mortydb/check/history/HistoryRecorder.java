package org.mortydb.check.history;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import it.unimi.dsi.fastutil.objects.Object2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;

/**
 * Records a {@link History}. It must include every transaction of the run, and those that load the
 * data, because a version without a writer counts as a violation. A transaction whose end was not
 * awaited is a {@link Completion.Unknown}. Thread-safe.
 */
public final class HistoryRecorder {
  private final History history = new History();
  private final Object2IntOpenHashMap<Key> keyIndex = new Object2IntOpenHashMap<>();

  /**
   * The serial positions of committed transactions, where these differ from their ids; by the ids
   * without the home partition, which a history does not have of the versions read.
   */
  private final Object2ObjectOpenHashMap<TxnId, TxnId> positions = new Object2ObjectOpenHashMap<>();

  /** The ranges that a transaction has scanned. */
  private record Scan(int transaction, List<KeyRange> ranges) {}

  private final ArrayList<Scan> scans = new ArrayList<>();

  private boolean finished;

  /** Creates an empty recorder. It keeps values, so that explanations can show them. */
  public HistoryRecorder() {
    keyIndex.defaultReturnValue(-1);
  }

  /**
   * Records the end of a transaction; a committed one under its serial position. Versions may refer
   * to it by that position or by its id.
   *
   * @param session its session, which runs one transaction at a time
   * @param beginMicros its begin, by one clock for all sessions
   * @param endMicros the time at which the client learnt the outcome, by the same clock
   */
  public void record(int session, long beginMicros, long endMicros, Completion completion) {
    switch (completion) {
      case Completion.Committed c -> recordCommitted(session, beginMicros, endMicros, c);
      case Completion.Aborted a ->
          record(session, beginMicros, endMicros, a.txn(), Status.ABORTED, List.of(), List.of());
      case Completion.Unknown u ->
          record(session, beginMicros, endMicros, u.txn(), Status.UNKNOWN, List.of(), u.writes());
    }
  }

  private synchronized void recordCommitted(
      int session, long beginMicros, long endMicros, Completion.Committed c) {
    TxnId position = c.position();
    if (!position.equals(c.txn())) {
      positions.put(c.txn().withoutHome(), position);
    }
    if (!c.ranges().isEmpty()) {
      scans.add(new Scan(history.size(), c.ranges()));
    }
    record(session, beginMicros, endMicros, position, Status.COMMITTED, c.reads(), c.writes());
  }

  /**
   * Records a transaction with its reads and writes. Writes of an aborted one serve explanations
   * only. Writes of an unknown one count as committed only if they are read.
   */
  public synchronized void record(
      int session,
      long beginMicros,
      long endMicros,
      TxnId txn,
      Status status,
      List<VersionedValue> reads,
      List<Write> writes) {
    if (finished) {
      throw new IllegalStateException("the history is finished and takes no more transactions");
    }
    history.timeMicros.add(txn.timeMicros());
    history.clientId.add(txn.clientId());
    history.home.add(txn.home());
    history.session.add(session);
    history.beginMicros.add(beginMicros);
    history.endMicros.add(endMicros);
    history.status.add(status);
    for (VersionedValue read : reads) {
      history.readKey.add(index(read.key()));
      history.readWriterTime.add(read.version().writer().timeMicros());
      history.readWriterClient.add(read.version().writer().clientId());
      history.readValueId.add(read.version().valueId());
      history.readHash.add(hash(read.value()));
    }
    for (Write write : writes) {
      history.writeKey.add(index(write.key()));
      history.writeValueId.add(write.valueId());
      history.writeHash.add(hash(write.value()));
    }
    history.readsFrom.add(history.readKey.size());
    history.writesFrom.add(history.writeKey.size());
  }

  /** The number of transactions recorded so far. */
  public synchronized int size() {
    return history.size();
  }

  /** Ends the recording. The recorder takes no more transactions. */
  public synchronized History finish() {
    if (!finished && !positions.isEmpty()) {
      nameWritersByPosition();
    }
    if (!finished && !scans.isEmpty()) {
      addAbsentReads();
    }
    finished = true;
    return history;
  }

  private void nameWritersByPosition() {
    for (int read = 0; read < history.reads(); read++) {
      long time = history.readWriterTime.getLong(read);
      TxnId position = positions.get(new TxnId(time, history.readWriterClient.getLong(read), 0));
      if (position != null) {
        history.readWriterTime.set(read, position.timeMicros());
        history.readWriterClient.set(read, position.clientId());
      }
    }
  }

  /**
   * Adds absent reads for scans. A scan reads every key of its range but shows only present ones.
   * Keys that no other operation of the history names do not matter.
   */
  private void addAbsentReads() {
    TreeMap<Key, Integer> inOrder = new TreeMap<>(keyIndex);
    ArrayList<IntArrayList> absent = new ArrayList<>();
    for (Scan scan : scans) {
      IntOpenHashSet read = new IntOpenHashSet();
      for (int r = history.readsFrom(scan.transaction);
          r < history.readsFrom(scan.transaction + 1);
          r++) {
        read.add(history.readKey(r));
      }
      IntArrayList missing = new IntArrayList();
      for (KeyRange range : scan.ranges) {
        for (int key : range.in(inOrder).values()) {
          if (read.add(key)) {
            missing.add(key);
          }
        }
      }
      absent.add(missing);
    }
    history.addInitialReads(
        scans.stream().mapToInt(Scan::transaction).toArray(), absent, hash(Value.ABSENT));
  }

  private int index(Key key) {
    int index = keyIndex.getInt(key);
    if (index < 0) {
      index = history.keys.size();
      history.keys.add(key);
      keyIndex.put(key, index);
    }
    return index;
  }

  private long hash(Value value) {
    long hash = ValueHash.of(value);
    history.values.put(hash, value);
    return hash;
  }
}
