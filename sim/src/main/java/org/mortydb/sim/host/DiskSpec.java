package org.mortydb.sim.host;

/**
 * The properties of a server's disk and its use. All times are in microseconds.
 *
 * @param durability what a crash keeps
 * @param maxForceMicros the longest duration of a force; 0 makes every record durable at once
 * @param checkpointRecords the records by which a server's log grows until the next checkpoint; 0
 *     for no checkpoints
 * @param logMicros the time before the start of a checkpoint that the log still covers
 * @param slotsPerTick the number of slots that a replica copies with each tick, at least 1
 */
public record DiskSpec(
    SimDurability durability,
    long maxForceMicros,
    long checkpointRecords,
    long logMicros,
    int slotsPerTick) {

  /** An infinitely fast disk without checkpoints. */
  public static final DiskSpec FREE = new DiskSpec(SimDurability.SYNC, 0, 0, 0, 1);
}
