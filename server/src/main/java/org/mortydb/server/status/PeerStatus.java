package org.mortydb.server.status;

import org.mortydb.transport.LinkTraffic;

/**
 * The status of the link to another server.
 *
 * @param server the name of the other server
 * @param region where it runs
 * @param up whether the link is up
 * @param roundTripMicros the last measured round trip; 0 if there is none
 * @param waitingBytes how many bytes waited to be sent at that time
 * @param traffic the traffic since this server started
 */
public record PeerStatus(
    String server,
    String region,
    boolean up,
    long roundTripMicros,
    long waitingBytes,
    LinkTraffic traffic) {}
