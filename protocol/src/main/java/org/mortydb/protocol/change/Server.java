package org.mortydb.protocol.change;

/**
 * A server that a plan may place replicas on.
 *
 * @param name unique in the cluster
 * @param region where it is
 */
public record Server(String name, String region) {}
