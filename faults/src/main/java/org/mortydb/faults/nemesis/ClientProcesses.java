package org.mortydb.faults.nemesis;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The client processes of a run, by their numbers. Safe for use by several threads. */
final class ClientProcesses implements AutoCloseable {
  /** Starts a client. */
  @FunctionalInterface
  interface Starter {
    ClientProcess start(int client) throws IOException;
  }

  private final AtomicReferenceArray<ClientProcess> processes;
  private final Starter starter;

  ClientProcesses(int count, Starter starter) {
    this.processes = new AtomicReferenceArray<>(count);
    this.starter = starter;
  }

  int size() {
    return processes.length();
  }

  ClientProcess get(int client) {
    return processes.get(client);
  }

  /** Starts a client that does not run; does not wait for it. */
  void start(int client) throws IOException {
    processes.set(client, starter.start(client));
  }

  /**
   * Starts clients that do not run: at first all, later those that could not connect and ended.
   *
   * @param killed clients to leave out
   */
  void startMissing(List<Integer> killed) throws IOException {
    for (int i = 0; i < size(); i++) {
      ClientProcess process = processes.get(i);
      if ((process == null || process.hasEnded()) && !killed.contains(i)) {
        start(i);
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
