package org.mortydb.faults.nemesis;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The client processes of a run, by their number. Safe for use by several threads. */
final class ClientProcesses implements AutoCloseable {

  /** Starts a client. */
  @FunctionalInterface
  interface Starter {
    ClientProcess start(int client) throws IOException;
  }

  private final AtomicReferenceArray<ClientProcess> processes;
  private final Starter starter;

  private ClientProcesses(int count, Starter starter) {
    this.processes = new AtomicReferenceArray<>(count);
    this.starter = starter;
  }

  /** Starts so many; returns when all are connected. */
  static ClientProcesses start(int count, Starter starter)
      throws IOException, InterruptedException {
    ClientProcesses clients = new ClientProcesses(count, starter);
    boolean done = false;
    try {
      for (int i = 0; i < count; i++) {
        clients.restart(i);
      }
      clients.awaitReady();
      done = true;
      return clients;
    } finally {
      if (!done) {
        clients.close();
      }
    }
  }

  int size() {
    return processes.length();
  }

  ClientProcess get(int client) {
    return processes.get(client);
  }

  /** Starts one again that has ended; does not wait for it. */
  void restart(int client) throws IOException {
    processes.set(client, starter.start(client));
  }

  /**
   * Starts those again that have ended by themselves, because they could not connect.
   *
   * @param killed those that have not
   */
  void mend(List<Integer> killed) throws IOException {
    for (int i = 0; i < size(); i++) {
      if (get(i).hasEnded() && !killed.contains(i)) {
        restart(i);
      }
    }
  }

  /** Waits until all are connected. */
  void awaitReady() throws InterruptedException {
    for (int i = 0; i < size(); i++) {
      get(i).awaitReady();
    }
  }

  @Override
  public void close() {
    for (int i = 0; i < size(); i++) {
      ClientProcess process = processes.get(i);
      if (process != null) {
        process.close();
      }
    }
  }
}
