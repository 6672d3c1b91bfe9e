package org.mortydb.telemetry.tracing;

import java.util.Iterator;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;

/**
 * The traces that are open at one machine, the oldest first. What has been open for a minute is
 * given up: its coordinator or its outcome was lost. So many are open at most that a burst costs no
 * more memory than that; further ones are left out.
 */
final class OpenTraces<T extends OpenTraces.Trace> {
  private static final int MOST_OPEN = 10_000;
  private static final long MOST_AGE_MICROS = 60_000_000;

  /** What is open. */
  interface Trace {
    /** When it was opened, in microseconds since 1970. */
    long openedMicros();

    /** Reports what there is of it. */
    void giveUp(long nowMicros);
  }

  private final LinkedHashMap<TxnId, T> open = new LinkedHashMap<>();

  @Nullable T get(TxnId txn) {
    return open.get(txn);
  }

  /** Whether there is room for one more, when old ones have been given up. */
  boolean hasRoom(long nowMicros) {
    Iterator<T> oldest = open.values().iterator();
    while (oldest.hasNext()) {
      T trace = oldest.next();
      if (nowMicros - trace.openedMicros() < MOST_AGE_MICROS) {
        break;
      }
      oldest.remove();
      trace.giveUp(nowMicros);
    }
    return open.size() < MOST_OPEN;
  }

  void add(TxnId txn, T trace) {
    open.put(txn, trace);
  }

  void remove(TxnId txn) {
    open.remove(txn);
  }
}
