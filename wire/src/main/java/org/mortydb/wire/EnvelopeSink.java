package org.mortydb.wire;

import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/** Takes the envelopes of a frame, one by one, in order. */
@FunctionalInterface
public interface EnvelopeSink {

  /** Takes one envelope, before the next one is decoded. */
  void onEnvelope(Endpoint from, Endpoint to, Message message);
}
