package org.mortydb.bench.simulated;

import org.jspecify.annotations.Nullable;
import org.mortydb.bench.simulated.Observation.Passage;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/**
 * A message with its sender and receiver.
 *
 * @param passage its way, for an observer; null if nobody follows it
 */
record Envelope(Endpoint from, Endpoint to, Message message, @Nullable Passage passage) {}
