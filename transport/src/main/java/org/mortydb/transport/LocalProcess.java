package org.mortydb.transport;

/**
 * What this process tells others in its handshakes.
 *
 * @param cluster the cluster that it belongs to, or wants to talk to
 * @param info itself
 */
public record LocalProcess(String cluster, PeerInfo info) {}
