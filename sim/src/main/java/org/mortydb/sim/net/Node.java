package org.mortydb.sim.net;

/** Somebody that the network connects. */
public interface Node {
  /** Unique, from 0. */
  int index();

  /** The region that it stands in, from 0. */
  int region();

  /** For people. */
  String name();
}
