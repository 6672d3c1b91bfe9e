package org.mortydb.bench.report;

import org.mortydb.workloads.load.Rounded;

/**
 * How busy processors were within the window, as shares of the time of all cores of the machines
 * concerned, 0 to 1. Where servers and clients share a machine, both are shares of that machine.
 *
 * @param servers by the servers
 * @param clients by the clients, the load generator included
 */
public record Utilisation(double servers, double clients) {

  /** Rounded to three decimals. */
  public static Utilisation of(double servers, double clients) {
    return new Utilisation(Rounded.to(3, servers), Rounded.to(3, clients));
  }
}
