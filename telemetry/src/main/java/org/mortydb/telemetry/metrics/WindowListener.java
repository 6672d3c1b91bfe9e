package org.mortydb.telemetry.metrics;

import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/** Is told of windows as they close. By the threads of the replicas. */
public interface WindowListener {

  /** Wants none. */
  WindowListener NONE =
      new WindowListener() {
        @Override
        public boolean isListening() {
          return false;
        }

        @Override
        public void closed(KeyWindow window) {}
      };

  /** Whether windows are wanted; asked before one is made. */
  boolean isListening();

  /** A transaction that had read a key is decided. */
  void closed(KeyWindow window);

  /**
   * What a replica saw of a transaction and a key that was read there. Times are of the replica's
   * clock, in microseconds since 1970.
   *
   * @param at the replica
   * @param key what was read
   * @param txn who read it
   * @param readMicros when the replica last chose a version for it
   * @param shownMicros when its write of the key was visible; 0 if it wrote none
   * @param decidedMicros when the replica learnt the outcome
   * @param committed which it was
   * @param executions how many of its executions the replica has heard of
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
