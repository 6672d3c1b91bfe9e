package org.mortydb.bench.report;

import org.mortydb.workloads.load.Rounded;

/**
 * The use of processors within the window, as shares of the time of all cores, 0 to 1. If servers
 * and clients share a machine, both are shares of that machine.
 *
 * @param servers the share of the servers
 * @param clients the share of the clients, including the load generator
 */
public record Utilisation(double servers, double clients) {

  /** Creates a utilisation, rounded to three decimals. */
  public static Utilisation of(double servers, double clients) {
    return new Utilisation(Rounded.to(3, servers), Rounded.to(3, clients));
  }
}
