package org.mortydb.workloads.load;

import org.mortydb.client.Client;

/** The style of the API in which a workload's transactions run. */
public enum Style {
  /** Turns on the client's own threads, as workloads are written. */
  CONTINUATIONS,

  /** Bodies on virtual threads, which run again from the start after a stale read. */
  DIRECT;

  /** A client that runs transactions in this style on another one. */
  public Client on(Client client) {
    return switch (this) {
      case CONTINUATIONS -> client;
      case DIRECT -> new DirectStyleClient(client);
    };
  }
}
