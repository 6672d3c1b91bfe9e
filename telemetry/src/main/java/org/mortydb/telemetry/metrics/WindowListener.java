package org.mortydb.telemetry.metrics;

import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/** Receives windows as they close, on the threads of the replicas. */
public interface WindowListener {

  /** Ignores windows. */
  WindowListener NONE =
      new WindowListener() {
        @Override
        public boolean isListening() {
          return false;
        }

        @Override
        public void closed(KeyWindow window) {}
      };

  /** Whether the listener needs windows. Asked before a window is built. */
  boolean isListening();

  /** The outcome of a transaction that had read a key is known. */
  void closed(KeyWindow window);

  /**
   * The window of one transaction and one key that it has read at a replica. Times are by the
   * replica's clock, in microseconds since 1970.
   *
   * @param at the replica
   * @param key the key that was read
   * @param txn the transaction that read it
   * @param readMicros when the replica last chose a version for the read
   * @param shownMicros when the transaction's own write of the key became visible; 0 if it wrote
   *     none
   * @param decidedMicros when the replica learned the outcome
   * @param committed whether the outcome is a commit
   * @param executions the number of the transaction's executions that the replica knows
   */
  record KeyWindow(
      ReplicaId at,
      Key key,
      TxnId txn,
      long readMicros,
      long shownMicros,
      long decidedMicros,
      boolean committed,
      int executions) {}
}
