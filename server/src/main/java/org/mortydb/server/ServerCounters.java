package org.mortydb.server;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts what went wrong since a server started. Any thread may read. */
public final class ServerCounters {
  final LongAdder wrongPartition = new LongAdder();
  final LongAdder notAuthorized = new LongAdder();
  final LongAdder unreachable = new LongAdder();
  final LongAdder handoverFull = new LongAdder();
  final LongAdder toStopped = new LongAdder();
  final LongAdder stoppedPartitions = new LongAdder();
  final LongAdder logCongested = new LongAdder();
  final LongAdder recovered = new LongAdder();
  final LongAdder contradictions = new LongAdder();

  ServerCounters() {}

  /** Returns how many messages were dropped, by reason. */
  Map<String, Long> dropped() {
    Map<String, Long> dropped = new LinkedHashMap<>();
    dropped.put("wrong_partition", wrongPartition());
    dropped.put("not_authorized", notAuthorized());
    dropped.put("unreachable", unreachable());
    dropped.put("handover_full", handoverFull());
    dropped.put("stopped", toStopped());
    dropped.put("log_congested", logCongested());
    dropped.put("contradiction", contradictions());
    return dropped;
  }

  /**
   * Returns how many messages had a receiver or a sender that the configuration places elsewhere.
   */
  public long wrongPartition() {
    return wrongPartition.sum();
  }

  /** Returns how many messages came from clients without the right to send them. */
  public long notAuthorized() {
    return notAuthorized.sum();
  }

  /** Returns how many messages had no link to their receiver. */
  public long unreachable() {
    return unreachable.sum();
  }

  /** Returns how many messages were dropped because an event loop was too far behind. */
  public long handoverFull() {
    return handoverFull.sum();
  }

  /** Returns how many messages were for stopped replicas. */
  public long toStopped() {
    return toStopped.sum();
  }

  /** Returns how many replicas stopped because of a broken invariant or failed storage. */
  public long stoppedPartitions() {
    return stoppedPartitions.sum();
  }

  /** Returns how many messages were dropped because the disk could not keep up. */
  public long logCongested() {
    return logCongested.sum();
  }

  /** Returns how many transactions the replicas decided by recovery, as of their last tick. */
  public long recovered() {
    return recovered.sum();
  }

  /**
   * Returns how many outcomes could not be true, as of the replicas' last tick: a client announced
   * two outcomes of one transaction, or the commit of an execution that it never prepared.
   */
  public long contradictions() {
    return contradictions.sum();
  }
}
