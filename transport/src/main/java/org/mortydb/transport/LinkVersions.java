package org.mortydb.transport;

import org.mortydb.wire.VersionRange;

/**
 * The versions that the handshake of a connection has settled.
 *
 * @param link the version of the wire contract that the connection uses: the highest that both ends
 *     speak
 * @param peer the versions that the peer speaks
 * @param cluster the version that the cluster uses by the peer's word; 0 if it did not know
 */
public record LinkVersions(int link, VersionRange peer, int cluster) {}
