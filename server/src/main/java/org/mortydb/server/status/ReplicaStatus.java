package org.mortydb.server.status;

import org.mortydb.protocol.model.ReplicaId;

/**
 * How a replica was when it was last looked at.
 *
 * @param replica which
 * @param serving whether it answered; not while it joins
 * @param stopped whether it was stopped, for a broken invariant or because storing failed
 * @param keys keys with any state; 0 for systems that do not tell
 * @param transactions transactions with a record; 0 for systems that do not tell
 * @param watermarkMicros the watermark's time; 0 if there is none yet
 * @param fenceMicros the fence's time; 0 if there is none yet
 * @param heldMessages messages that wait for the log
 * @param recovered transactions that it decided by recovery
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
    long recovered) {}
