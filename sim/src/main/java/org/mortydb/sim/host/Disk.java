package org.mortydb.sim.host;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimEvent;

/**
 * A server's disk: a log for each of its replicas, forced together. Whatever is appended while a
 * force is under way is forced by the next one (group commit). A crash keeps what was forced, and
 * any prefix of what was not; a record that is torn counts as absent.
 */
final class Disk {
  private final Kernel kernel;
  private final long maxForceMicros;
  private final SplittableRandom random;
  private final Runnable onDurable;
  private final List<ReplicaLog> logs = new ArrayList<>();
  private final Force force = new Force();
  private long written;
  private long durable;

  /**
   * @param maxForceMicros the longest that a force takes
   * @param random draws how long forces take, and what survives a crash
   * @param onDurable called when more has become durable
   */
  Disk(Kernel kernel, long maxForceMicros, SplittableRandom random, Runnable onDurable) {
    this.kernel = kernel;
    this.maxForceMicros = maxForceMicros;
    this.random = random;
    this.onDurable = onDurable;
  }

  ReplicaLog log() {
    ReplicaLog log = new ReplicaLog();
    logs.add(log);
    return log;
  }

  void append(ReplicaLog log, LogRecord logged) {
    log.append(++written, logged);
  }

  void checkpoint(ReplicaLog log, List<LogRecord> records, long cutNumber) {
    log.checkpoint(++written, records, cutNumber);
  }

  /** The number of the last record that was appended. */
  long written() {
    return written;
  }

  /** Everything up to this number survives a crash. */
  long durable() {
    return durable;
  }

  /** Begins to force what was appended, unless a force is under way. */
  void flush() {
    if (durable == written || force.isScheduled()) {
      return;
    }
    force.until = written;
    if (maxForceMicros == 0) {
      force.run();
    } else {
      kernel.schedule(random.nextLong(maxForceMicros) + 1, force);
    }
  }

  /**
   * Loses what the crash of a server loses.
   *
   * @return how many records
   */
  int crash() {
    kernel.cancel(force);
    long survives = durable + random.nextLong(written - durable + 1);
    int lost = 0;
    for (ReplicaLog log : logs) {
      lost += log.lose(survives);
    }
    written = survives;
    durable = survives;
    return lost;
  }

  private final class Force extends SimEvent {
    private long until;

    @Override
    protected void run() {
      durable = until;
      for (ReplicaLog log : logs) {
        log.durable(durable);
      }
      onDurable.run();
      flush();
    }
  }
}
