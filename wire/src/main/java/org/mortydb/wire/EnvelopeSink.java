package org.mortydb.wire;

import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/** Receives the envelopes of a frame one by one, in order. */
@FunctionalInterface
public interface EnvelopeSink {

  /** Receives one envelope. Called before the next one is decoded. */
  void onEnvelope(Endpoint from, Endpoint to, Message message);

  /** Whether the rest of the frame has to wait. Asked after each envelope. */
  default boolean hasEnough() {
    return false;
  }
}
