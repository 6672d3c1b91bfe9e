package org.mortydb.server.status;

import org.mortydb.transport.LinkTraffic;

/**
 * The status of the link to another server.
 *
 * @param server the name of the other server
 * @param region where it runs
 * @param up whether the link is up
 * @param roundTripMicros the last measured round trip; 0 if there is none
 * @param clockAheadMicros how far its clock was ahead at that time, with an error of at most half
 *     the round trip; 0 if unknown
 * @param breaks how often links to it broke since this server started
 * @param recentBreaks how often links to it broke within the last minute
 * @param downMicros for how long there has been no link; 0 while it is up
 * @param reason why the last link broke or could not be made; empty if that never happened
 * @param waitingBytes how many bytes waited to be sent at that time
 * @param traffic the traffic since this server started
 */
public record PeerStatus(
    String server,
    String region,
    boolean up,
    long roundTripMicros,
    long clockAheadMicros,
    long breaks,
    int recentBreaks,
    long downMicros,
    String reason,
    long waitingBytes,
    LinkTraffic traffic) {}
