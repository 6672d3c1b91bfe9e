package org.mortydb.sim.net;

import org.mortydb.sim.kernel.SimEvent;

/** A packet in transit; the event is its arrival. */
public abstract class Packet extends SimEvent {
  /** A second copy of the packet. */
  protected abstract Packet copy();
}
