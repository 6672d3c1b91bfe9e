package org.mortydb.server.status;

import org.mortydb.storage.LogStatistics;

/**
 * The state of storage.
 *
 * @param log the counts of the log
 * @param pendingBytes how many appended bytes are not written yet
 * @param congested whether the disk cannot keep up, so that messages are dropped
 * @param failure why storage has failed; empty while it works
 * @param sinceCheckpointBytes how many bytes of the log a restart would replay
 * @param checkpointing whether a checkpoint is being written
 * @param checkpointBytes the length of the last checkpoint of this process; 0 if there was none
 * @param doubtful whether votes may be missing, as far as the start of this process can tell
 */
public record StorageStatus(
    LogStatistics log,
    long pendingBytes,
    boolean congested,
    String failure,
    long sinceCheckpointBytes,
    boolean checkpointing,
    long checkpointBytes,
    boolean doubtful) {}
