package org.mortydb.sim.host;

import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/** Sees everything and changes nothing. */
public interface Observer {

  /** Sees nothing. */
  Observer NONE = new Observer() {};

  /** A machine has sent a message. */
  default void onSend(Endpoint from, Endpoint to, Message message) {}

  /** A machine told something. */
  default void onProbe(Endpoint self, Probe probe) {}

  /** A machine has finished a step. */
  default void onStep(Endpoint self) {}

  /** A machine has thrown, which it never may. */
  default void onFailure(Endpoint self, Throwable failure) {}
}
