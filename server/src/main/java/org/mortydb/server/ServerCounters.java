package org.mortydb.server;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What went wrong in a server, or around it, since it started. Any thread may read. */
public final class ServerCounters {
  final LongAdder wrongPartition = new LongAdder();
  final LongAdder notAuthorized = new LongAdder();
  final LongAdder unreachable = new LongAdder();
  final LongAdder handoverFull = new LongAdder();
  final LongAdder toStopped = new LongAdder();
  final LongAdder stoppedPartitions = new LongAdder();
  final LongAdder logCongested = new LongAdder();
  final LongAdder recovered = new LongAdder();

  ServerCounters() {}

  /** Messages that were not handled or not sent, by reason. */
  Map<String, Long> dropped() {
    Map<String, Long> dropped = new LinkedHashMap<>();
    dropped.put("wrong_partition", wrongPartition());
    dropped.put("not_authorized", notAuthorized());
    dropped.put("unreachable", unreachable());
    dropped.put("handover_full", handoverFull());
    dropped.put("stopped", toStopped());
    dropped.put("log_congested", logCongested());
    return dropped;
  }

  /**
   * Messages for replicas that are not here, or from replicas that are not where they came from.
   */
  public long wrongPartition() {
    return wrongPartition.sum();
  }

  /** Messages of clients that lacked the right, or that clients do not send at all. */
  public long notAuthorized() {
    return notAuthorized.sum();
  }

  /** Messages to processes that have no link to this one. */
  public long unreachable() {
    return unreachable.sum();
  }

  /** Messages dropped because an event loop of this server was too far behind. */
  public long handoverFull() {
    return handoverFull.sum();
  }

  /** Messages for partitions that were stopped. */
  public long toStopped() {
    return toStopped.sum();
  }

  /** Partitions that were stopped because an invariant was broken, or storing failed. */
  public long stoppedPartitions() {
    return stoppedPartitions.sum();
  }

  /** Messages dropped because the disk could not keep up with storing what they lead to. */
  public long logCongested() {
    return logCongested.sum();
  }

  /** Transactions that its replicas decided by recovery; a tick late. */
  public long recovered() {
    return recovered.sum();
  }
}
