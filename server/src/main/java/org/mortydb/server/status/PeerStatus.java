package org.mortydb.server.status;

import org.mortydb.transport.LinkTraffic;

/**
 * How the link to another server is.
 *
 * @param server the other's name
 * @param region where it runs
 * @param up whether the link is up
 * @param roundTripMicros the last round trip that was measured; 0 if there is none
 * @param waitingBytes what waited to be sent then
 * @param traffic since this server started
 */
public record PeerStatus(
    String server,
    String region,
    boolean up,
    long roundTripMicros,
    long waitingBytes,
    LinkTraffic traffic) {}
