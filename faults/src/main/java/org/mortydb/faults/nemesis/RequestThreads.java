package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGenerator.SplittableGenerator;
import org.mortydb.check.jepsen.OperationType;

/** Threads that each have a client carry out one request after the other. */
final class RequestThreads {
  private static final long POLL_MILLIS = 10;

  private final ClientProcesses clients;
  private final List<RecordedWorkload> workloads;
  private final FaultRunOptions options;
  private final long timeoutMillis;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  /**
   * @param timeoutMillis after which the outcome of a request is unknown
   */
  RequestThreads(
      ClientProcesses clients,
      List<RecordedWorkload> workloads,
      FaultRunOptions options,
      long timeoutMillis) {
    this.clients = clients;
    this.workloads = workloads;
    this.options = options;
    this.timeoutMillis = timeoutMillis;
  }

  /** Starts the threads. */
  void begin(SplittableGenerator random) {
    for (int i = 0; i < options.concurrency(); i++) {
      int number = i;
      RandomGenerator own = random.split();
      threads.add(Thread.ofVirtual().start(() -> work(number, own)));
    }
  }

  private void work(int number, RandomGenerator random) {
    RecordedWorkload workload = workloads.get(number % workloads.size());
    int place = number / workloads.size() % clients.size();
    int process = number;
    double meanMillis = 1_000.0 * options.concurrency() / options.rate();
    try {
      while (!stopped) {
        TimeUnit.MICROSECONDS.sleep((long) (random.nextExponential() * meanMillis * 1_000));
        ClientProcess client = clients.get(place);
        if (!client.isReady()) {
          Thread.sleep(POLL_MILLIS);
        } else if (workload.carryOut(workload.next(random), process, client, timeoutMillis).type()
            == OperationType.INFO) {
          // As in Jepsen, a process with an operation of unknown outcome does no more.
          process += options.concurrency();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Begins no more requests, and waits until all have ended. */
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
