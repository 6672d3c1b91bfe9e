package org.mortydb.protocol.replica;

import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/** Ignores the effects of a replica that is being restored: all of them have happened before. */
final class NoEffects implements Effects {
  static final NoEffects INSTANCE = new NoEffects();

  private NoEffects() {}

  @Override
  public void send(Endpoint to, Message message) {}

  @Override
  public void broadcast(int partition, Message message) {}

  @Override
  public void armTimer(Timer timer, long delayMicros) {}

  @Override
  public void cancelTimer(Timer timer) {}
}
