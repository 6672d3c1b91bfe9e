package org.mortydb.sim.host;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.log.CheckpointSchedule;
import org.mortydb.protocol.log.LogRecord;

/**
 * Writes checkpoints of a replica, some slots with each tick, so that its log can be cut. A restart
 * reads the checkpoint and then the log.
 */
final class SimCheckpointer {
  private static final int NONE = -1;

  private final DiskSpec spec;
  private final HostedMachine machine;
  private final ReplicaLog log;
  private final SimDisk disk;
  private final CheckpointSchedule schedule;
  private int slot = NONE;
  private List<LogRecord> records = new ArrayList<>();
  private long cutNumber;

  SimCheckpointer(DiskSpec spec, HostedMachine machine, ReplicaLog log, SimDisk disk) {
    this.spec = spec;
    this.machine = machine;
    this.log = log;
    this.disk = disk;
    this.schedule = new CheckpointSchedule(spec.checkpointRecords(), spec.logMicros());
  }

  /**
   * Continues after a tick of the replica. Returns true if it wrote a checkpoint.
   *
   * @param nowMicros virtual time
   */
  boolean onTick(long nowMicros) {
    if (spec.checkpointRecords() == 0) {
      return false;
    }
    machine.mark(schedule.take(nowMicros, disk.written()).number());
    if (slot == NONE) {
      CheckpointSchedule.Mark kept = schedule.due(log.cutNumber());
      if (kept == null) {
        return false;
      }
      records = new ArrayList<>();
      cutNumber = kept.position();
      machine.copyRecords(kept.number(), records::add);
      slot = 0;
    }
    slot = machine.copyVersions(slot, spec.slotsPerTick(), records::add);
    if (slot != NONE) {
      return false;
    }
    disk.checkpoint(log, records, cutNumber);
    return true;
  }
}
