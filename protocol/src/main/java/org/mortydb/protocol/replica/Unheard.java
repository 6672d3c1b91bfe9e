package org.mortydb.protocol.replica;

import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/** The effects of a replica that restores what it knew: all of them happened before. */
final class Unheard implements Effects {
  static final Unheard INSTANCE = new Unheard();

  private Unheard() {}

  @Override
  public void send(Endpoint to, Message message) {}

  @Override
  public void broadcast(int partition, Message message) {}

  @Override
  public void armTimer(Timer timer, long delayMicros) {}

  @Override
  public void cancelTimer(Timer timer) {}
}
