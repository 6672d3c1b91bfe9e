package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.jepsen.Operation;
import org.mortydb.check.jepsen.OperationType;
import org.mortydb.protocol.model.TxnId;

/** Collects the history of one workload. Safe for use by several threads. */
final class OperationLog {
  private final long startNanos;
  private final List<Operation> operations = new ArrayList<>();

  /**
   * @param startNanos when time begins, by the clock of {@link System#nanoTime}
   */
  OperationLog(long startNanos) {
    this.startNanos = startNanos;
  }

  /** Adds an entry, now; returns when that is in the history. */
  long add(
      OperationType type, int process, String f, @Nullable Object value, @Nullable Object error) {
    return add(type, process, f, value, error, null);
  }

  /** Adds the end of an operation, now; returns when that is in the history. */
  long addEnd(int process, String f, @Nullable Object value, Reply reply) {
    return add(reply.type(), process, f, value, reply.error(), reply.place());
  }

  private synchronized long add(
      OperationType type,
      int process,
      String f,
      @Nullable Object value,
      @Nullable Object error,
      @Nullable TxnId place) {
    long now = System.nanoTime() - startNanos;
    operations.add(new Operation(operations.size(), now, type, process, f, value, error, place));
    return now;
  }

  /** What was added so far. */
  synchronized List<Operation> operations() {
    return List.copyOf(operations);
  }
}
