package org.mortydb.protocol.model;

/** Somebody that messages come from and go to. */
public sealed interface Endpoint permits ReplicaId, ClientId {}
