package org.mortydb.server.status;

import org.mortydb.storage.LogStatistics;

/**
 * How storing is.
 *
 * @param log what the log did
 * @param pendingBytes appended and not written yet
 * @param congested whether the disk cannot keep up, so that messages are dropped
 * @param failure why storing has failed for good; empty while it works
 * @param sinceCheckpointBytes what a restart would replay of the log
 * @param checkpointing whether a checkpoint is being written
 * @param checkpointBytes the length of the last one of this process; 0 if there was none
 */
public record StorageStatus(
    LogStatistics log,
    long pendingBytes,
    boolean congested,
    String failure,
    long sinceCheckpointBytes,
    boolean checkpointing,
    long checkpointBytes) {}
