package org.mortydb.bench.simulated;

import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/** A message with its sender and receiver. */
record Envelope(Endpoint from, Endpoint to, Message message) {}
