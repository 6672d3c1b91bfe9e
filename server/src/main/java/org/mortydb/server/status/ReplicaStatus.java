package org.mortydb.server.status;

import org.mortydb.protocol.model.ReplicaId;

/**
 * The status of a replica, as of the last look.
 *
 * @param replica the replica
 * @param serving whether it serves; a joining replica does not
 * @param stopped whether it has stopped because of a broken invariant or failed storage
 * @param keys how many keys have any state; 0 for baselines
 * @param transactions how many transactions have a record; 0 for baselines
 * @param watermarkMicros the time of the watermark; 0 if there is none yet
 * @param fenceMicros the time of the fence; 0 if there is none yet
 * @param heldMessages how many messages wait for the log
 * @param recovered how many transactions it decided by recovery
 * @param refusedFences how many fences and watermarks it refused because of the clocks
 * @param copied how much of a peer it has copied, from 0 to 1; negative if it copies none
 * @param bytesLeft about how many bytes it still has to copy; negative if it copies none, or does
 *     not know
 */
public record ReplicaStatus(
    ReplicaId replica,
    boolean serving,
    boolean stopped,
    int keys,
    int transactions,
    long watermarkMicros,
    long fenceMicros,
    int heldMessages,
    long recovered,
    long refusedFences,
    double copied,
    long bytesLeft) {

  /** Returns the status of a replica that has begun to serve, or not, since the last look. */
  public ReplicaStatus withServing(boolean nowServing) {
    return new ReplicaStatus(
        replica,
        nowServing,
        stopped,
        keys,
        transactions,
        watermarkMicros,
        fenceMicros,
        heldMessages,
        recovered,
        refusedFences,
        copied,
        bytesLeft);
  }
}
