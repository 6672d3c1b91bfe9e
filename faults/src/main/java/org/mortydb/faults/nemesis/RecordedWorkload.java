package org.mortydb.faults.nemesis;

import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.check.jepsen.OperationType;

/** One workload of a run with its history. Safe for use by several threads. */
final class RecordedWorkload {
  private final HistoryCheck kind;
  private final Workload workload;
  private final OperationLog log;
  private final AtomicLong committed = new AtomicLong();
  private volatile long latestCommittedBeganNanos = -1;

  RecordedWorkload(HistoryCheck kind, OperationLog log) {
    this.kind = kind;
    this.workload = Workload.of(kind);
    this.log = log;
  }

  HistoryCheck kind() {
    return kind;
  }

  Workload workload() {
    return workload;
  }

  OperationLog log() {
    return log;
  }

  /** Operations that took place. */
  long committed() {
    return committed.get();
  }

  /** When the latest operation began of those that took place, in the time of the history. */
  long latestCommittedBeganNanos() {
    return latestCommittedBeganNanos;
  }

  /** The next request; one after the other. */
  synchronized Request next(RandomGenerator random) {
    return workload.next(random);
  }

  /**
   * Has a client carry a request out, and puts its beginning and end into the history.
   *
   * @return how it ended
   */
  Reply carryOut(Request request, int process, Asked client, long timeoutMillis)
      throws InterruptedException {
    long began = log.add(OperationType.INVOKE, process, request.f(), request.value(), null);
    Reply reply = client.execute(kind, request, timeoutMillis);
    Object value = reply.ok() ? reply.value() : request.value();
    log.addEnd(process, request.f(), value, reply);
    if (reply.ok()) {
      committed.incrementAndGet();
      synchronized (this) {
        latestCommittedBeganNanos = Math.max(latestCommittedBeganNanos, began);
      }
    }
    return reply;
  }
}
