package org.mortydb.telemetry.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** The windows of the transactions that read at one replica. For the replica's thread only. */
final class ReplicaWindows {
  /**
   * The most open transactions and the most waiting votes. Beyond that, the oldest ones are
   * dropped.
   */
  private static final int MOST_OPEN = 16 * 1024;

  private static final double MICROS = 1e-6;

  /** A key that a transaction has read at this replica. */
  private static final class Opened {
    private final Key key;

    /** The version that the replica chose last for the transaction, and when it chose it first. */
    private WriteId version;

    private long readMicros;

    /**
     * The visible value that the transaction wrote last to the key, and since when it is visible.
     */
    private int shownValueId = -1;

    private long shownMicros;

    /** The last execution whose Prepare has read this version. */
    private int execution = -1;

    Opened(Key key, WriteId version, long readMicros) {
      this.key = key;
      this.version = version;
      this.readMicros = readMicros;
    }

    void read(WriteId chosen, long nowMicros) {
      if (!version.equals(chosen)) {
        version = chosen;
        readMicros = nowMicros;
      }
    }

    void shown(int valueId, long nowMicros) {
      if (shownValueId != valueId) {
        shownValueId = valueId;
        shownMicros = nowMicros;
      }
    }
  }

  /** The keys that one transaction has read at this replica: a few, or thousands if it scans. */
  private static final class OpenedKeys {
    /** Up to this number, a linear search is faster than a map. */
    private static final int FEW = 16;

    private final List<Opened> all = new ArrayList<>(4);
    private @Nullable Map<Key, Opened> byKey;

    @Nullable Opened find(Key key) {
      if (byKey != null) {
        return byKey.get(key);
      }
      for (int i = 0; i < all.size(); i++) {
        if (all.get(i).key.equals(key)) {
          return all.get(i);
        }
      }
      return null;
    }

    void add(Opened opened) {
      all.add(opened);
      if (byKey != null) {
        byKey.put(opened.key, opened);
      } else if (all.size() > FEW) {
        Map<Key, Opened> index = new HashMap<>();
        all.forEach(each -> index.put(each.key, each));
        byKey = index;
      }
    }

    void shown(Write write, long nowMicros) {
      Opened opened = find(write.key());
      if (opened != null) {
        opened.shown(write.valueId(), nowMicros);
      }
    }
  }

  private final ReplicaId at;
  private final DistributionDataPoint serialization;
  private final DistributionDataPoint validity;
  private final DistributionDataPoint wait;
  private final CounterDataPoint lost;
  private final WindowListener listener;
  private final LinkedHashMap<TxnId, OpenedKeys> open = new LinkedHashMap<>();
  private final LinkedHashMap<ExecutionId, Long> waiting = new LinkedHashMap<>();

  ReplicaWindows(
      ReplicaId at,
      DistributionDataPoint serialization,
      DistributionDataPoint validity,
      DistributionDataPoint wait,
      CounterDataPoint lost,
      WindowListener listener) {
    this.at = at;
    this.serialization = serialization;
    this.validity = validity;
    this.wait = wait;
    this.lost = lost;
    this.listener = listener;
  }

  /** The replica has chosen a version for a reader. */
  void read(TxnId txn, Key key, WriteId version, long nowMicros) {
    OpenedKeys keys = open.get(txn);
    if (keys == null) {
      keys = new OpenedKeys();
      open.put(txn, keys);
      if (giveUpOldest(open)) {
        lost.inc();
      }
    }
    Opened opened = keys.find(key);
    if (opened == null) {
      keys.add(new Opened(key, version, nowMicros));
    } else {
      opened.read(version, nowMicros);
    }
  }

  /** As {@link #read}, but only for a transaction that has read at this replica before. */
  void readAgain(TxnId txn, Key key, WriteId version, long nowMicros) {
    OpenedKeys keys = open.get(txn);
    Opened opened = keys == null ? null : keys.find(key);
    if (opened != null) {
      opened.read(version, nowMicros);
    }
  }

  /** A write is about to become visible at this replica. */
  void shown(Message.Put put, long nowMicros) {
    OpenedKeys keys = open.get(put.txn());
    if (keys != null) {
      keys.shown(put.write(), nowMicros);
    }
  }

  /**
   * The replica is about to vote on an execution. Its Prepare lists the execution's reads and
   * writes.
   */
  void prepared(Message.Prepare prepare, long nowMicros) {
    OpenedKeys keys = open.get(prepare.txn());
    if (keys == null) {
      return;
    }
    for (Read read : prepare.reads()) {
      Opened opened = keys.find(read.key());
      if (opened != null && opened.version.equals(read.version())) {
        opened.execution = prepare.execution().number();
      }
    }
    for (Write write : prepare.writes()) {
      keys.shown(write, nowMicros);
    }
  }

  void waits(ExecutionId execution, long nowMicros) {
    waiting.putIfAbsent(execution, nowMicros);
    giveUpOldest(waiting);
  }

  void voted(ExecutionId execution, long nowMicros) {
    if (!waiting.isEmpty()) {
      Long sinceMicros = waiting.remove(execution);
      if (sinceMicros != null) {
        wait.observe(Math.max(0, nowMicros - sinceMicros) * MICROS);
      }
    }
  }

  /** The reads of a read-only execution are registered: nothing more is heard of it. */
  void registered(TxnId txn, long nowMicros) {
    OpenedKeys keys = open.get(txn);
    if (keys != null) {
      int latest = -1;
      for (Opened opened : keys.all) {
        latest = Math.max(latest, opened.execution);
      }
      decided(txn, Outcome.commit(latest, List.of()), nowMicros);
    }
  }

  void decided(TxnId txn, Outcome outcome, long nowMicros) {
    OpenedKeys keys = open.remove(txn);
    if (keys == null) {
      return;
    }
    int committed = outcome instanceof Outcome.Commit commit ? commit.execution() : -1;
    boolean listening = listener.isListening();
    for (Opened opened : keys.all) {
      boolean counts = committed >= 0 && opened.execution == committed;
      if (counts) {
        validity.observe(Math.max(0, nowMicros - opened.readMicros) * MICROS);
        if (opened.shownMicros > 0) {
          serialization.observe(Math.max(0, opened.shownMicros - opened.readMicros) * MICROS);
        }
      }
      if (listening && (counts || committed < 0)) {
        listener.closed(window(opened, txn, committed, nowMicros));
      }
    }
  }

  private WindowListener.KeyWindow window(Opened opened, TxnId txn, int committed, long nowMicros) {
    return new WindowListener.KeyWindow(
        at,
        opened.key,
        txn,
        opened.readMicros,
        opened.shownMicros,
        nowMicros,
        committed >= 0,
        Math.max(opened.execution, committed) + 1);
  }

  private static <K, V> boolean giveUpOldest(Map<K, V> map) {
    if (map.size() <= MOST_OPEN) {
      return false;
    }
    Iterator<K> oldest = map.keySet().iterator();
    oldest.next();
    oldest.remove();
    return true;
  }
}
