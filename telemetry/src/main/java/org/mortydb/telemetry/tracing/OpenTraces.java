package org.mortydb.telemetry.tracing;

import java.util.Iterator;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;

/**
 * The open traces of one machine, oldest first. A trace that is open for a minute is given up,
 * because its coordinator or its outcome was lost. The number of open traces is limited, so that a
 * burst takes bounded memory; further transactions are not traced.
 */
final class OpenTraces<T extends OpenTraces.Trace> {
  private static final int MOST_OPEN = 10_000;
  private static final long MOST_AGE_MICROS = 60_000_000;

  /** An open trace. */
  interface Trace {
    /** When the trace was opened, in microseconds since 1970. */
    long openedMicros();

    /** Reports the incomplete trace. */
    void giveUp(long nowMicros);
  }

  /** Without homes: a home is not known yet when a client's trace begins. */
  private final LinkedHashMap<TxnId, T> open = new LinkedHashMap<>();

  @Nullable T get(TxnId txn) {
    return open.get(txn.withoutHome());
  }

  /** Gives up old traces, and returns whether there is room for one more. */
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
    open.put(txn.withoutHome(), trace);
  }

  void remove(TxnId txn) {
    open.remove(txn.withoutHome());
  }
}
