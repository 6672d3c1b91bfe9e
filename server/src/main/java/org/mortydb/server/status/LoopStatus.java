package org.mortydb.server.status;

/**
 * How an event loop is.
 *
 * @param pendingTasks tasks that wait in its queue
 * @param handoverMessages messages from the server's other loops that wait for it
 * @param lagMicros how late it was at its last regular task
 * @param silentMicros how long ago that was
 */
public record LoopStatus(
    int pendingTasks, int handoverMessages, long lagMicros, long silentMicros) {}
