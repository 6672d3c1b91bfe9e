package org.mortydb.sim.host;

/**
 * What a server's disk is like, and what the server does with it. All times in microseconds.
 *
 * @param durability what is kept across a crash
 * @param maxForceMicros the longest that a force takes; 0 for a disk on which all is durable at
 *     once
 * @param checkpointRecords how many records the log of a server may grow before the next
 *     checkpoint; 0 for no checkpoint at all
 * @param logMicros how far back the log reaches from the start of a checkpoint
 * @param slotsPerTick how much of its keys a replica copies at a time, at least 1
 */
public record DiskSpec(
    Durability durability,
    long maxForceMicros,
    long checkpointRecords,
    long logMicros,
    int slotsPerTick) {

  /** An infinitely fast disk, whose logs only grow. */
  public static final DiskSpec FREE = new DiskSpec(Durability.SYNC, 0, 0, 0, 1);
}
