package org.mortydb.protocol.replica;

import org.mortydb.protocol.model.ReplicaId;

/**
 * A fence or watermark that a replica refused because it does not fit its clock (docs/protocol.md,
 * section 6): one of the two clocks is wrong.
 *
 * @param from the replica that asked for it last
 * @param aheadMicros how far it was above what this replica allows; negative if the clock of a
 *     joining replica is behind
 * @param count how many were refused since this process began
 */
public record RefusedFence(ReplicaId from, long aheadMicros, long count) {}
