package org.mortydb.sim.net;

import org.mortydb.sim.kernel.SimEvent;

/** Something in transit; it happens when it arrives. */
public abstract class Packet extends SimEvent {
  /** The same again, for a network that duplicates. */
  protected abstract Packet copy();
}
