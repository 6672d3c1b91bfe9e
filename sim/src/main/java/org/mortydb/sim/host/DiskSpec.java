package org.mortydb.sim.host;

/**
 * What a server's disk is like, and what the server does with it. All times in microseconds.
 *
 * @param durability what is kept across a crash
 * @param maxForceMicros the longest that a force takes; 0 for a disk on which all is durable at
 *     once
 * @param checkpointMicros the time between the end of a checkpoint and the start of the next; 0 for
 *     none at all
 * @param logMicros how far back the log reaches from the start of a checkpoint: more than the
 *     retention time and the allowed skew
 * @param slotsPerTick how much of its keys a replica copies at a time, at least 1
 */
public record DiskSpec(
    Durability durability,
    long maxForceMicros,
    long checkpointMicros,
    long logMicros,
    int slotsPerTick) {

  /** An infinitely fast disk, whose logs only grow. */
  public static final DiskSpec FREE = new DiskSpec(Durability.SYNC, 0, 0, 0, 1);
}
