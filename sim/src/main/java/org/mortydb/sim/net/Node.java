package org.mortydb.sim.net;

/** A node of the network. */
public interface Node {
  /** A unique number, from 0. */
  int index();

  /** Its region, from 0. */
  int region();

  /** Its name in the trace. */
  String name();
}
