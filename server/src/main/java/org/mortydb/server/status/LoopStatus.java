package org.mortydb.server.status;

/**
 * The status of an event loop.
 *
 * @param pendingTasks how many tasks wait in its queue
 * @param handoverMessages how many messages from the server's other loops wait for it
 * @param lagMicros how late its last regular task ran
 * @param silentMicros how long ago its last regular task ran
 */
public record LoopStatus(
    int pendingTasks, int handoverMessages, long lagMicros, long silentMicros) {}
