package org.mortydb.sim.host;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimEvent;

/**
 * A server's disk: one log for each of its replicas, forced together. The next force covers all
 * records appended during a force (group commit). A crash keeps the forced records and a random
 * prefix of the others; a torn record counts as absent.
 */
final class SimDisk {
  private final Kernel kernel;
  private final boolean keepsUnforced;
  private final long maxForceMicros;
  private final SplittableRandom random;
  private final Runnable onDurable;
  private final List<ReplicaLog> logs = new ArrayList<>();
  private final Force force = new Force();
  private long written;
  private long durable;

  /**
   * @param durability when a record counts as kept
   * @param maxForceMicros the longest duration of a force
   * @param random draws the durations of forces, and the records that survive a crash
   * @param onDurable called when more records have become durable
   */
  SimDisk(
      Kernel kernel,
      SimDurability durability,
      long maxForceMicros,
      SplittableRandom random,
      Runnable onDurable) {
    this.kernel = kernel;
    this.keepsUnforced = durability == SimDurability.ASYNC;
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

  /** The number of the last appended record. */
  long written() {
    return written;
  }

  /** The number of the last record that counts as kept, so that messages may depend on it. */
  long kept() {
    return keepsUnforced ? written : durable;
  }

  /** The number of the last record that survives any crash. */
  long durable() {
    return durable;
  }

  /** Starts a force, unless one is running or there is nothing to force. */
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
   * Loses unforced records, as in a crash of the server.
   *
   * @param powerFails whether the whole machine goes down, and not the process alone
   * @return the number of lost records
   */
  int crash(boolean powerFails) {
    kernel.cancel(force);
    boolean loses = powerFails || !keepsUnforced;
    long survives = loses ? durable + random.nextLong(written - durable + 1) : written;
    int lost = 0;
    for (ReplicaLog log : logs) {
      lost += log.lose(survives, loses ? survives : durable, keepsUnforced);
    }
    written = survives;
    durable = loses ? survives : durable;
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
