package org.mortydb.protocol.model;

/** A sender or receiver of messages: a replica or a client. */
public sealed interface Endpoint permits ReplicaId, ClientId {}
