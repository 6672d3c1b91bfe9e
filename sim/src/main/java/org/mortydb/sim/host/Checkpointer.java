package org.mortydb.sim.host;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.log.LogRecord;

/**
 * Copies a replica's state to its disk now and then, some slots with each tick while the replica
 * serves, so that its log can be cut: a restart reads the checkpoint, and then the log.
 */
final class Checkpointer {
  private static final int NONE = -1;

  private final DiskSpec spec;
  private final HostedMachine machine;
  private final ReplicaLog log;
  private final Disk disk;
  private final long startMicros;
  private long dueMicros;
  private int slot = NONE;
  private List<LogRecord> records = new ArrayList<>();
  private long cutNumber;

  /**
   * @param startMicros what the clock shows now, when the process starts
   */
  Checkpointer(DiskSpec spec, HostedMachine machine, ReplicaLog log, Disk disk, long startMicros) {
    this.spec = spec;
    this.machine = machine;
    this.log = log;
    this.disk = disk;
    this.startMicros = startMicros;
    this.dueMicros = startMicros + spec.checkpointMicros();
  }

  /** Goes on with what is due, after a tick of the replica; true when a checkpoint was written. */
  boolean onTick(long nowMicros) {
    if (spec.checkpointMicros() == 0) {
      return false;
    }
    if (slot == NONE) {
      // To a replica, what it was restored from is as old as its process: a log that reaches
      // further back than that would leave it out of both the log and the checkpoint.
      long logFromMicros = nowMicros - spec.logMicros();
      if (nowMicros < dueMicros || logFromMicros <= startMicros) {
        return false;
      }
      records = new ArrayList<>();
      cutNumber = log.cutBefore(logFromMicros);
      machine.copyOldRecords(spec.logMicros(), records::add);
      slot = 0;
    }
    slot = machine.copyVersions(slot, spec.slotsPerTick(), records::add);
    if (slot != NONE) {
      return false;
    }
    disk.checkpoint(log, records, cutNumber);
    dueMicros = nowMicros + spec.checkpointMicros();
    return true;
  }
}
