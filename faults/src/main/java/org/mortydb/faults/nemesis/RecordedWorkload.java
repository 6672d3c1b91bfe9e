package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.check.jepsen.Operation;
import org.mortydb.check.jepsen.OperationType;
import org.mortydb.protocol.model.TxnId;

/** One workload of a run, with its history. Safe for use by several threads. */
final class RecordedWorkload {
  /** Carries requests out. */
  @FunctionalInterface
  interface Executor {
    /**
     * Carries a request out.
     *
     * @param timeoutMillis after which the outcome is unknown
     */
    Reply execute(HistoryCheck workload, Request request, long timeoutMillis)
        throws InterruptedException;
  }

  private final HistoryCheck kind;
  private final Workload workload;
  private final long startNanos;
  private final List<Operation> operations = new ArrayList<>();
  private long committed;
  private long latestCommittedBeganNanos = -1;

  /**
   * @param startNanos the begin of the history, by {@link System#nanoTime}
   */
  RecordedWorkload(HistoryCheck kind, long startNanos) {
    this.kind = kind;
    this.workload = Workload.of(kind);
    this.startNanos = startNanos;
  }

  HistoryCheck kind() {
    return kind;
  }

  Workload workload() {
    return workload;
  }

  /** The history so far. */
  synchronized List<Operation> operations() {
    return List.copyOf(operations);
  }

  /** The number of operations that committed. */
  synchronized long committed() {
    return committed;
  }

  /** When the latest of the committed operations began, in the time of the history. */
  synchronized long latestCommittedBeganNanos() {
    return latestCommittedBeganNanos;
  }

  /** The next request. */
  synchronized Request next(RandomGenerator random) {
    return workload.next(random);
  }

  /** Adds the begin or end of a fault to the history. */
  void addFault(String f, @Nullable Object value) {
    long _ = add(OperationType.INFO, Operation.NEMESIS, f, value, null, null);
  }

  /** Has a request carried out, and adds its begin and end to the history. */
  Reply carryOut(Request request, int process, Executor client, long timeoutMillis)
      throws InterruptedException {
    long began = add(OperationType.INVOKE, process, request.f(), request.value(), null, null);
    Reply reply = client.execute(kind, request, timeoutMillis);
    Object value = reply.ok() ? reply.value() : request.value();
    synchronized (this) {
      long _ = add(reply.type(), process, request.f(), value, reply.error(), reply.place());
      if (reply.ok()) {
        committed++;
        latestCommittedBeganNanos = Math.max(latestCommittedBeganNanos, began);
      }
    }
    return reply;
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
}
